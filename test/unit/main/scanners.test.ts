import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ScannerDeps } from '#serial-scanner/serial-scanner.ts'
import { scannerEntry, type ScannerEntry, type ScannerLive } from '#shared/bridge/scanner-views.ts'
import { pcSettings } from '#support/pc-settings.ts'
import { HeldScans, Scanners } from '../../../electron/main/scanners.ts'
import { readSettings } from '../../../electron/main/settings-schema.ts'

/** A scanner that opens at once and needs a moment to close its port. */
class FakeScanner {
  live: ScannerLive
  readonly entry: ScannerEntry
  readonly deps: ScannerDeps

  constructor(entry: ScannerEntry, deps: ScannerDeps) {
    this.entry = entry
    this.deps = deps
    this.live = { id: entry.id, state: 'off', failure: null, scans: 0, dropped: 0, lastDrop: null }
  }

  start(): void {
    if (this.live.state === 'open') return
    log.push(`open ${this.entry.settings.path}`)
    this.live = { ...this.live, state: 'open' }
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 1))
    log.push(`free ${this.entry.settings.path}`)
    this.live = { ...this.live, state: 'off' }
  }
}

let log: string[]
let made: FakeScanner[]
let told: [string, unknown][]

beforeEach(() => {
  vi.useFakeTimers()
  log = []
  made = []
  told = []
})
afterEach(() => {
  vi.useRealTimers()
})

function entry(id: string, path = `/dev/${id}`, baudRate = 9600): ScannerEntry {
  return scannerEntry.parse({ id, title: `Scanner ${id}`, settings: { path, baudRate } })
}

function open(settings = pcSettings()): Scanners {
  const create = (one: ScannerEntry, deps: ScannerDeps): FakeScanner => {
    const scanner = new FakeScanner(one, deps)
    made.push(scanner)
    return scanner
  }
  return new Scanners(settings, create, (event, payload) => told.push([event, payload]))
}

async function save(scanners: Scanners, ...list: ScannerEntry[]): Promise<string> {
  const saving = scanners.save({ scanners: list })
  await vi.runAllTimersAsync()
  const result = await saving
  return result.ok ? 'ok' : `${result.error.code} ${Object.values(result.error.params).join(', ')}`
}

