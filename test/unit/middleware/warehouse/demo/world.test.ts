import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasValidCheckDigit } from '#shared/domain/gtin.ts'
import { parseReference } from '#shared/domain/references.ts'
import { roles } from '#shared/wire/roles.ts'
import { addressLimits } from '#shared/wire/address.ts'
import { carrierFor, carriers } from '#middleware/warehouse/carriers/carriers.ts'
import { makeDemoWorld } from '#middleware/warehouse/demo/world.ts'
import type { World, WorldAddress } from '#middleware/warehouse/world.ts'
import { count } from '#support/counts.ts'

const now = new Date('2026-03-04T09:30:00Z')
const dayMs = 86_400_000

/** Demo data for many seeds and times, created only once. The first data have the seed that the product uses. */
const moments = fc.date({ min: new Date('2025-01-01'), max: new Date('2035-12-31'), noInvalidDate: true })
const drawn = fc.sample(fc.tuple(fc.integer(), moments), { seed: 24, numRuns: count(8, 200) })
const worlds = [[1, now] as const, ...drawn].map(([seed, moment]) => ({
  seed,
  moment,
  world: makeDemoWorld({ seed, now: moment }),
}))

function everyWorld(check: (world: World, now: Date) => void): void {
  for (const { seed, moment, world } of worlds) {
    try {
      check(world, moment)
    } catch (error) {
      throw new Error(`the world of seed ${seed} at ${moment.toISOString()}`, { cause: error })
    }
  }
}

function unique(values: readonly string[]): boolean {
  return new Set(values).size === values.length
}

