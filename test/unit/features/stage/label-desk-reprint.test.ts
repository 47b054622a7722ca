import { labelIdOf } from '#support/ids.ts'
import type { LabelId } from '#shared/domain/ids.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { phaseText } from '#features/stage/label-card-words.ts'
import { StageState } from '#features/stage/stage.state.svelte.ts'
import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { printedLabel } from '#support/memory-desk/labels.ts'
import { withState } from '#support/memory-desk/memory-core.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { heldPrint, printsOf, withPrints } from '#support/memory-desk/prints.ts'
import { sampleShipment } from '#support/memory-desk/scans.ts'
import { sampleStatus, signedIn } from '#support/memory-desk/station.ts'

const nowMs = Date.parse('2026-11-21T14:07:00Z')
const printed = printedLabel(nowMs)
type Print = NonNullable<ReturnLabelView['print']>

let desk: MemoryDesk
let sounds: string[]
let stage: StageState

function withPrint(change: Partial<Print> | null): ReturnLabelView {
  return withState({ ...printed, print: change && printed.print && { ...printed.print, ...change } })
}

async function show(label: ReturnLabelView): Promise<void> {
  desk.world.labels = [label]
  stage.labels.put(label)
  await stage.submit('SHP00000000412')
  sounds = []
}

beforeEach(() => {
  desk = new MemoryDesk({ ...memoryWorld(() => nowMs), shipments: [sampleShipment(nowMs)] })
  sounds = []
  stage = new StageState({
    bridge: desk.bridge,
    session: () => signedIn,
    play: (sound) => sounds.push(sound),
    onCommand: () => undefined,
    onRefused: () => sounds.push('look'),
    onTooSoon: () => sounds.push('look'),
    nowMs: () => performance.now(),
    isShown: () => true,
    openForm: () => undefined,
    onBooking: () => undefined,
  })
  desk.bridge.on('returnLabel', (label) => {
    stage.onLabel(label)
  })
})

describe('REPRINT on the stage', () => {
  it.each(['sent', 'spooled', 'confirmed', 'scan_confirmed'] as const)(
    'asks for a reason when the print of the label is %s',
    async (state) => {
      await show(withPrint({ state }))
      await stage.submit('SDCMDREPRINT')
      expect(stage.labels.question).toBe('reprint')
      expect(desk.world.reprinted).toEqual([])
      expect(sounds).toEqual(['decide'])
      await stage.submit('SDCMDDAMAGED')
      expect(desk.world.reprinted).toEqual([{ id: 'lb-1', reason: 'damaged' }])
      expect(stage.labels.question).toBeNull()
    },
  )

  it.each([
    ['GONE', 'lost'],
    ['FAINT', 'misprint'],
    ['OTHER', 'other'],
  ])('takes the command %s as the reason %s', async (command, reason) => {
    await show(withPrint({}))
    await stage.runAct('reprint')
    await stage.submit(`SDCMD${command}`)
    expect(desk.world.reprinted).toEqual([{ id: 'lb-1', reason }])
  })

  it('leads to one print even if it is scanned three times and the reason is scanned twice', async () => {
    await show(withPrint({}))
    for (let i = 0; i < 3; i++) await stage.submit('SDCMDREPRINT')
    expect(stage.labels.question).toBe('reprint')
    expect(sounds).toEqual(['decide', 'decide', 'decide'])
    await Promise.all([stage.submit('SDCMDGONE'), stage.submit('SDCMDGONE')])
    await stage.submit('SDCMDGONE')
    expect(desk.world.reprinted).toHaveLength(1)
  })

  it('prints nothing if only a reason is scanned, or if Enter is pressed instead of a reason', async () => {
    await show(withPrint({}))
    await stage.submit('SDCMDDAMAGED')
    await stage.submit('SDCMDREPRINT')
    await stage.primary()
    expect(desk.world.reprinted).toEqual([])
    expect(sounds).toEqual(['look', 'decide', 'look'])
  })

  it('is cancelled by HOME, and the card stays open', async () => {
    await show(withPrint({}))
    await stage.runAct('reprint')
    await stage.submit('SDCMDHOME')
    expect(stage.labels.question).toBeNull()
    expect(stage.card.kind).toBe('shipment')
    await stage.runAct('reprint')
    await stage.runAct('as_is')
    expect(stage.labels.question).toBeNull()
    expect(desk.world.reprinted).toEqual([])
  })

  it('no longer asks for a reason after another print of the label was added', async () => {
    await show(withPrint({}))
    await stage.runAct('reprint')
    desk.putLabel(withPrint({ id: 'pj-2', state: 'queued' }))
    expect(stage.labels.question).toBeNull()
    desk.putLabel(withPrint({ id: 'pj-2', state: 'confirmed' }))
    expect(stage.labels.question).toBeNull()
  })

  it.each<[string, Partial<Print> | null, string | null]>([
    ['never', null, null],
    ['refused', { state: 'refused' }, null],
    ['given up', { state: 'failed', failure: failure('printer.given_up') }, null],
    ['perhaps', { state: 'unknown' }, 'not_out'],
  ])(
    'prints a label without a question if it is not certain that its paper came out: %s',
    async (_, print, reason) => {
      await show(withPrint(print))
      await stage.submit('SDCMDREPRINT')
      expect(desk.world.reprinted).toEqual([{ id: 'lb-1', reason }])
    },
  )
})

