import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { count, seed } from '#support/counts.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { scanSerial } from '#support/memory-desk/scanners.ts'
import { signedIn } from '#support/memory-desk/station.ts'
import { HeldScanTaker, ScanLine } from '../../../src/app/scan-line.ts'
import { DeskWindow } from '../../../src/app/window.svelte.ts'

let desk: MemoryDesk

beforeEach(() => {
  desk = new MemoryDesk()
})

/** Waits until all calls and events that were sent have arrived. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0))
}

/** An open window, until the test closes it or lets it crash. `routed` lists the scans that it received. */
function open(routed: string[] = []): { routed: string[]; stop: () => void } {
  const taker = new HeldScanTaker(desk.bridge, ({ raw }) => routed.push(raw))
  return { routed, stop: taker.start() }
}

describe('HeldScanTaker', () => {
  it('takes each scan once and in order, beginning with the scans made before the window opened', async () => {
    scanSerial(desk, 'a', 'ONE', 'TWO')
    const { routed } = open()
    scanSerial(desk, 'b', 'THREE')
    await settle()
    scanSerial(desk, 'a', 'FOUR')
    await settle()
    expect(routed).toEqual(['ONE', 'TWO', 'THREE', 'FOUR'])
    expect(desk.world.heldScans).toEqual([])
  })

  it('leaves scans in main while no window takes them, and takes them in the next window', async () => {
    const first = open()
    await settle()
    scanSerial(desk, 'a', 'ONE')
    first.stop()
    scanSerial(desk, 'a', 'TWO')
    await settle()
    expect(first.routed).toEqual(['ONE'])
    const second = open()
    await settle()
    expect(second.routed).toEqual(['TWO'])
  })

  it('receives a scan again when the window crashed before the scan was in the queue', async () => {
    const broken = new HeldScanTaker(desk.bridge, () => {
      throw new Error('the window is gone')
    })
    const stop = broken.start()
    await settle()
    expect(() => {
      scanSerial(desk, 'a', 'ONE')
    }).toThrow('gone')
    stop()
    const { routed } = open()
    await settle()
    expect(routed).toEqual(['ONE'])
  })

  it('marks a scan as one that waited if it was made before the window opened, and only then', async () => {
    scanSerial(desk, 'a', 'ONE', 'TWO')
    const waited: [string, boolean][] = []
    const taker = new HeldScanTaker(desk.bridge, ({ raw }, hasWaited) => waited.push([raw, hasWaited]))
    taker.start()
    await settle()
    scanSerial(desk, 'a', 'THREE')
    await settle()
    expect(waited).toEqual([
      ['ONE', true],
      ['TWO', true],
      ['THREE', false],
    ])
  })

  it('takes no scan twice when the acknowledgement of the scan reaches main late', async () => {
    desk.world.hanging.add('scanner:taken')
    const { routed } = open()
    await settle()
    scanSerial(desk, 'a', 'ONE', 'TWO', 'THREE')
    await settle()
    expect(routed).toEqual(['ONE', 'TWO', 'THREE'])
  })

  it('takes all scans, once and in order, for any sequence of starts and stops', async () => {
    const step = fc.constantFrom('scan', 'scan', 'open', 'close', 'settle')
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        desk = new MemoryDesk()
        const routed: string[] = []
        let stop = (): void => undefined
        let scans = 0
        const taker = new HeldScanTaker(desk.bridge, ({ raw }) => routed.push(raw))
        for (const one of [...steps, 'close', 'open', 'settle']) {
          if (one === 'scan') scanSerial(desk, 'a', String((scans += 1)))
          else if (one === 'settle') await settle()
          else {
            stop()
            stop = one === 'open' ? taker.start() : (): void => undefined
          }
        }
        expect(routed).toEqual(Array.from({ length: scans }, (_, at) => String(at + 1)))
        expect(desk.world.heldScans).toEqual([])
      }),
      { seed, numRuns: count(50, 1_000) },
    )
  })

  it('acknowledges a scan of a serial scanner only after the window has sent the call that saves the scan', async () => {
    desk = new MemoryDesk({ ...memoryWorld(), session: signedIn })
    const window = new DeskWindow(desk.bridge, () => undefined)
    const line = new ScanLine(window)
    window.start()
    const taker = new HeldScanTaker(desk.bridge, (scan) => {
      line.take(scan)
    })
    await settle()
    taker.start()
    scanSerial(desk, 'a', '8712345678906')
    await settle()
    // the window sends the call that saves the scan first, and the acknowledgement afterwards
    expect(desk.calls.filter((call) => ['scan:submit', 'scanner:taken'].includes(call))).toEqual([
      'scan:submit',
      'scanner:taken',
    ])
  })
})
