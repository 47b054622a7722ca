import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openLine, type ScannerDeps, SerialScanner } from '#serial-scanner/serial-scanner.ts'
import { scannerEntry, type ScannerEntry, type ScannerLive } from '#shared/bridge/scanner-views.ts'
import { pcSettings } from '#support/pc-settings.ts'
import { hasSocat, plugIn, type Pty } from '#support/pty.ts'
import { Scanners } from '../../electron/main/scanners.ts'

/** The scanners are pseudo-terminals: real ports of the system that the code of the product opens. */

if (!hasSocat) console.warn('serial scanners are not tested: socat is missing on this machine')

let folder: string
let ptys: Pty[]
let scanners: SerialScanner[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'scandesk-serial-'))
  ptys = []
  scanners = []
})

afterEach(async () => {
  await Promise.all(scanners.map((scanner) => scanner.stop()))
  await Promise.all(ptys.map((pty) => pty.unplug()))
  rmSync(folder, { recursive: true })
})

async function plug(name: string): Promise<Pty> {
  const pty = await plugIn(join(folder, name))
  ptys.push(pty)
  return pty
}

function entry(name: string, settings: Partial<ScannerEntry['settings']> = {}): ScannerEntry {
  const path = join(folder, name)
  return scannerEntry.parse({ id: name, title: name, settings: { path, baudRate: 9600, ...settings } })
}

interface Run {
  readonly scanner: SerialScanner
  readonly scans: string[]
  /** Every state that the scanner has had, with the cause of a failure. */
  readonly states: string[]
}

function run(of: ScannerEntry, deps: Partial<ScannerDeps> = {}): Run {
  const scans: string[] = []
  const states: string[] = []
  const scanner = new SerialScanner(of, {
    onScan: ({ raw }) => scans.push(raw),
    onChange: () => {
      const words = wordsOf(scanner.live)
      if (states.at(-1) !== words) states.push(words)
    },
    retryMs: [20],
    open: openPty,
    ...deps,
  })
  scanners.push(scanner)
  scanner.start()
  return { scanner, scans, states }
}

function wordsOf({ state, failure }: ScannerLive): string {
  return [state, failure?.params['cause'] ?? ''].join(' ').trim()
}

/** Opens a pseudo-terminal in place of a serial port. */
const openPty: typeof openLine = (settings, events) => openLine(settings, events, (path) => path)

/** The time limit can be long, because the wait ends as soon as the condition is true. */
async function until(check: () => void): Promise<void> {
  await vi.waitFor(check, { timeout: 20_000, interval: 10 })
}

async function becomes({ scanner }: Run, words: string): Promise<void> {
  await until(() => {
    expect(wordsOf(scanner.live)).toBe(words)
  })
}

async function scanned({ scans }: Run, expected: readonly string[]): Promise<void> {
  await until(() => {
    expect(scans).toEqual(expected)
  })
}

