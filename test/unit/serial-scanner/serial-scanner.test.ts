import { describe, expect, it, vi } from 'vitest'
import { causeOf, type ScannerDeps, SerialScanner } from '#serial-scanner/serial-scanner.ts'
import { scannerEntry } from '#shared/bridge/scanner-views.ts'

/** A scanner on a port whose bytes come from the test; the test also sets `nowMs`. */
async function opened(more: object = {}): Promise<{
  feed: (text: string) => void
  clock: { nowMs: number }
  scans: string[]
  /** How long ago the last byte of each scan arrived. */
  ages: number[]
  scanner: SerialScanner
}> {
  const settings = { path: '/dev/ttyX', baudRate: 9600, ...more }
  const clock = { nowMs: 1_000 }
  const scans: string[] = []
  const ages: number[] = []
  let onBytes: (bytes: Uint8Array) => void = () => undefined
  const open: ScannerDeps['open'] = (_settings, events) => {
    onBytes = events.onBytes
    return Promise.resolve({ kind: 'open', line: { close: () => Promise.resolve() } })
  }
  const scanner = new SerialScanner(scannerEntry.parse({ id: 's', title: 's', settings }), {
    ...{ open, nowMs: () => clock.nowMs },
    onScan: ({ raw }, ageMs) => {
      scans.push(raw)
      ages.push(ageMs)
    },
    onChange: () => undefined,
  })
  scanner.start()
  await Promise.resolve()
  return { feed: (text) => onBytes(Buffer.from(text)), clock, scans, ages, scanner }
}

describe('the serial scanner', () => {
  it('accepts only the first hundred scans of a burst of more than a thousand, and reports one refusal', async () => {
    const { feed, clock, scans, scanner } = await opened()
    for (let piece = 0; piece < 6; piece++) {
      feed('A\r'.repeat(246))
      clock.nowMs += 10
    }
    expect(scans).toHaveLength(100)
    expect(scanner.live).toMatchObject({ scans: 100, dropped: 1, lastDrop: 'too_many' })
    clock.nowMs += 300
    feed('NEXT\r')
    expect(scans.at(-1)).toBe('NEXT')
    await scanner.stop()
  })

  it('accepts two hundred stored scans if the device sends them with pauses of 25 ms', async () => {
    const { feed, clock, scans, scanner } = await opened()
    for (let at = 0; at < 200; at++) {
      feed(`3SABC${at}\r`)
      clock.nowMs += 25
    }
    expect(scans).toHaveLength(200)
    expect(scanner.live.dropped).toBe(0)
    await scanner.stop()
  })

  it('reports the age of a scan from its last byte if a pause ends the scan, and otherwise zero', async () => {
    vi.useFakeTimers()
    const lines = await opened()
    lines.feed('ONE\r')
    expect([lines.scans, lines.ages]).toEqual([['ONE'], [0]])
    await lines.scanner.stop()
    const { feed, clock, scans, ages, scanner } = await opened({ ending: 'pause', pauseMs: 100 })
    feed('TWO')
    clock.nowMs += 130
    vi.advanceTimersByTime(130)
    expect([scans, ages]).toEqual([['TWO'], [130]])
    await scanner.stop()
    vi.useRealTimers()
  })
})

describe('the reason why a serial port cannot be opened', () => {
  // the messages of serialport 13; on Linux and macOS they contain the error text of the operating system
  it.each([
    ['Error: No such file or directory, cannot open /dev/ttyACM0', 'no_port'],
    ['Error: No such device or address, cannot open /dev/ttyUSB0', 'no_port'],
    ['Opening COM3: File not found', 'no_port'],
    ['Opening COM3: Access denied', 'held'],
    ['Error Resource temporarily unavailable Cannot lock port', 'held'],
    ['Error: Device or resource busy, cannot open /dev/ttyACM0', 'held'],
    ['Error: Permission denied, cannot open /dev/ttyACM0', 'denied'],
    ['Error: Inappropriate ioctl for device setting custom baud rate of 9600', 'not_a_port'],
    ['Error: Invalid argument setting custom baud rate of 12345', 'settings'],
    ['Opening COM3: Unknown error code 87', 'settings'],
    ['No native build was found for platform=linux arch=riscv64', 'no_driver'],
    ['Error: Input/output error, cannot open /dev/ttyACM0', 'fault'],
  ])('for the message "%s" is %s', (message, cause) => {
    expect(causeOf(new Error(message))).toBe(cause)
  })

  it('is "fault" if the thrown value is not an error', () => {
    expect([causeOf('held'), causeOf(null)]).toEqual(['fault', 'fault'])
  })
})
