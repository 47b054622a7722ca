import { describe, expect, it } from 'vitest'
import { orderReferences, shipment } from '#shared/wire/shipment.ts'
import { scriptedShipment } from '#support/scripted-records.ts'

const withOrders = (orders: unknown): object => ({ ...scriptedShipment(1), order_external_reference: orders })

describe('the order references of a shipment', () => {
  it('are read from a list, or from a text with several references', () => {
    const read = shipment.parse(withOrders(['WEB-1', 'WEB-2']))
    expect(orderReferences(read)).toEqual(['WEB-1, WEB-2', 'WEB-1', 'WEB-2'])
    expect(orderReferences(shipment.parse(withOrders('WEB-1')))).toEqual(['WEB-1'])
  })

  it('are accepted as a list of at most 250; a text with more than 100 is returned as a whole and as its first 100 references', () => {
    const many = (count: number): string[] => Array.from({ length: count }, (_, at) => `W${at}`)
    expect(shipment.safeParse(withOrders(many(250))).success).toBe(true)
    expect(shipment.safeParse(withOrders(many(251))).success).toBe(false)
    const read = shipment.parse(withOrders(many(50_000).join(', ')))
    expect(orderReferences(read)).toHaveLength(101)
  })
})
