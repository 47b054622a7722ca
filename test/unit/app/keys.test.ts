import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { heldMs, loneMs } from '#shared/domain/wedge/lone-keys.ts'
import { heard, openWindowOf, settle } from '#support/desk-window.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { sampleShipment } from '#support/memory-desk/scans.ts'
import { signedIn } from '#support/memory-desk/station.ts'
import { repeatedReadMs } from '#place/repeated-reads.ts'
import { press, TypedChanges } from '../../../src/scanner/press.ts'
import { startKeys } from '../../../src/app/keys.ts'
import type { ScanLine } from '../../../src/app/scan-line.ts'
import type { DeskWindow } from '../../../src/app/window.svelte.ts'

const nowMs = Date.parse('2026-11-21T14:07:00Z')
let desk: MemoryDesk
let window: DeskWindow
let scans: ScanLine
let page: EventTarget
let stop: () => void
let focused: object | null
let ticksMs: number
/** Time in milliseconds from the time stamp of a key until it arrives. */
let lateMs: number

function send(type: 'keydown' | 'keyup' | 'mousedown', timeStamp: number, key = 'Enter'): KeyboardEvent {
  const event = Object.assign(new Event(type), { key, code: key })
  Object.defineProperty(event, 'timeStamp', { value: timeStamp })
  vi.spyOn(performance, 'now').mockReturnValue(timeStamp + lateMs)
  page.dispatchEvent(event)
  return event as Event as KeyboardEvent
}

/** An input without a form, with the part of the browser's class that `press` uses. Its events reach the page. */
class FakeInput {
  readonly type = 'text'
  readonly value = ''
  readonly form = null
  readonly matches = (): boolean => false
  readonly dispatchEvent = (event: Event): boolean => page.dispatchEvent(event)
}

/** Sends an Enter to a field again, as the scanner's listener does `loneMs` after the key was pressed. */
function pressInField(enter: KeyboardEvent): void {
  class FakeEvent extends Event {
    readonly key = enter.key
    readonly code = enter.code
    override readonly timeStamp = enter.timeStamp + loneMs
  }
  vi.stubGlobal('KeyboardEvent', FakeEvent)
  vi.stubGlobal('HTMLInputElement', FakeInput)
  vi.stubGlobal('HTMLSelectElement', Map)
  press(new FakeInput() as unknown as HTMLInputElement, enter, new TypedChanges())
}

async function scan(code: string): Promise<void> {
  scans.take(heard(code))
  await settle()
}

/** Waits until an Enter has acted, and returns the labels that were made. */
async function made(): Promise<string[]> {
  await sleep(loneMs * 2)
  await settle()
  return desk.calls.filter((call) => call === 'returnLabel:make')
}

beforeEach(async () => {
  const shipment = sampleShipment(nowMs)
  desk = new MemoryDesk({
    ...memoryWorld(() => nowMs),
    session: signedIn,
    shipments: [shipment, { ...shipment, id: 'sh-2', reference: 'SHP00000000413', orderReference: 'WEB-2' }],
  })
  ;({ window, scans } = await openWindowOf(desk))
  ticksMs = 0
  lateMs = 0
  focused = null
  vi.spyOn(window, 'nowMs').mockImplementation(() => ticksMs)
  page = new EventTarget()
  const document = {
    body: null,
    get activeElement() {
      return focused as Element | null
    },
  }
  stop = startKeys(Object.assign(page, { document }), window)
  await scan('SHP00000000412')
})
afterEach(() => {
  stop()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

describe('Enter while no element has the focus', () => {
  it('does the primary act of the card if an operator holds the key', async () => {
    send('keydown', 1_000)
    send('keyup', 1_000 + heldMs)
    expect(await made()).toHaveLength(1)
  })

  it('does nothing if the key is released as soon as a scanner releases it', async () => {
    send('keydown', 1_000)
    send('keyup', 1_000 + heldMs - 1)
    expect(await made()).toEqual([])
  })

  it('waits longer for the release of a key that arrives late, and does nothing if a scanner released it', async () => {
    lateMs = 250
    send('keydown', 1_000)
    await sleep(loneMs * 2)
    send('keyup', 1_000)
    await sleep(lateMs)
    expect(await made()).toEqual([])
  })

  it.each([
    [loneMs + 17, 1],
    [loneMs + 16, 0],
  ])(
    'that arrives late does the primary act only if it was pressed long enough before another key (%i ms before: %i times)',
    async (gapMs, times) => {
      lateMs = 250
      send('keydown', 1_000)
      send('keydown', 1_000 + gapMs, 'x')
      await sleep(lateMs)
      expect(await made()).toHaveLength(times)
    },
  )

  it.each([
    [loneMs + 17, 1],
    [loneMs + 16, 0],
  ])(
    'that arrives late does the primary act only if it was pressed long enough before a click into a field (%i ms before: %i times)',
    async (gapMs, times) => {
      lateMs = 250
      send('keydown', 1_000)
      send('mousedown', 1_000 + gapMs, '')
      focused = { getAttribute: () => null }
      await sleep(lateMs)
      expect(await made()).toHaveLength(times)
    },
  )

  it('does nothing and causes a notice if another scanner replaces the card before the act', async () => {
    send('keydown', 1_000)
    await scan('SHP00000000413')
    send('keyup', 1_000 + heldMs)
    expect(await made()).toEqual([])
    expect(window.notices.now?.kind).toBe('too_soon')
    send('keydown', 3_000)
    expect(await made()).toHaveLength(1)
  })

  it.each([heldMs, loneMs + 20, loneMs * 2])(
    'does nothing within 0.8 s after another Enter that was pressed in a field and held for %i ms, because that Enter may have opened the card',
    async (holdMs) => {
      focused = { getAttribute: () => null }
      const enter = send('keydown', 1_000)
      if (holdMs > loneMs) pressInField(enter)
      send('keyup', 1_000 + holdMs)
      focused = null
      ticksMs = repeatedReadMs - 1
      send('keydown', 1_000 + ticksMs)
      send('keyup', 1_000 + ticksMs + heldMs)
      expect(await made()).toEqual([])
      expect(window.notices.now?.kind).toBe('too_soon')
      ticksMs = repeatedReadMs
      send('keydown', 1_000 + ticksMs + 200)
      expect(await made()).toHaveLength(1)
    },
  )

  it('does the primary act directly after a scan, although the scan ends with Enter too', async () => {
    focused = { getAttribute: () => null }
    send('keydown', 1_000)
    send('keyup', 1_000 + heldMs - 1)
    focused = null
    ticksMs = 200
    send('keydown', 1_000 + ticksMs)
    expect(await made()).toHaveLength(1)
  })
})
