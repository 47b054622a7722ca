import { beforeEach, describe, expect, it } from 'vitest'
import type { AmbiguousOutcome, ScanCandidate } from '#shared/bridge/scan-views.ts'
import { ScanQuestion } from '#place/scan-question.svelte.ts'
import { sampleVariants } from '#support/memory-desk/catalogue.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { sampleShipment } from '#support/memory-desk/scans.ts'

const nowMs = Date.parse('2026-11-21T14:07:00Z')

let desk: MemoryDesk

/** A scan that matches a shipment and an article. */
async function scanned(): Promise<AmbiguousOutcome> {
  const result = await desk.bridge.scan.submit({ raw: 'WEB-100412', expect: 'anything' })
  if (!result.ok || result.value.kind !== 'ambiguous') throw new Error('not ambiguous')
  return result.value
}

function secondOf({ candidates }: AmbiguousOutcome): ScanCandidate {
  const [, second] = candidates
  if (!second) throw new Error('one candidate')
  return second
}

beforeEach(() => {
  const [first] = sampleVariants(nowMs)
  if (!first) throw new Error('no variant')
  desk = new MemoryDesk({
    ...memoryWorld(() => nowMs),
    shipments: [sampleShipment(nowMs)],
    variants: [{ ...first, articleCode: 'WEB-100412' }],
  })
})

describe('the question about a scan with several meanings', () => {
  it('offers only the new choices if the same scan causes a question again', async () => {
    const asked = await scanned()
    const question = new ScanQuestion(desk.bridge)
    question.ask(asked)
    question.forShape = true
    const second = secondOf(asked)
    question.ask({ ...asked, candidates: [second] })
    expect(question.pointedAt('ONE')).toBe(second)
    expect(question.pointedAt('TWO')).toBeNull()
    expect(question.forShape).toBe(false)
  })

  it('is busy while its answer is being sent, but not while the answer to an earlier question is being sent', async () => {
    const answers: (() => void)[] = []
    const { bridge } = desk
    const question = new ScanQuestion({
      ...bridge,
      scan: {
        ...bridge.scan,
        choose: async (args) => {
          await new Promise<void>((resolve) => answers.push(resolve))
          return bridge.scan.choose(args)
        },
      },
    })
    const [before, now] = [await scanned(), await scanned()]
    question.ask(before)
    const first = question.choose(before, secondOf(before))
    expect(question.busy).toBe(true)
    question.ask(now)
    expect(question.busy).toBe(false)
    const second = question.choose(now, secondOf(now))
    answers[0]?.()
    await first
    expect(question.busy).toBe(true)
    answers[1]?.()
    await second
    expect(question.busy).toBe(false)
  })
})