describe('the demo world', () => {
  it('is the same for the same seed and time, and different for another seed', () => {
    expect(makeDemoWorld({ seed: 1, now })).toEqual(makeDemoWorld({ seed: 1, now }))
    expect(makeDemoWorld({ seed: 2, now }).shipments[0]?.id).not.toBe(
      makeDemoWorld({ seed: 1, now }).shipments[0]?.id,
    )
  })

  it('has 2 customers, 262 articles, 712 variants, 8 shipping methods, 40 locations and 400 shipments', () => {
    everyWorld((world) => {
      const { customers, articles, variants, shippingMethods, locations, shipments } = world
      expect(
        [customers, articles, variants, shippingMethods, locations, shipments].map((rows) => rows.length),
      ).toEqual([2, 262, 712, 8, 40, 400])
      expect(world.wmsCode).toBe('SANDBOX')
      expect(new Set(shippingMethods.map((method) => method.carrier))).toEqual(
        new Set(carriers.map(({ key }) => key)),
      )
    })
  })

  it('has a different id for every row, and references only existing rows', () => {
    everyWorld((world) => {
      const tables = [
        world.customers,
        world.users,
        world.shippingMethods,
        world.articles,
        world.variants,
        world.locations,
      ]
      expect(
        unique([...tables, world.batches, world.shipments].flatMap((rows) => rows.map((row) => row.id))),
      ).toBe(true)
      const articles = new Map(world.articles.map((article) => [article.id, article]))
      const variants = new Map(world.variants.map((variant) => [variant.id, variant]))
      const customers = new Set(world.customers.map((customer) => customer.id))
      const methods = new Set(world.shippingMethods.map((method) => method.id))
      const locations = new Set(world.locations.map((location) => location.id))
      for (const article of world.articles) expect(customers).toContain(article.customerId)
      for (const variant of world.variants)
        expect(articles.get(variant.articleId)?.customerId).toBe(variant.customerId)
      for (const batch of world.batches) {
        expect(variants.get(batch.variantId)?.customerId).toBe(batch.customerId)
        expect(locations).toContain(batch.locationId)
      }
      for (const shipment of world.shipments) {
        expect(methods).toContain(shipment.shippingMethodId)
        for (const line of shipment.lines)
          expect(variants.get(line.variantId)?.customerId).toBe(shipment.customerId)
      }
      for (const customer of world.customers)
        if (customer.returnShippingMethodId !== null)
          expect(methods).toContain(customer.returnShippingMethodId)
      const withVariants = new Set(world.variants.map((variant) => variant.articleId))
      expect(withVariants.size).toBe(world.articles.length)
    })
  })

  it('has variants with a valid EAN, variants with only an SKU, and variants with neither', () => {
    everyWorld(({ variants, customers }) => {
      const eans = variants.flatMap((variant) => (variant.ean === null ? [] : [variant.ean]))
      expect(eans.filter((ean) => !/^\d{13}$/.test(ean) || !hasValidCheckDigit(ean))).toEqual([])
      expect(unique(eans)).toBe(true)
      for (const start of ['87', '40', '37', '54', '0'])
        expect(eans.some((ean) => ean.startsWith(start))).toBe(true)
      expect(unique(variants.flatMap((variant) => (variant.sku === null ? [] : [variant.sku])))).toBe(true)
      for (const { id } of customers)
        expect(unique(variants.filter((v) => v.customerId === id).map((v) => v.articleCode))).toBe(true)
      expect(variants.some((variant) => variant.ean === null && variant.sku !== null)).toBe(true)
      expect(variants.some((variant) => variant.ean === null && variant.sku === null)).toBe(true)
      expect(variants.some((variant) => variant.ean !== null && variant.sku === null)).toBe(true)
      expect(variants.filter((variant) => variant.name.length > 100).length).toBeGreaterThan(5)
      expect(variants.some((variant) => /[éèöüåø]/.test(variant.name))).toBe(true)
    })
  })

  it('has lots that are expired, that expire soon, that expire later and that never expire', () => {
    everyWorld(({ batches, variants, locations, inbounds: received }, moment) => {
      const inbounds = new Map(received.map((inbound) => [inbound.id, inbound]))
      const days = batches.flatMap(({ expirationDate }) =>
        expirationDate === null ? [] : [(Date.parse(expirationDate) - moment.getTime()) / dayMs],
      )
      expect(days.some((day) => day < -1)).toBe(true)
      expect(days.some((day) => day >= 0 && day <= 30)).toBe(true)
      expect(days.some((day) => day > 330)).toBe(true)
      expect(batches.some((batch) => batch.expirationDate === null)).toBe(true)
      const expirable = new Set(variants.filter((variant) => variant.expirable).map((variant) => variant.id))
      for (const batch of batches) {
        expect(expirable.has(batch.variantId)).toBe(batch.expirationDate !== null)
        expect(batch.quantity).toBeGreaterThanOrEqual(0)
        expect(inbounds.get(batch.inboundId)?.customerId).toBe(batch.customerId)
        expect(Date.parse(batch.createdAt)).toBeLessThan(moment.getTime())
      }
      expect(unique(locations.map((location) => location.code))).toBe(true)
      expect(locations.some((location) => location.code === 'A-01-01' && location.pickable)).toBe(true)
      expect(locations.some((location) => !location.pickable)).toBe(true)
    })
  })
})