describe.skipIf(!hasSocat)('a serial scanner', { timeout: 60_000 }, () => {
  it('reports each code once, whether it arrives alone, with a second code or in pieces', async () => {
    const pty = await plug('a')
    const at = run(entry('a'))
    await becomes(at, 'open')
    await pty.send('8712345678906\r\n')
    await scanned(at, ['8712345678906'])
    await pty.send('A1\rB2\r]C1')
    await scanned(at, ['8712345678906', 'A1', 'B2'])
    await pty.send('0108712345678906')
    await pty.send('\u001d10LOT\r')
    await scanned(at, ['8712345678906', 'A1', 'B2', ']C10108712345678906\u001d10LOT'])
    expect(at.scanner.live).toMatchObject({ scans: 4, dropped: 0, failure: null })
  })

  it('discards and counts unreadable input, and reports the scan that follows', async () => {
    const pty = await plug('a')
    const at = run(entry('a'))
    await becomes(at, 'open')
    await pty.send('\u0000\u00ff12\r')
    await pty.send(`${'9'.repeat(9_000)}\r`)
    await pty.send('GOOD\r')
    await scanned(at, ['GOOD'])
    expect(at.scanner.live).toMatchObject({ scans: 1, dropped: 2, lastDrop: 'too_long' })
  })

  it('discards a scan whose terminator is missing, so that it does not become the start of the next scan', async () => {
    const pty = await plug('a')
    const at = run(entry('a'), { unfinishedMs: 20 })
    await becomes(at, 'open')
    await pty.send('HALF')
    await until(() => {
      expect(at.scanner.live).toMatchObject({ dropped: 1, lastDrop: 'unfinished' })
    })
    await pty.send('WHOLE\r')
    await scanned(at, ['WHOLE'])
  })

  it('ends a scan at a pause of the input if a pause is configured as the ending', async () => {
    const pty = await plug('a')
    const at = run(entry('a', { ending: 'pause', pauseMs: 20, prefix: '\u0002', suffix: '\u0003' }))
    await becomes(at, 'open')
    await pty.send('\u0002ONE\u0003')
    await scanned(at, ['ONE'])
    await pty.send('\u0002TWO\u0003')
    await scanned(at, ['ONE', 'TWO'])
  })

  it('waits for a port that does not exist yet, and opens the port once it appears', async () => {
    const at = run(entry('later'))
    await becomes(at, 'looking')
    expect(at.scanner.live.failure).toMatchObject({ code: 'scanner.unplugged', params: { scanner: 'later' } })
    const pty = await plug('later')
    await becomes(at, 'open')
    await pty.send('A\r')
    await scanned(at, ['A'])
    expect(at.states).toEqual(['looking', 'open'])
  })

  it('reports scans again after it was unplugged and plugged in, but not the interrupted scan', async () => {
    const pty = await plug('a')
    const at = run(entry('a'))
    await becomes(at, 'open')
    await pty.send('BEFORE\rCUT')
    await scanned(at, ['BEFORE'])
    for (const round of ['1', '2']) {
      await ptys.at(-1)?.unplug()
      await becomes(at, 'looking')
      const again = await plug('a')
      await becomes(at, 'open')
      await again.send(`AFTER${round}\r`)
      await scanned(at, round === '1' ? ['BEFORE', 'AFTER1'] : ['BEFORE', 'AFTER1', 'AFTER2'])
    }
    expect(at.states).toEqual(['open', 'looking', 'open', 'looking', 'open'])
  })

  it('reports only its own scans while a second scanner sends at the same time', async () => {
    const [one, two] = [await plug('one'), await plug('two')]
    const [first, second] = [run(entry('one')), run(entry('two', { ending: 'crlf' }))]
    await becomes(first, 'open')
    await becomes(second, 'open')
    for (let round = 0; round < 20; round++) {
      await Promise.all([one.send(`L${String(round)}`), two.send(`R${String(round)}\r`)])
      await Promise.all([one.send('\r'), two.send('\n')])
    }
    await scanned(
      first,
      Array.from({ length: 20 }, (_, round) => `L${String(round)}`),
    )
    await scanned(
      second,
      Array.from({ length: 20 }, (_, round) => `R${String(round)}`),
    )
    await one.unplug()
    await becomes(first, 'looking')
    await two.send('STILL\r\n')
    await until(() => {
      expect(second.scans.at(-1)).toBe('STILL')
    })
  })

  it('reports that its port is in use by another program, and opens the port once it is free', async () => {
    const pty = await plug('a')
    const holder = run(entry('a'))
    await becomes(holder, 'open')
    const at = run(entry('a'))
    await becomes(at, 'failed held')
    expect(at.scanner.live.failure).toMatchObject({ code: 'scanner.refused', params: { port: pty.path } })
    await holder.scanner.stop()
    expect(wordsOf(holder.scanner.live)).toBe('off')
    await becomes(at, 'open')
    await pty.send('A\r')
    await scanned(at, ['A'])
    expect(holder.scans).toEqual([])
  })

  it('sets the parameters of the serial line as configured', async () => {
    const { path } = await plug('a')
    for (const [baudRate, parity, stopBits] of [
      [19_200, 'none', 1],
      [1_200, 'even', 2],
      [115_200, 'odd', 1],
    ] as const) {
      const { settings } = entry('a', { baudRate, parity, stopBits })
      const opened = await openPty(settings, { onBytes: () => undefined, onGone: () => undefined })
      if (opened.kind !== 'open') throw new Error(opened.cause)
      // A pseudo-terminal stores the parameters of a serial line but does not apply them. `stty` shows the stored ones.
      const words = spawnSync('stty', ['-F', path, '-a'], { encoding: 'utf8' })
      await opened.line.close()
      expect(words.stdout).toContain(`speed ${String(baudRate)} baud`)
      expect(words.stdout).toContain(parity === 'odd' ? ' parodd' : '-parodd')
      expect(words.stdout).toContain(stopBits === 2 ? ' cstopb' : '-cstopb')
    }
  })

  it('fails with not_a_port if its path is a file, but a scanner that is switched off has the state `off` even if its path does not exist', async () => {
    writeFileSync(join(folder, 'file'), '')
    await becomes(run(entry('file')), 'failed not_a_port')
    await becomes(run({ ...entry('none'), isOn: false }), 'off')
  })

  it('reports every path that is not a serial port as unplugged, so that a path reveals nothing about files', async () => {
    const { path } = await plug('pty')
    writeFileSync(join(folder, 'file'), '')
    const runs = [
      '/etc/shadow',
      '/nonexistent',
      '/proc/1/mem',
      '/dev/console',
      join(folder, 'file'),
      path,
    ].map((other) => run(entry('any', { path: other }), { open: openLine }))
    for (const at of runs) {
      await becomes(at, 'looking')
      expect(at.scanner.live.failure).toMatchObject({ code: 'scanner.unplugged' })
    }
    expect(runs.flatMap(({ states }) => states)).toEqual(runs.map(() => 'looking'))
  })

  it('releases its port when it is stopped before, during or after the opening of the port', async () => {
    await plug('a')
    for (let round = 0; round < 10; round++) {
      const at = run(entry('a'))
      // The scanner is stopped before, during and after the opening of the port.
      if (round % 3 > 0) await new Promise((resolve) => setTimeout(resolve, round % 3))
      await at.scanner.stop()
      expect(wordsOf(at.scanner.live)).toBe('off')
    }
    await becomes(run(entry('a')), 'open')
  })

  it('can be added, changed and removed while other scanners work, and keeps the order of its scans', async () => {
    const [one, two] = [await plug('one'), await plug('two')]
    const pc = new Scanners(
      pcSettings(),
      (of, deps) => new SerialScanner(of, { ...deps, retryMs: [20], open: openPty }),
      () => undefined,
    )
    const states = (): string[] => pc.view().live.map((live) => `${live.id} ${live.state}`)
    const raws = (): string[] => pc.held.list().map(({ scannerId, raw }) => `${scannerId} ${raw}`)
    await pc.save({ scanners: [entry('one'), entry('two')] })
    await until(() => {
      expect(states()).toEqual(['one open', 'two open'])
    })
    await one.send('A\r')
    await until(() => {
      expect(raws()).toEqual(['one A'])
    })
    // The port must be closed before it is opened again with another speed.
    await pc.save({ scanners: [entry('one', { baudRate: 19_200, ending: 'lf' }), entry('two')] })
    await until(() => {
      expect(states()).toEqual(['one open', 'two open'])
    })
    await one.send('B\n')
    await until(() => {
      expect(raws()).toEqual(['one A', 'one B'])
    })
    await pc.save({ scanners: [entry('two')] })
    await two.send('C\r')
    await until(() => {
      expect(raws()).toEqual(['one A', 'one B', 'two C'])
    })
    expect(pc.view().live).toMatchObject([{ id: 'two', state: 'open', scans: 1 }])
    await pc.close()
    // The scanner has released the port.
    await becomes(run(entry('two')), 'open')
  })
})

