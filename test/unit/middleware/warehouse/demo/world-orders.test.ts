import { describe, expect, it } from 'vitest'
import { orderStatuses } from '#shared/domain/resource-states.ts'
import { addressLimits } from '#shared/wire/address.ts'
import { parseReference } from '#shared/domain/references.ts'
import { makeDemoWorld } from '#middleware/warehouse/demo/world.ts'
import { makeTextPage } from '#middleware/warehouse/demo/documents.ts'
import { inspectPdf } from '#support/inspect-pdf.ts'

const moments = ['2026-03-04T09:30:00Z', '2027-01-01T00:10:00Z', '2030-08-18T23:59:00Z'].map(
  (moment) => new Date(moment),
)
const worlds = moments.map((now, seed) => ({ now, ...makeDemoWorld({ seed: seed + 1, now }) }))

describe('the demo orders', () => {
  it('include, for each customer, at least sixty orders and every order status', () => {
    for (const { customers, orders } of worlds)
      for (const { id } of customers) {
        const own = orders.filter((order) => order.customerId === id)
        expect(own.length).toBeGreaterThanOrEqual(60)
        expect(new Set(own.map(({ status }) => status))).toEqual(new Set(orderStatuses))
        expect(own.filter((order) => order.businessToBusiness).length).toBeGreaterThan(3)
        expect(own.some((order) => order.businessToBusiness && order.documents.length > 0)).toBe(true)
        for (const values of [
          own.map((order) => order.externalReference),
          own.flatMap((order) => order.externalId ?? []),
        ])
          expect(new Set(values).size).toBe(values.length)
      }
  })

  it('are numbered in the order of their creation times, none of which is in the future', () => {
    for (const { now, orders } of worlds) {
      const times = orders.map(({ createdAt }) => Date.parse(createdAt))
      expect(times).toEqual([...times].sort((one, other) => one - other))
      orders.forEach(({ reference, createdAt, modifiedAt }, index) => {
        expect(parseReference(reference)).toMatchObject({ kind: 'order' })
        expect(Number(reference.slice(3))).toBe(index + 1)
        expect(Date.parse(modifiedAt)).toBeGreaterThanOrEqual(Date.parse(createdAt))
        expect(Date.parse(modifiedAt)).toBeLessThanOrEqual(now.getTime())
      })
    }
  })

  it('have shipments only if they are shipped completely or in part; these shipments contain exactly the processed pieces', () => {
    for (const { orders, shipments } of worlds)
      for (const order of orders) {
        const sent = shipments.filter(
          (shipment) =>
            shipment.customerId === order.customerId &&
            shipment.orderExternalReference === order.externalReference,
        )
        const left = order.lines.reduce((sum, line) => sum + line.quantity - line.processed, 0)
        const isOut = order.status === 'shipped' || order.status === 'partially_shipped'
        expect(sent.length > 0).toBe(isOut)
        expect(left === 0).toBe(order.status === 'shipped')
        const pieces = sent.flatMap(({ lines }) => lines).reduce((sum, line) => sum + line.quantity, 0)
        expect(order.lines.reduce((sum, line) => sum + line.processed, 0)).toBe(pieces)
        for (const { createdAt } of sent)
          expect(Date.parse(createdAt)).toBeGreaterThan(Date.parse(order.createdAt))
      }
  })

  it('refer to variants of their own customer and to existing shipping methods', () => {
    for (const { orders, variants, shippingMethods } of worlds) {
      const owners = new Map(variants.map((variant) => [variant.id, variant.customerId]))
      const methods = new Set(shippingMethods.map(({ id }) => id))
      const papers = orders.flatMap(({ documents }) => documents)
      const ids = [...orders, ...papers].map(({ id }) => id)
      expect(new Set(ids).size).toBe(ids.length)
      for (const { customerId, lines, shippingMethodId, shippingAddress, addressInvalid, status } of orders) {
        for (const { variantId } of lines) expect(owners.get(variantId)).toBe(customerId)
        expect(methods).toContain(shippingMethodId)
        expect(shippingAddress.addressedTo.length).toBeLessThanOrEqual(addressLimits.addressed_to)
        expect(addressInvalid).toBe(status === 'invalid_address')
      }
    }
  })
})

describe('a document of a demo order', () => {
  it('is a PDF of one page', async () => {
    const paper = makeTextPage(['Invoice', 'Order (1) \\ é'])
    expect(await inspectPdf(paper)).toEqual({ pages: [{ widthPt: 595, heightPt: 842, rotation: 0 }] })
  })
})
