import { settleReservation } from '../../data/goods/ledger.ts'
import type { Subject, Unit } from '../unit.ts'

/** Notes that an order was made, or its status or lines changed: what it speaks for follows, and webhooks are told. */
export async function orderChanged(
  unit: Unit,
  order: Subject,
  happened: 'created' | 'updated' = 'updated',
): Promise<void> {
  const posting = { kind: 'order', causeId: order.id, now: unit.now } as const
  const variants = await settleReservation(unit.connection, order.id, posting)
  unit.changed('order', happened, order)
  await unit.stockChanged(order.customerId, variants)
}