describe('two codes that serial scanners send', () => {
  /**
   * Passes bytes to the reader at the given times of a test clock. Returns each scan and whether it belongs to the same
   * burst as the scan before it.
   */
  async function heard(
    of: ScannerEntry,
    ...arrivals: readonly (readonly [atMs: number, bytes: string])[]
  ): Promise<string[]> {
    let nowMs = 0
    let send: (bytes: Uint8Array) => void = () => undefined
    const said: string[] = []
    const scanner = new SerialScanner(of, {
      onScan: ({ raw, inBurst }) => said.push(`${raw} ${inBurst ? 'in one burst' : 'alone'}`),
      onChange: () => undefined,
      nowMs: () => nowMs,
      open: (_, { onBytes }) => {
        send = onBytes
        return Promise.resolve({ kind: 'open', line: { close: () => Promise.resolve() } })
      },
    })
    scanners.push(scanner)
    scanner.start()
    await new Promise((resolve) => setTimeout(resolve, 0))
    for (const [atMs, bytes] of arrivals) {
      nowMs = atMs
      send(Buffer.from(bytes, 'latin1'))
    }
    return said
  }

  it('belong to one burst (input without a long pause) if one scanner sends them together, or faster than an operator can trigger', async () => {
    expect(await heard(entry('a'), [1_000, 'SHP00000000400\rSDCMDPRIMARY\r'])).toEqual([
      'SHP00000000400 alone',
      'SDCMDPRIMARY in one burst',
    ])
    expect(await heard(entry('a'), [1_000, 'SHP1\r\n'], [1_200, 'SDCMD'], [1_900, 'YES\r\n'])).toEqual([
      'SHP1 alone',
      'SDCMDYES in one burst',
    ])
  })

  it('belong to one burst (input without a long pause) if the second code begins soon after the first one, even if the first one is unreadable', async () => {
    expect(await heard(entry('a'), [1_000, 'SHP1\rSD'], [1_400, 'CMDYES\r'])).toEqual([
      'SHP1 alone',
      'SDCMDYES in one burst',
    ])
    expect(await heard(entry('a'), [1_000, '\u0000\rSDCMDYES\r'])).toEqual(['SDCMDYES in one burst'])
  })

  it('belong to one burst (input without a long pause), however many terminators are between them', async () => {
    const others: (readonly [number, string])[] = Array.from({ length: 40 }, (_, n) => [
      1_030 + n * 30,
      '\r\n\r',
    ])
    expect(await heard(entry('a'), [1_000, 'SHP1\r'], ...others, [2_500, 'SDCMDYES\r'])).toEqual([
      'SHP1 alone',
      'SDCMDYES in one burst',
    ])
    // Also tests a terminator before each scan, which some scanners send.
    expect(await heard(entry('a'), [1_000, '\r\nSDCMDYES\r'])).toEqual(['SDCMDYES alone'])
  })

  it('are two separate scans if the operator triggers twice, or if two scanners send one code each', async () => {
    expect(await heard(entry('a'), [1_000, 'SHP1\r'], [1_301, 'SDCMDYES\r'])).toEqual([
      'SHP1 alone',
      'SDCMDYES alone',
    ])
    expect(await heard(entry('b'), [1_010, 'SDCMDYES\r'])).toEqual(['SDCMDYES alone'])
  })

  it('are one text, which is not a command, if a separator instead of a terminator stands between them', async () => {
    for (const separator of ['\u001d', '\t', '\u001e'])
      expect(await heard(entry('a'), [1_000, `SHP1${separator}SDCMDYES\r`])).toEqual([
        `SHP1${separator}SDCMDYES alone`,
      ])
  })
})
