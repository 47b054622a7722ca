import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { modificationReasons, modificationStatuses } from '#shared/domain/modification.ts'
import { parseReference } from '#shared/domain/references.ts'
import { makeDemoWorld } from '#middleware/warehouse/demo/world.ts'
import type { World } from '#middleware/warehouse/world.ts'
import { count } from '#support/counts.ts'

const moments = fc.date({ min: new Date('2025-01-01'), max: new Date('2035-12-31'), noInvalidDate: true })
const drawn = fc.sample(fc.tuple(fc.integer(), moments), { seed: 31, numRuns: count(6, 200) })
const worlds = [[1, new Date('2026-03-04T09:30:00Z')] as const, ...drawn].map(([seed, moment]) => ({
  moment,
  name: `seed ${seed} at ${moment.toISOString()}`,
  world: makeDemoWorld({ seed, now: moment }),
}))

function unique(values: readonly string[]): boolean {
  return new Set(values).size === values.length
}

/**
 * Expects that the records of all customers have references of this kind with the numbers 1, 2, 3 …, in the order of
 * their creation.
 */
function expectSequence(rows: readonly { reference: string; createdAt: string }[], kind: string): void {
  expect(rows.map(({ reference }) => parseReference(reference)?.kind)).toEqual(rows.map(() => kind))
  expect(rows.map(({ reference }) => Number(reference.slice(3)))).toEqual(rows.map((_, index) => index + 1))
  const times = rows.map(({ createdAt }) => Date.parse(createdAt))
  expect(times).toEqual(times.toSorted((one, other) => one - other))
}

/** Returns the modifications of each customer. */
function histories({ customers, modifications }: World): World['modifications'][] {
  return customers.map(({ id }) => modifications.filter(({ customerId }) => customerId === id))
}

describe.each(worlds)('the demo stock of $name', ({ world, moment }) => {
  it('consists of lots that arrived with an inbound of the same customer before the present time', () => {
    const variants = new Map(world.variants.map((variant) => [variant.id, variant]))
    expectSequence(world.inbounds, 'inbound')
    for (const inbound of world.inbounds) {
      expect(Date.parse(inbound.createdAt)).toBeLessThan(moment.getTime())
      if (inbound.status === 'completed') expect(inbound.createdAt.startsWith(inbound.inboundDate)).toBe(true)
      expect(unique(inbound.lines.map(({ variantId }) => variantId))).toBe(true)
      for (const line of inbound.lines)
        expect(variants.get(line.variantId)?.customerId).toBe(inbound.customerId)
    }
    for (const batch of world.batches) {
      const inbound = world.inbounds.find(({ id }) => id === batch.inboundId)
      expect(inbound).toMatchObject({ customerId: batch.customerId, createdAt: batch.createdAt })
      const line = inbound?.lines.find(({ variantId }) => variantId === batch.variantId)
      expect(line?.quantity).toBeGreaterThanOrEqual(batch.quantity)
    }
    expect(world.inbounds.some(({ isReturn }) => isReturn)).toBe(true)
    expect(world.inbounds.some(({ note }) => note !== null)).toBe(true)
  })

  it('has bookings at every location for each customer, so that a new desk can learn all locations', () => {
    expectSequence(world.modifications, 'modification')
    const locations = new Set(world.locations.map(({ id }) => id))
    for (const history of histories(world)) {
      expect(history).toHaveLength(64)
      expect(new Set(history.flatMap(({ lines }) => lines.map((line) => line.locationId)))).toEqual(locations)
    }
  })

  it('has bookings with every reason and every status for each customer', () => {
    for (const history of histories(world)) {
      expect(new Set(history.map(({ reason }) => reason))).toEqual(new Set(modificationReasons))
      expect(new Set(history.map(({ status }) => status))).toEqual(new Set(modificationStatuses))
      const open = history.flatMap(({ status }, index) => (status === 'created' ? [index] : []))
      // the newest modifications still wait for a decision
      expect(open).toEqual(open.map((_, index) => history.length - open.length + index))
    }
  })

  it('has bookings only of goods that belong to the customer of the booking', () => {
    const owners = new Map(world.variants.map((variant) => [variant.id, variant.customerId]))
    for (const { customerId, reason, status, note, lines, createdAt, modifiedAt } of world.modifications) {
      expect(note).not.toBe('')
      expect(lines.length).toBeGreaterThanOrEqual(1)
      for (const line of lines) {
        expect(owners.get(line.variantId)).toBe(customerId)
        expect(line.quantity).not.toBe(0)
        if (reason !== 'CORRECTION') expect(line.quantity).toBeLessThan(0)
      }
      expect(modifiedAt >= createdAt).toBe(true)
      expect(Date.parse(modifiedAt)).toBeLessThanOrEqual(moment.getTime())
      if (status === 'created') expect(modifiedAt).toBe(createdAt)
    }
  })

  it('has eight types of locations', () => {
    expect(unique(world.locationTypes.map(({ code }) => code))).toBe(true)
    expect(world.locationTypes).toHaveLength(8)
    expect(world.locationTypes.some(({ pickable }) => pickable)).toBe(true)
    expect(world.locationTypes.some(({ transport }) => transport)).toBe(true)
  })

  it('has unique ids', () => {
    const { inbounds, modifications, locationTypes, batches, variants, locations } = world
    const rows = [inbounds, modifications, locationTypes, batches, variants, locations].flat()
    expect(unique(rows.map(({ id }) => id))).toBe(true)
  })
})
