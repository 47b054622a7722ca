import type { WorldOrder, WorldShipment, WorldVariant } from '../world.ts'
import type { Random } from './random.ts'

type WorldOrderLine = WorldOrder['lines'][number]

/** A line of which nothing was shipped yet. */
export function makeOrderLine(random: Random, variant: WorldVariant, quantity: number): WorldOrderLine {
  return {
    variantId: variant.id,
    quantity,
    description: variant.name,
    // the shop sells above what the goods are worth
    price: variant.value === null ? null : Math.round(variant.value * 160) / 100,
    processed: 0,
    packingSlip: quantity,
    serialNumbers: [],
    metaData: random.chance(0.1) ? { gift_wrap: 'yes' } : {},
  }
}

/** What was ordered, by what was sent for it: one line a variant. */
export function shippedLines(
  random: Random,
  sent: readonly WorldShipment[],
  variants: readonly WorldVariant[],
): WorldOrderLine[] {
  const packed = Map.groupBy(
    sent.flatMap((shipment) => shipment.lines),
    (line) => line.variantId,
  )
  return [...packed].flatMap(([id, lines]) => {
    const variant = variants.find((candidate) => candidate.id === id)
    if (variant === undefined) return []
    const quantity = lines.reduce((sum, line) => sum + line.quantity, 0)
    const serialNumbers = lines.flatMap((line) => line.serialNumbers)
    return [{ ...makeOrderLine(random, variant, quantity), processed: quantity, serialNumbers }]
  })
}