describe('the card of a printed label on the stage', () => {
  const textOf = (change: Partial<Print>, phase: ReturnLabelView['phase']): string => {
    const label = withPrint(change)
    expect(label.phase).toBe(phase)
    return phaseText(label)
  }

  it('says that a second print has the mark COPY, but no longer says so after the second print was scanned', () => {
    expect(textOf({ isReprint: true }, 'printed')).toContain('COPY')
    expect(textOf({ isReprint: true, state: 'sent' }, 'sent')).toContain('COPY')
    expect(textOf({}, 'printed')).not.toContain('COPY')
    expect(textOf({ isReprint: true, state: 'scan_confirmed' }, 'scanned')).not.toContain('COPY')
  })

  it('plays one sound and asks for a decision when a print of this label is held; REPRINT prints nothing until the decision', async () => {
    await show(withPrint({ state: 'queued' }))
    expect(stage.phase).toBe('working')
    const held = heldPrint(nowMs, { kind: 'nothing_readable' })
    desk.world.status = withPrints(sampleStatus(nowMs), printsOf([held]))
    desk.putLabel(withPrint({ state: 'queued' }))
    desk.putLabel(withPrint({ state: 'queued' }))
    expect(stage.phase).toBe('print_held')
    expect(sounds).toEqual(['decide'])
    await stage.submit('SDCMDREPRINT')
    await stage.primary()
    expect(desk.world.reprinted).toEqual([])
    desk.world.status = sampleStatus(nowMs)
    desk.putLabel(withPrint({ state: 'queued' }))
    expect(stage.phase).toBe('working')
  })
})

describe('a label that is scanned on the stage', () => {
  const scan = async (swap: { labelId: LabelId; title: string } | null): Promise<void> => {
    desk.world.labels = [withPrint({ state: 'scan_confirmed' })]
    desk.world.swap = swap
    await stage.submit('3SRETR7654321')
  }

  it('leads to a warning that names the label with which it may have been swapped, and to the sound `look`', async () => {
    const swap = { labelId: labelIdOf('lb-9'), title: 'SHP00000000398' }
    await scan(swap)
    expect(stage.card).toMatchObject({ kind: 'label', labelId: 'lb-1', swap })
    expect(sounds).toEqual(['look'])
  })

  it('shows no warning about swapped labels when its card is shown again later', async () => {
    await scan({ labelId: labelIdOf('lb-9'), title: 'SHP00000000398' })
    const [entry] = stage.recent
    if (!entry) throw new Error('nothing was scanned')
    await stage.bringBack(entry)
    expect(stage.card).toMatchObject({ kind: 'label', swap: null })
  })

  it('plays the sound `done` when the scanned label is the one that was printed last', async () => {
    await scan(null)
    expect(sounds).toEqual(['done'])
    expect(stage.phase).toBe('scanned')
  })
})
