import { expect, it } from 'vitest'
import { MemoryDesk } from '#bridge/memory-bridge.ts'
import { memoryWorld } from '#bridge/memory-world.ts'
import { sampleVariants } from '#bridge/sample-stock.ts'
import { sampleShipment } from '#bridge/sample-views.ts'
import { ScanQuestion } from '#bridge/scan-question.svelte.ts'

const nowMs = Date.parse('2026-11-21T14:07:00Z')

it('points at the choices of today where the same scan is asked about again', async () => {
  const [first] = sampleVariants(nowMs)
  if (!first) throw new Error('no variant')
  const desk = new MemoryDesk({
    ...memoryWorld(() => nowMs),
    shipments: [sampleShipment(nowMs)],
    variants: [{ ...first, articleCode: 'WEB-100412' }],
  })
  const scanned = await desk.bridge.scan.submit({ raw: 'WEB-100412', expect: 'anything' })
  if (!scanned.ok || scanned.value.kind !== 'ambiguous') throw new Error('not ambiguous')
  const question = new ScanQuestion(desk.bridge)
  question.ask(scanned.value)
  question.forShape = true
  const [, second] = scanned.value.candidates
  if (!second) throw new Error('one candidate')
  question.ask({ ...scanned.value, candidates: [second] })
  expect(question.pointedAt('ONE')).toBe(second)
  expect(question.pointedAt('TWO')).toBeNull()
  expect(question.forShape).toBe(false)
})
