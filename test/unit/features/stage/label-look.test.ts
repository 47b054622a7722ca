import { beforeEach, describe, expect, it } from 'vitest'
import { makeText } from '#features/stage/label-card-words.ts'
import { StageState } from '#features/stage/stage.state.svelte.ts'
import { repeatedReadMs } from '#place/repeated-reads.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { LabelLook } from '#shared/bridge/label-views.ts'
import type { DeskStatus } from '#shared/bridge/views.ts'
import { sampleLabel } from '#support/memory-desk/labels.ts'
import { withState } from '#support/memory-desk/memory-core.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { sampleShipment } from '#support/memory-desk/scans.ts'
import { sampleStatus, signedIn } from '#support/memory-desk/station.ts'
import { labelIdOf } from '#support/ids.ts'

const nowMs = Date.parse('2026-11-22T12:00:00.000Z')
const shipment = sampleShipment(nowMs)
const theirs = withState({
  ...sampleLabel(nowMs),
  id: labelIdOf('lb-theirs'),
  origin: 'service' as const,
  shipmentId: shipment.id,
  create: 'done' as const,
  request: null,
  requested: true,
})

let desk: MemoryDesk
let stage: StageState
let sounds: string[]
let clockMs: number

/** Creates the stage. `changed`: the methods of `returnLabel` that the test replaces. */
function begin(changed: Partial<ScandeskBridge['returnLabel']> = {}): void {
  stage = new StageState({
    bridge: { ...desk.bridge, returnLabel: { ...desk.bridge.returnLabel, ...changed } },
    session: () => signedIn,
    play: (sound) => sounds.push(sound),
    onCommand: () => undefined,
    onRefused: () => undefined,
    onTooSoon: () => undefined,
    nowMs: () => clockMs,
    isShown: () => true,
    openForm: () => undefined,
    onBooking: () => undefined,
  })
}

beforeEach(() => {
  desk = new MemoryDesk({ ...memoryWorld(() => nowMs), shipments: [shipment] })
  sounds = []
  clockMs = 0
  begin()
})

const title = (): string => makeText(stage, null, nowMs).title
const looks = (): number => desk.calls.filter((call) => call === 'returnLabel:look').length
const line = (state: 'online' | 'offline'): DeskStatus => {
  const status = sampleStatus(nowMs)
  return { ...status, line: { ...status.line, state } }
}

describe('the card of a shipment without a label', () => {
  it('does not say that there is no label until the service has confirmed this', async () => {
    let answer = (): void => undefined
    const { look } = desk.bridge.returnLabel
    const held = new Promise<void>((resolve) => (answer = resolve))
    begin({
      look: async (args) => {
        await held
        return look(args)
      },
    })
    await stage.submit('WEB-100412')
    expect(title()).toBe('Looking for a return label…')
    answer()
    await expect.poll(title).toBe('No return label yet')
    expect(looks()).toBe(1)
  })

  it('becomes the card of the label that another desk made', async () => {
    desk.world.looks[shipment.id] = { state: 'label', label: theirs, asOf: null, failure: null }
    await stage.submit('WEB-100412')
    await expect.poll(() => stage.label?.id).toBe('lb-theirs')
    expect(stage.phase).toBe('requested')
    expect(stage.primaryAction).toBe('reprint')
    expect(sounds).toEqual(['done', 'look'])
  })

  it('shows the age of its information while the desk is offline, and sends one further request when the desk is online again', async () => {
    const asOf = new Date(nowMs - 3600_000).toISOString()
    const unasked: LabelLook = { state: 'unasked', label: null, asOf, failure: null }
    desk.world.looks[shipment.id] = unasked
    stage.onStatus(line('offline'))
    await stage.submit('WEB-100412')
    await expect.poll(title).toBe('No return label is known here')
    expect(makeText(stage, null, nowMs).text).toContain('Labels of other desks are known until')
    desk.world.looks = {}
    stage.onStatus(line('offline'))
    expect(looks()).toBe(1)
    stage.onStatus(line('online'))
    await expect.poll(title).toBe('No return label yet')
    stage.onStatus(line('online'))
    expect(looks()).toBe(2)
  })

  it('ignores a late response to the request that an earlier card sent', async () => {
    const other = { ...shipment, id: 'sh-other', reference: 'SHP00000000999', orderReference: 'WEB-999' }
    desk.world.shipments = [shipment, other]
    desk.world.looks[shipment.id] = { state: 'label', label: theirs, asOf: null, failure: null }
    const first = stage.submit('WEB-100412')
    await stage.submit('WEB-999')
    await first
    await expect.poll(() => stage.look.now?.state).toBe('none')
    expect(stage.label).toBeNull()
  })

  it('sends main the id of the cancelled label on the card when the operator requests a new label', async () => {
    const wishes: unknown[] = []
    const { make } = desk.bridge.returnLabel
    begin({
      make: (args) => {
        wishes.push(args.seen)
        return make(args)
      },
    })
    await stage.submit('WEB-100412')
    await stage.primary()
    const own = stage.label
    if (!own) throw new Error('no label')
    desk.putLabel({ ...own, cancelled: true, create: 'done', request: null })
    stage.onLabel(withState({ ...own, cancelled: true, create: 'done', request: null, told: own.told + 1 }))
    clockMs += repeatedReadMs
    await stage.primary()
    expect(wishes).toEqual([null, own.id])
  })
})
