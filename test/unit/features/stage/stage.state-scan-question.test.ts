import { beforeEach, describe, expect, it, vi } from 'vitest'
import { StageState } from '#features/stage/stage.state.svelte.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { sampleVariants } from '#support/memory-desk/catalogue.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { sampleShipment } from '#support/memory-desk/scans.ts'
import { signedIn } from '#support/memory-desk/station.ts'

const nowMs = Date.parse('2026-11-21T14:07:00Z')

let desk: MemoryDesk
let sounds: string[]
let stage: StageState

function begin(): void {
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
}

beforeEach(() => {
  desk = new MemoryDesk({ ...memoryWorld(() => nowMs), shipments: [sampleShipment(nowMs)] })
  sounds = []
  begin()
})

describe('an ambiguous code on the stage', () => {
  beforeEach(() => {
    const [first] = sampleVariants(nowMs)
    if (!first) throw new Error('no variant')
    desk.world.variants = [{ ...first, articleCode: 'WEB-100412' }]
  })

  it('leads to a question for its meaning, and the choice is stored until the operator withdraws it', async () => {
    await stage.submit('WEB-100412')
    if (stage.card.kind !== 'ambiguous') throw new Error(stage.card.kind)
    expect(stage.card.outcome.candidates.map(({ kind }) => kind)).toEqual(['shipment', 'article'])
    expect(sounds).toEqual(['decide'])
    expect(stage.primaryAction).toBeNull()
    const article = stage.card.outcome.candidates[1]
    if (!article) throw new Error('no article')
    const chosen = stage.choose(article)
    expect(stage.question.busy).toBe(true)
    await chosen
    expect(stage.question.busy).toBe(false)
    expect(stage.card.kind).toBe('article')
    expect(stage.recent.map(({ kind }) => kind)).toEqual(['article'])
    await stage.submit('web-100412')
    expect(stage.card.kind).toBe('article')
    expect(stage.remembered).toMatchObject({ kind: 'article', code: 'WEB-100412' })
    await stage.forget()
    expect(stage.remembered).toBeNull()
    expect(stage.card.kind).toBe('ambiguous')
    stage.home()
    expect(stage.remembered).toBeNull()
  })

  it('gets the meaning of the choice whose digit the operator scans, and a digit that belongs to no choice is refused', async () => {
    await stage.submit('WEB-100412')
    for (const digit of ['SDCMDZERO', 'SDCMDTHREE']) await stage.submit(digit)
    expect(stage.card.kind).toBe('ambiguous')
    expect(sounds).toEqual(['decide', 'look', 'look'])
    await stage.submit('SDCMDTWO')
    expect(stage.card.kind).toBe('article')
    // the scanner reads the barcode a second time, when no question is open any more
    await stage.submit('SDCMDONE')
    expect(stage.card.kind).toBe('article')
    expect(sounds).toEqual(['decide', 'look', 'look', 'done', 'look'])
  })

  it('gets a choice that applies to this code alone, unless the operator has ticked that it applies to all codes of the same pattern', async () => {
    const chosen = vi.spyOn(desk.bridge.scan, 'choose')
    begin()
    await stage.submit('WEB-100412')
    stage.question.forShape = true
    await stage.submit('SDCMDONE')
    await stage.forget()
    expect(stage.card.kind).toBe('ambiguous')
    expect(stage.question.forShape).toBe(false)
    await stage.submit('SDCMDTWO')
    expect(chosen.mock.calls.map(([{ kind, forShape }]) => [kind, forShape])).toEqual([
      ['shipment', true],
      ['article', false],
    ])
  })

  it('leads to a card with the failure when the choice cannot be stored', async () => {
    await stage.submit('WEB-100412')
    if (stage.card.kind !== 'ambiguous') throw new Error(stage.card.kind)
    const [first] = stage.card.outcome.candidates
    desk.world.failures['scan:choose'] = failure('store.full')
    if (first) await stage.choose(first)
    expect(stage.card).toMatchObject({ kind: 'failed', saved: true, failure: { code: 'store.full' } })
    expect(sounds.at(-1)).toBe('stop')
  })
})
