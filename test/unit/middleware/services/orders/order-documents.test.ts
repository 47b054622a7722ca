import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readingAtMost, TooMuchToRead } from '#middleware/data/engine/reading-limit.ts'
import { addOrderDocument, listOrderDocuments } from '#middleware/services/orders/order-documents.ts'
import { smallOrders } from '#support/small-orders.ts'
import { startWarehouseBench, type WarehouseBench } from '#support/warehouse-bench.ts'

let bench: WarehouseBench
beforeEach(async () => {
  bench = await startWarehouseBench()
})
afterEach(() => bench.close())

const id = smallOrders.byStatus('created')
const document = {
  content: Buffer.from('%PDF-'),
  title: 'a.pdf',
  quantity: 1,
  isShippingLabel: false,
  orderPrice: null,
  labelType: null,
}
const add = (): ReturnType<typeof addOrderDocument> =>
  addOrderDocument(bench.context, bench.alder, { id, document })

/** Stores documents of an order that has no documents yet. */
async function store(count: number): Promise<void> {
  const numbers = `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})`
  await bench.rows(
    `insert into documents (id, customer_id, title, mime_type, document_type, created_at, content)
     ${numbers} select 'document-' || n, '${bench.alder.id}', 't', 'm', 'order_document', '', '' from numbers where 1
     returning id`,
  )
  await bench.rows(
    `insert into order_documents (order_id, position, document_id, quantity, is_shipping_label)
     ${numbers} select '${id}', n, 'document-' || n, 1, 0 from numbers where 1 returning position`,
  )
}

describe('a further document of an order', () => {
  it('is stored without reading the order’s earlier documents', async () => {
    await store(900)
    const added = await readingAtMost(5000, add)
    expect(added).toMatchObject({ order_id: id, position: 901, title: 'a.pdf', mime_type: 'application/pdf' })
    await expect(
      readingAtMost(5000, () => listOrderDocuments(bench.context, bench.alder, id)),
    ).rejects.toBeInstanceOf(TooMuchToRead)
  })

  it('is refused if the order has 1000 documents, until a document is deleted', async () => {
    await store(999)
    await add()
    await expect(add()).rejects.toMatchObject({
      kind: 'invalid',
      message: 'An order has at most 1000 documents.',
    })
    expect(await listOrderDocuments(bench.context, bench.alder, id)).toHaveLength(1000)
    await bench.rows(`delete from order_documents where document_id = 'document-7' returning position`)
    expect(await add()).toMatchObject({ position: 1001 })
  })
})
