import fc from 'fast-check'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import { count } from '#support/counts.ts'
import { heard } from '#support/desk-window.ts'
import { sampleVariants } from '#support/memory-desk/catalogue.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { sampleLocations } from '#support/memory-desk/modifications.ts'
import { sampleShipment } from '#support/memory-desk/scans.ts'
import { signedIn } from '#support/memory-desk/station.ts'
import { ScanLine } from '../../../src/app/scan-line.ts'
import { DeskWindow } from '../../../src/app/window.svelte.ts'

const nowMs = Date.parse('2026-11-21T14:07:00Z')

/**
 * A window with its desk. Between `shut()` and `open()`, the calls that read the station, the last scans and the last
 * labels wait.
 */
class Bench {
  readonly desk: MemoryDesk
  readonly window: DeskWindow
  readonly scans: ScanLine
  /**
   * The scans that the window sent to the journal, in the order in which it sent them. A scan that is refused at the
   * login is missing.
   */
  readonly dealt: string[] = []
  readonly sounds: string[] = []
  #gates: (() => void)[] = []
  #isShut = false
  #next = 0

  constructor(session = signedIn) {
    this.desk = new MemoryDesk({
      ...memoryWorld(() => nowMs),
      session,
      shipments: [sampleShipment(nowMs)],
    })
    this.window = new DeskWindow(this.#gated(this.desk.bridge), (sound) => {
      this.sounds.push(sound)
    })
    this.scans = new ScanLine(this.window)
  }

  #gated(bridge: ScandeskBridge): ScandeskBridge {
    const wait = async <T>(call: () => Promise<T>): Promise<T> => {
      if (this.#isShut) await new Promise<void>((resolve) => this.#gates.push(resolve))
      return call()
    }
    return {
      ...bridge,
      station: { ...bridge.station, current: () => wait(() => bridge.station.current()) },
      scan: {
        ...bridge.scan,
        recent: () => wait(() => bridge.scan.recent()),
        submit: (args) => {
          this.dealt.push(args.raw)
          return bridge.scan.submit(args)
        },
      },
      returnLabel: { ...bridge.returnLabel, recent: () => wait(() => bridge.returnLabel.recent()) },
    }
  }

  shut(): void {
    this.#isShut = true
  }
  open(): void {
    this.#isShut = false
    for (const gate of this.#gates.splice(0)) gate()
  }

  /** Scans this code, or a new unknown code if there is none, and returns the scanned code. */
  scan(command?: string): string {
    const raw = command ?? `UNKNOWN-${String(this.#next++)}`
    this.scans.take(heard(raw))
    return raw
  }
}

async function settle(turns = 40): Promise<void> {
  for (let i = 0; i < turns; i++) await Promise.resolve()
  await new Promise((resolve) => setTimeout(resolve, 0))
}

let bench: Bench

describe('the queue of scans while the window loads', () => {
  it('counts the scans that wait, and handles them in order once the window is loaded', async () => {
    bench = new Bench()
    bench.shut()
    bench.window.start()
    bench.scan('A')
    bench.scan('SDCMDBOOK')
    bench.scan('B')
    await settle()
    expect([bench.dealt, bench.window.notices.held, bench.sounds]).toEqual([[], 3, []])
    bench.open()
    await settle()
    expect([bench.dealt, bench.window.notices.held]).toEqual([['A', 'SDCMDBOOK', 'B'], 0])
    expect(bench.window.place).toBe('modification')
  })

  it('refuses the waiting scans when the loaded window shows the login', async () => {
    bench = new Bench(memoryWorld().session)
    bench.shut()
    bench.window.start()
    bench.scan('A')
    bench.open()
    await settle()
    expect([bench.dealt, bench.sounds, bench.window.login.scanned]).toEqual([[], ['look'], true])
  })

  it('keeps the scans waiting when the window cannot load', async () => {
    bench = new Bench()
    bench.desk.world.failures['station:current'] = { code: 'station.none', params: {} }
    bench.window.start()
    bench.scan('A')
    await settle()
    expect([bench.dealt, bench.window.notices.held]).toEqual([[], 1])
    delete bench.desk.world.failures['station:current']
    await bench.window.app.load()
    await settle()
    expect(bench.dealt).toEqual(['A'])
  })
})

describe('the queue of scans after a login', () => {
  it('handles a scan only after the stage has loaded, so that loading does not remove the card of the scan', async () => {
    bench = new Bench(memoryWorld().session)
    bench.window.start()
    await settle()
    bench.shut()
    bench.window.app.signedIn(signedIn)
    bench.scan('SHP00000000412')
    await settle()
    expect([bench.dealt, bench.window.notices.held]).toEqual([[], 1])
    bench.open()
    await settle()
    expect(bench.window.places.stage.card.kind).toBe('shipment')
  })

  it('keeps the card, without loading the stage again, when the login only renews the session', async () => {
    bench = new Bench()
    bench.window.start()
    await settle()
    bench.scan('SHP00000000412')
    await settle()
    bench.desk.putSession({ ...signedIn, state: 'expired' })
    bench.window.app.openLogin()
    bench.window.app.signedIn(signedIn)
    await settle()
    expect(bench.window.places.stage.card.kind).toBe('shipment')
  })
})