describe('the scanners of a PC', () => {
  it('are an empty list until scanners are saved; saved scanners are opened again at the next start', async () => {
    const settings = pcSettings()
    const scanners = open(settings)
    expect(scanners.view()).toEqual({ scanners: [], live: [] })
    expect(await save(scanners, entry('a'), entry('b'))).toBe('ok')
    const again = open(settings)
    again.start()
    await vi.runAllTimersAsync()
    expect(again.view().live).toMatchObject([
      { id: 'a', state: 'open' },
      { id: 'b', state: 'open' },
    ])
  })

  it('release a port before they open it with new settings, and only the changed scanner is interrupted', async () => {
    const scanners = open()
    await save(scanners, entry('a'), entry('b'))
    log = []
    await save(scanners, entry('a', '/dev/a', 115_200), entry('b'))
    expect(log).toEqual(['free /dev/a', 'open /dev/a'])
    log = []
    await save(scanners, entry('b'))
    expect(log).toEqual(['free /dev/a'])
    expect(scanners.view().live.map(({ id }) => id)).toEqual(['b'])
  })

  it('do not start again if the app closes while the port of an earlier entry is released', async () => {
    const scanners = open()
    await save(scanners, entry('a'))
    log = []
    const saving = scanners.save({ scanners: [entry('a', '/dev/a', 115_200)] })
    await Promise.resolve()
    const closing = scanners.close()
    await vi.runAllTimersAsync()
    await Promise.all([saving, closing])
    expect(log).toEqual(['free /dev/a'])
  })

  it('are refused if two of them have the same port or id', async () => {
    const scanners = open()
    await save(scanners, entry('a'))
    expect(await save(scanners, entry('a'), entry('b', '/dev/a'))).toBe(
      'scanner.same_twice Scanner b, Scanner a',
    )
    expect(await save(scanners, entry('a', 'COM3'), entry('b', 'com3'))).toContain('same_twice')
    expect(await save(scanners, entry('a'), entry('a', '/dev/x'))).toContain('same_twice')
    expect(scanners.view().scanners).toEqual([entry('a')])
  })

  it('send the first scan to the window at once, send the list of all held scans a moment later, and hold each scan until the window has taken it', async () => {
    const scanners = open()
    await save(scanners, entry('a'), entry('b'))
    told = []
    made[0]?.deps.onScan({ raw: 'ONE', inBurst: false }, 0)
    made[1]?.deps.onScan({ raw: 'TWO', inBurst: true }, 10_000)
    const both = [
      { number: 1, scannerId: 'a', raw: 'ONE', inBurst: false },
      { number: 2, scannerId: 'b', raw: 'TWO', inBurst: true },
    ]
    const heldTold = (): unknown[] => told.filter(([event]) => event === 'heldScans')
    expect(heldTold()).toMatchObject([['heldScans', both.slice(0, 1)]])
    await vi.runAllTimersAsync()
    expect(heldTold()).toMatchObject([
      ['heldScans', both.slice(0, 1)],
      ['heldScans', both],
    ])
    // the time of a scan is the time of its last byte
    const [one, two] = scanners.held.list().map(({ at }) => Date.parse(at))
    expect((two ?? 0) - (one ?? 0)).toBeLessThanOrEqual(-9_000)
    // a newly created window requests the held scans
    expect(scanners.held.list()).toMatchObject(both)
    scanners.held.taken(1)
    expect(scanners.held.list()).toMatchObject(both.slice(1))
  })

  it('send two messages for a thousand simultaneous scans, and none for a scan beyond the thousandth', async () => {
    const scanners = open()
    await save(scanners, entry('a'))
    told = []
    for (let at = 0; at < 1_000; at++) made[0]?.deps.onScan({ raw: `S${at}`, inBurst: true }, 0)
    await vi.runAllTimersAsync()
    const lengths = (): unknown[] =>
      told.flatMap(([event, list]) => (event === 'heldScans' && Array.isArray(list) ? list.length : []))
    expect(lengths()).toEqual([1, 1_000])
    made[0]?.deps.onScan({ raw: 'one too many', inBurst: false }, 0)
    await vi.runAllTimersAsync()
    expect(lengths()).toEqual([1, 1_000])
  })

  it('report their state once for a thousand simultaneous changes', async () => {
    const scanners = open()
    await save(scanners, entry('a'))
    await vi.runAllTimersAsync()
    told = []
    for (let change = 0; change < 1_000; change++) made[0]?.deps.onChange()
    if (made[0]) made[0].live = { ...made[0].live, dropped: 1_000 }
    await vi.runAllTimersAsync()
    expect(told).toMatchObject([['scanners', { live: [{ id: 'a', dropped: 1_000 }] }]])
  })

  it('release every port when they are closed, and open no port afterwards', async () => {
    const scanners = open()
    await save(scanners, entry('a'), entry('b'))
    log = []
    const closing = scanners.close()
    scanners.start()
    await vi.runAllTimersAsync()
    await closing
    expect(log).toEqual(['free /dev/a', 'free /dev/b'])
  })
})

describe('HeldScans', () => {
  it('keeps the first thousand scans in their order, each with a number that is never used again', () => {
    const held = new HeldScans(() => new Date('2026-03-01T12:00:00Z'))
    for (let at = 1; at <= 1_100; at++) held.add('a', { raw: String(at), inBurst: false })
    expect(held.list().map(({ raw }) => raw)).toEqual(
      Array.from({ length: 1_000 }, (_, at) => String(at + 1)),
    )
    held.taken(999)
    expect(held.list()).toEqual([
      { number: 1_000, scannerId: 'a', raw: '1000', inBurst: false, at: '2026-03-01T12:00:00.000Z' },
    ])
    // no number of a scan is used again, even after all scans were taken
    held.taken(1_000)
    held.add('a', { raw: 'next', inBurst: false })
    expect(held.list()[0]?.number).toBe(1_001)
  })
})

describe('the scanners in settings.json', () => {
  it('are read even if other entries are invalid, and missing fields get default values', () => {
    const rows = [{ id: 'x' }, { id: 'a', title: 'A', settings: { path: 'COM3', baudRate: 9600 } }, 7]
    expect(readSettings(JSON.stringify({ scanners: rows })).settings.scanners).toEqual([
      { ...entry('a', 'COM3'), title: 'A' },
    ])
    expect(readSettings(JSON.stringify({ scanners: 'none' })).settings.scanners).toEqual([])
    expect(readSettings(null).settings.scanners).toEqual([])
  })
})
