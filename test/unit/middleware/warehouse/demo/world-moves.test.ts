import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inboundStatuses, inboundTypes, transferStatuses } from '#shared/domain/resource-states.ts'
import { inspectPdf } from '#support/inspect-pdf.ts'
import { makeDemoWorld } from '#middleware/warehouse/demo/world.ts'
import { count } from '#support/counts.ts'

const moments = fc.date({ min: new Date('2025-01-01'), max: new Date('2035-12-31'), noInvalidDate: true })
const drawn = fc.sample(fc.tuple(fc.integer(), moments), { seed: 47, numRuns: count(4, 100) })
const worlds = [[1, new Date('2026-03-04T09:30:00Z')] as const, ...drawn].map(([seed, moment]) => ({
  moment,
  name: `seed ${seed} at ${moment.toISOString()}`,
  world: makeDemoWorld({ seed, now: moment }),
}))

function isUnique(values: readonly string[]): boolean {
  return new Set(values).size === values.length
}

describe.each(worlds)('the demo world of $name', ({ world, moment }) => {
  const variants = new Map(world.variants.map((variant) => [variant.id, variant]))
  const ownerOf = (variantId: string): string | undefined => variants.get(variantId)?.customerId

  it('has for each customer at least sixty inbounds, which together have every status and every type', () => {
    for (const { id } of world.customers) {
      const own = world.inbounds.filter(({ customerId }) => customerId === id)
      expect(own.length).toBeGreaterThanOrEqual(60)
      expect(new Set(own.map(({ status }) => status))).toEqual(new Set(inboundStatuses))
      expect(new Set(own.map(({ type }) => type))).toEqual(new Set(inboundTypes))
      expect(own.some(({ metaData }) => Object.keys(metaData).length > 0)).toBe(true)
    }
  })

  it('has quality controls with and without documents, and only for completed inbounds', () => {
    const controls = world.inbounds.flatMap(({ qualityControls }) => qualityControls)
    expect(controls.some(({ documents }) => documents.length > 1)).toBe(true)
    expect(controls.some(({ documents }) => documents.length === 0)).toBe(true)
    expect(world.inbounds.some(({ qualityControls }) => qualityControls.length > 1)).toBe(true)
    const papers = [...controls, ...world.inbounds].flatMap(({ documents }) => documents)
    expect(isUnique([...controls, ...papers].map(({ id }) => id))).toBe(true)
    for (const inbound of world.inbounds) {
      const seen = inbound.qualityControls.length > 0
      if (seen) expect(inbound.status).toBe('completed')
      for (const { createdAt } of inbound.qualityControls) expect(createdAt > inbound.createdAt).toBe(true)
    }
  })

  it('has a serial number for each received piece of serialised goods', () => {
    for (const { status, lines } of world.inbounds)
      for (const { variantId, quantity, serialNumbers } of lines) {
        const bears = variants.get(variantId)?.usingSerialNumbers === true && status === 'completed'
        expect(serialNumbers).toHaveLength(bears ? quantity : 0)
      }
  })

  it('has at least sixty bundles for each customer, each of different variants of that customer', () => {
    expect(isUnique(world.bundles.map(({ variantId }) => variantId))).toBe(true)
    for (const { id } of world.customers)
      expect(world.bundles.filter(({ customerId }) => customerId === id).length).toBeGreaterThanOrEqual(60)
    for (const { customerId, variantId, items } of world.bundles) {
      expect(items.length).toBeGreaterThanOrEqual(1)
      const parts = items.map((item) => item.variantId)
      expect(isUnique([variantId, ...parts])).toBe(true)
      for (const part of [variantId, ...parts]) expect(ownerOf(part)).toBe(customerId)
    }
  })

  it('has at least sixty transfers from each customer to other customers, and transfers of each customer in every status', () => {
    expect(world.transfers.map(({ serial }) => serial)).toEqual(world.transfers.map((_, index) => index + 1))
    for (const { id } of world.customers) {
      const own = world.transfers.filter(({ customerId }) => customerId === id)
      expect(own.length).toBeGreaterThanOrEqual(60)
      expect(new Set(own.map(({ status }) => status))).toEqual(new Set(transferStatuses))
    }
    for (const { customerId, toCustomerId, status, lines, createdAt } of world.transfers) {
      expect(toCustomerId).not.toBe(customerId)
      expect(Date.parse(createdAt)).toBeLessThan(moment.getTime())
      expect(isUnique(lines.map((line) => line.fromVariantId))).toBe(true)
      for (const line of lines) {
        expect([ownerOf(line.fromVariantId), ownerOf(line.toVariantId)]).toEqual([customerId, toCustomerId])
        const [from, to] = [variants.get(line.fromVariantId), variants.get(line.toVariantId)]
        expect(to?.articleCode).toBe(from?.articleCode)
        expect(line.finalizedQuantity).toBe(status === 'accepted' ? line.quantity : 0)
      }
    }
  })
})

describe('a document of a demo inbound', () => {
  it('is a PDF of one page', async () => {
    const { inbounds } = makeDemoWorld({ seed: 1, now: new Date('2026-03-04T09:30:00Z') })
    const [paper] = inbounds.flatMap(({ documents }) => documents)
    if (paper === undefined) throw new Error('No inbound came with a paper')
    expect(await inspectPdf(paper.content)).toEqual({ pages: [{ widthPt: 595, heightPt: 842, rotation: 0 }] })
  })
})