describe('Enter pressed twice while scans are still looked up', () => {
  const [location] = sampleLocations(nowMs)
  const [oats, drink] = sampleVariants(nowMs)
  const [oatsEan, drinkEan] = [oats?.ean ?? '', drink?.ean ?? '']

  it('makes one booking, which contains the articles of these scans', async () => {
    const desk = new MemoryDesk({
      ...memoryWorld(() => nowMs),
      session: signedIn,
      variants: sampleVariants(nowMs),
      locations: sampleLocations(nowMs),
    })
    const { scan } = desk.bridge
    const submit: typeof scan.submit = async (args) => {
      await new Promise((resolve) => setTimeout(resolve, 10))
      return scan.submit(args)
    }
    const window = new DeskWindow({ ...desk.bridge, scan: { ...scan, submit } }, () => undefined)
    const scans = new ScanLine(window)
    window.start()
    await window.app.load()
    await window.beginAnew()
    for (const raw of ['SDCMDBOOK', 'SDCMDDEFECTIVE', location?.code ?? '', drinkEan]) scans.take(heard(raw))
    await vi.waitFor(() => {
      expect(desk.world.draft).toMatchObject({ missing: [], lines: [{ quantity: -1 }] })
    })
    for (const raw of [oatsEan, oatsEan]) scans.take(heard(raw))
    window.runPrimary()
    window.runPrimary()
    await vi.waitFor(() => {
      expect(desk.world.recent).toHaveLength(6)
      expect(desk.world.modifications).not.toEqual([])
    })
    await settle()
    expect(desk.world.modifications.map(({ lines }) => lines.map(({ quantity }) => quantity))).toEqual([
      [-1, -2],
    ])
    expect(desk.world.draft.lines).toEqual([])
  })
})

describe('a command scanned right after a command that opens another place', () => {
  beforeEach(async () => {
    bench = new Bench()
    bench.window.start()
    await settle()
  })

  it('runs in the place that opens, and not on the card that the place covers', async () => {
    bench.scan('SHP00000000412')
    await settle()
    bench.scan('SDCMDLABELS')
    bench.scan('SDCMDPRIMARY')
    await settle()
    expect(bench.window.place).toBe('labels')
    expect(bench.desk.calls).not.toContain('returnLabel:make')
  })

  it('acts on the form that the first command opens', async () => {
    bench.scan('SHP00000000412')
    bench.scan('SDCMDADDRESS')
    bench.scan('SDCMDPRIMARY')
    await settle()
    await settle()
    expect(bench.desk.calls.filter((call) => call === 'returnLabel:make')).toHaveLength(1)
    expect(bench.window.place).toBe('stage')
  })
})

type Act =
  'scan' | 'ask' | 'stay' | 'leave' | 'reload' | 'shut' | 'open' | 'book' | 'home' | 'places' | 'wait'
const acts = fc.constantFrom<Act>(
  'scan',
  'scan',
  'scan',
  'ask',
  'stay',
  'leave',
  'reload',
  'shut',
  'open',
  'book',
  'home',
  'places',
  'wait',
)

describe('the queue of scans', () => {
  it('handles each scan once and in order while places and dialogs open and close, and while data are loaded', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(acts, { maxLength: 40 }), async (sequence) => {
        const one = new Bench()
        const scanned: string[] = []
        one.window.start()
        for (const act of sequence) {
          if (act === 'scan') scanned.push(one.scan())
          else if (act === 'ask') one.window.leave.ask('close', { waiting: 1, asking: 0 }, () => undefined)
          else if (act === 'stay') one.window.leave.stay()
          else if (act === 'leave') void one.window.leave.leave()
          else if (act === 'reload') void one.window.app.load()
          else if (act === 'shut') one.shut()
          else if (act === 'open') one.open()
          else if (act === 'book') one.window.openBooking()
          else if (act === 'home') one.window.goHome()
          else if (act === 'places') one.window.openQueue()
          else await settle(1)
        }
        one.open()
        one.window.leave.stay()
        await settle()
        one.window.leave.stay()
        await settle()
        expect(one.dealt).toEqual(scanned)
        expect(one.window.notices.held).toBe(0)
      }),
      { seed: 11, numRuns: count(60, 2000) },
    )
  })

  it('lets a scan of YES or NO answer the question whether to close the window, and reports another scanned command as refused', async () => {
    bench = new Bench()
    bench.window.start()
    await settle()
    let left = 0
    const ask = (): void => {
      bench.window.leave.ask('close', { waiting: 1, asking: 0 }, () => left++)
    }
    ask()
    bench.scan('SDCMDBOOK')
    expect([bench.window.leave.refused, bench.window.leave.leaving]).toEqual(['BOOK', 'close'])
    bench.scan('SDCMDNO')
    expect([bench.window.leave.leaving, left]).toEqual([null, 0])
    ask()
    expect(bench.window.leave.refused).toBeNull()
    bench.scan('A')
    bench.scan('SDCMDYES')
    await settle()
    expect([bench.dealt, left, bench.window.leave.leaving]).toEqual([['A'], 1, null])
    expect(bench.window.place).toBe('stage')
  })
})
