import { describe, expect, it } from 'vitest'
import { makeDemoWorld } from '#middleware/warehouse/demo/world.ts'
import { sandbox } from '#shared/domain/sandbox.ts'
import { count } from '#support/counts.ts'

describe('the example shipment of the sandbox', () => {
  it('exists on any day, with a shipping method that supports return labels', () => {
    for (let week = 0; week < count(3, 50); week++) {
      const now = new Date(Date.UTC(2026, 0, 5 + week * 45 + (week % 7), 9 + week))
      const world = makeDemoWorld({ seed: 1, now })
      const shipment = world.shipments.find(({ reference }) => reference === sandbox.exampleShipment)
      const customer = world.customers.find(({ id }) => id === shipment?.customerId)
      const method = world.shippingMethods.find(({ id }) => id === shipment?.shippingMethodId)
      expect(customer?.code).toBe(sandbox.customerCode)
      expect(method?.supportsReturnLabels).toBe(true)
    }
  })
})