describe('the demo shipments', () => {
  it('are in the order of their creation times, all within the last 120 days', () => {
    everyWorld(({ shipments }, moment) => {
      expect(unique(shipments.map((shipment) => shipment.reference))).toBe(true)
      const times = shipments.map((shipment) => Date.parse(shipment.createdAt))
      expect(times).toEqual([...times].sort((one, other) => one - other))
      expect(Math.max(...times)).toBeLessThan(moment.getTime())
      expect(Math.min(...times)).toBeGreaterThan(moment.getTime() - 120 * dayMs)
      for (const { reference } of shipments) expect(parseReference(reference)?.kind).toBe('shipment')
    })
  })

  it('have unique codes that their own carrier accepts', () => {
    everyWorld(({ shipments, shippingMethods }) => {
      const methods = new Map(shippingMethods.map((method) => [method.id, method]))
      for (const shipment of shipments) {
        const carrier = carrierFor(methods.get(shipment.shippingMethodId)?.carrier ?? '')
        expect(shipment.labels.length).toBeGreaterThan(0)
        for (const label of shipment.labels) expect(carrier.isTrackingCode(label.trackingCode)).toBe(true)
      }
      const labels = shipments.flatMap((shipment) => shipment.labels)
      expect(unique(labels.map((label) => label.trackingCode))).toBe(true)
      expect(labels.length).toBeGreaterThan(shipments.length)
    })
  })

  it('have one to five lines each, and a serial number for each serialised piece', () => {
    everyWorld(({ shipments, variants }) => {
      const serialised = new Set(variants.filter((variant) => variant.usingSerialNumbers).map(({ id }) => id))
      for (const { lines } of shipments) {
        expect(lines.length).toBeGreaterThanOrEqual(1)
        expect(lines.length).toBeLessThanOrEqual(5)
        expect(unique(lines.map((line) => line.variantId))).toBe(true)
        for (const line of lines)
          expect(line.serialNumbers).toHaveLength(serialised.has(line.variantId) ? line.quantity : 0)
      }
      const serials = shipments.flatMap(({ lines }) => lines.flatMap((line) => line.serialNumbers))
      expect(serials.length).toBeGreaterThan(5)
      expect(unique(serials)).toBe(true)
    })
  })

  it('belong to orders of one or two shipments; at least two orders have two shipments, which have the same customer and the same address', () => {
    everyWorld(({ shipments }) => {
      const orders = [...Map.groupBy(shipments, (shipment) => shipment.orderExternalReference).values()]
      const shared = orders.filter((parts) => parts.length > 1)
      expect(shared.length).toBeGreaterThanOrEqual(2)
      for (const parts of shared) {
        expect(parts).toHaveLength(2)
        expect(new Set(parts.map((part) => part.customerId)).size).toBe(1)
        expect(parts[0]?.shippingAddress).toEqual(parts[1]?.shippingAddress)
      }
    })
  })

  it('have valid addresses in six countries', () => {
    const zips: Readonly<Record<string, RegExp>> = {
      NL: /^[1-9]\d{3} [A-Z]{2}$/,
      BE: /^[1-9]\d{3}$/,
      DE: /^\d{5}$/,
      FR: /^\d{5}$/,
      GB: /^[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}$/,
      US: /^\d{5}(-\d{4})?$/,
    }
    everyWorld(({ shipments }) => {
      const addresses = shipments.map((shipment) => shipment.shippingAddress)
      expect(new Set(addresses.map((address) => address.country))).toEqual(new Set(Object.keys(zips)))
      for (const address of addresses) {
        expect(address.zipcode).toMatch(zips[address.country] ?? /never/)
        expect(tooLong(address)).toEqual([])
        expect(address.emailAddress).toMatch(/^[a-z.]+@mail\.example$/)
      }
    })
  })
})

/** Returns the fields that exceed the limits of API.md 1.11. */
function tooLong(address: WorldAddress): string[] {
  const lengths = {
    addressed_to: address.addressedTo,
    contact_person: address.contactPerson,
    street: address.street,
    street2: address.street2,
    street_number: address.streetNumber,
    street_number_addition: address.streetNumberAddition,
    city: address.city,
    state: address.state,
  }
  return Object.entries(addressLimits).flatMap(([field, limit]) =>
    Object.entries(lengths).some(([name, value]) => name === field && (value?.length ?? 0) > limit)
      ? [field]
      : [],
  )
}

describe('the demo world of seed 1', () => {
  const world = makeDemoWorld({ seed: 1, now })

  it('has a user with all roles and customers, a user with only read roles, and a user of only one customer', () => {
    const users = new Map(world.users.map((user) => [user.username, user]))
    expect(users.get('desk')).toMatchObject({
      password: 'scandesk',
      roles,
      customerIds: world.customers.map((c) => c.id),
    })
    expect(users.get('reader')?.roles.every((role) => role.endsWith('_READ'))).toBe(true)
    expect(users.get('reader')?.roles.length).toBeGreaterThan(3)
    expect(users.get('zilver')?.customerIds).toHaveLength(1)
  })

  it('has a shipping method for every label layout, and one method without return labels', () => {
    const layouts = new Set(world.shippingMethods.map((method) => method.labelLayout))
    expect(layouts).toEqual(new Set(['4x6', 'a6', 'sheet', 'rotated']))
    expect(world.shippingMethods.filter((method) => !method.supportsReturnLabels)).toHaveLength(1)
    expect(unique(world.shippingMethods.map((method) => method.shipperCode))).toBe(true)
    expect(unique(world.shippingMethods.map((method) => method.code))).toBe(true)
    const used = new Set(world.shipments.map((shipment) => shipment.shippingMethodId))
    expect(used.size).toBe(8)
  })
})
