import { reservingOrderStatuses } from '#shared/domain/resource-states.ts'
import { linesOfModification } from '../../data/moves/modifications.ts'
import { linesOfTransfers } from '../../data/moves/transfers.ts'
import type { ModificationTable, TransferTable } from '../../data/schema/moves.ts'
import { piecesOutsideQuarantine } from '../../data/warehouse-due.ts'
import { Refusal } from '../../services/refusal.ts'
import { type Floor, promisedPieces } from './floor.ts'

/**
 * Maximum number of pieces in a line of a modification. A modification with more pieces in a line cannot be the
 * correction of a counting error.
 */
const mostPieces = 1000

/**
 * Approves a modification that is plausible and possible, and disapproves any other. Always returns true: the
 * modification was decided.
 */
export async function decideModification(
  { database, port }: Floor,
  { id }: ModificationTable,
): Promise<boolean> {
  const lines = await linesOfModification(database, id)
  const isPlausible = lines.every(({ quantity }) => Math.abs(quantity) <= mostPieces)
  const isPossible = isPlausible && (await wentThrough(port.approveModification(id)))
  if (!isPossible) await port.disapproveModification(id)
  return true
}

/**
 * Begins a requested transfer. If a transfer has begun, accepts it when enough pieces are free (outside quarantine, and
 * not reserved by an order), and otherwise denies it. Always returns true: the transfer was moved.
 */
export async function moveTransfer(floor: Floor, transfer: TransferTable): Promise<boolean> {
  const { port } = floor
  if (transfer.status === 'requested') {
    await port.beginTransfer(transfer.id)
    return true
  }
  const isAccepted = (await areFree(floor, transfer)) && (await wentThrough(port.acceptTransfer(transfer.id)))
  if (!isAccepted) await port.denyTransfer(transfer.id)
  return true
}

async function areFree(floor: Floor, { id }: TransferTable): Promise<boolean> {
  const { database } = floor
  const lines = await linesOfTransfers(database, [id])
  const ids = lines.map((line) => line.from_variant_id)
  const lying = await piecesOutsideQuarantine(database, ids, null)
  const promised = await promisedPieces(floor, ids, reservingOrderStatuses, '')
  return lines.every(
    ({ from_variant_id: variantId, quantity }) =>
      (lying.get(variantId) ?? 0) - (promised.get(variantId) ?? 0) >= quantity,
  )
}

/**
 * Waits for a call of `WarehousePort`. Returns false if the call was refused because pieces are missing or are in too
 * many lots.
 */
async function wentThrough(call: Promise<void>): Promise<boolean> {
  try {
    await call
    return true
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'invalid') return false
    throw error
  }
}
