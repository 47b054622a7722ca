import { beforeEach, describe, expect, it } from 'vitest'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import { heard, nowMs, openWindowOf, settle } from '#support/desk-window.ts'
import { openLabel } from '#support/memory-desk/labels.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { sampleShipment } from '#support/memory-desk/scans.ts'
import { productionStation, sandboxStation, signedIn } from '#support/memory-desk/station.ts'
import type { ScanLine } from '../../../src/app/scan-line.ts'
import type { DeskWindow } from '../../../src/app/window.svelte.ts'

const parcel = 'SHP00000000412'
const shipment = sampleShipment(nowMs)

let desk: MemoryDesk
let window: DeskWindow
let scans: ScanLine
let sounds: string[]
/** Delivers the responses that the test holds back. */
let deliver: () => void
let holds: boolean

/** Holds back the responses to scans, to look-ups and to the creation of a label while `holds` is true. */
function holding(bridge: ScandeskBridge): ScandeskBridge {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  deliver = () => {
    resolve(undefined)
  }
  async function held<T>(answer: Promise<T>): Promise<T> {
    if (holds) await promise
    return answer
  }
  const { scan, returnLabel } = bridge
  return {
    ...bridge,
    scan: {
      ...scan,
      submit: (args, at) => held(scan.submit(args, at)),
      lookup: (args, at) => held(scan.lookup(args, at)),
    },
    returnLabel: { ...returnLabel, make: (args, at) => held(returnLabel.make(args, at)) },
  }
}

/** Opens the other station, which has no scans and no labels yet, with another operator. */
async function openOther(): Promise<void> {
  await window.setup.load()
  await window.setup.use(productionStation.id)
  await settle()
  desk.world.recent = []
  desk.world.labels = []
  holds = false
  desk.putSession({ ...signedIn, username: 'bob' })
  await settle()
  expect([window.stationId(), window.app.screen]).toEqual([productionStation.id, 'stage'])
  sounds.length = 0
}

async function scan(code: string): Promise<void> {
  scans.take(heard(code))
  await settle()
}

beforeEach(async () => {
  holds = false
  desk = new MemoryDesk({
    ...memoryWorld(() => nowMs),
    session: signedIn,
    shipments: [shipment],
    stations: [sandboxStation, productionStation],
  })
  ;({ window, scans, sounds } = await openWindowOf(desk, holding))
})

describe('the window after a change of the station', () => {
  it('shows nothing of a scan that was looked up when the station changed, and plays no sound', async () => {
    holds = true
    await scan(parcel)
    await openOther()
    deliver()
    await settle()
    const { stage } = window.places
    expect([stage.recent, stage.card.kind, sounds]).toEqual([[], 'home', []])
  })

  it('shows nothing of an earlier scan that was looked up again when the station changed', async () => {
    await scan(parcel)
    const [entry] = window.places.stage.recent
    await window.beginAnew()
    holds = true
    if (entry) window.bringBack(entry)
    await settle()
    expect(desk.calls).toContain('scan:lookup')
    await openOther()
    deliver()
    await settle()
    const { stage } = window.places
    expect([stage.recent, stage.card.kind, sounds]).toEqual([[], 'home', []])
  })

  it('shows nothing of a parcel that was scanned while a booking was open if its look-up ends after the change', async () => {
    window.openBooking()
    await window.arrived()
    holds = true
    await scan(parcel)
    await openOther()
    deliver()
    await settle()
    const { stage } = window.places
    expect([stage.recent, stage.card.kind, window.place, sounds]).toEqual([[], 'home', 'stage', []])
  })

  it('has no label of the previous station, also if the label was being made', async () => {
    await scan(parcel)
    holds = true
    void window.places.stage.runAct('make')
    await settle()
    const [made] = desk.world.labels
    await openOther()
    deliver()
    await settle()
    const { stage } = window.places
    expect(made && stage.labels.has(made.id)).toBe(false)
    expect([stage.card.kind, stage.labels.newestOf(shipment.id), sounds]).toEqual(['home', null, []])
  })

  it('shows no card of the previous station, also if a question about the card was open', async () => {
    const label = openLabel(nowMs)
    desk.world.labels = [label]
    window.showLabel(label.id)
    await settle()
    await window.places.stage.runAct('cancel')
    expect(window.places.stage.labels.question).toBe('cancel')
    await openOther()
    const { stage } = window.places
    expect([stage.card.kind, stage.labels.question, stage.labels.has(label.id)]).toEqual([
      'home',
      null,
      false,
    ])
  })
})

it('a scan of the previous operator that could not be saved plays the sound `stop`, but shows no card', async () => {
  desk.world.failures['scan:submit'] = { code: 'store.full', params: {} }
  holds = true
  await scan(parcel)
  await openOther()
  deliver()
  await settle()
  expect([window.places.stage.card.kind, sounds]).toEqual(['home', ['stop']])
})
