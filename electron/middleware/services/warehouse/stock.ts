import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { canMoveModification, type ModificationStatus } from '#shared/domain/modification.ts'
import { canMoveTransfer, type TransferStatus } from '#shared/domain/resource-states.ts'
import type { WebhookGroup } from '#shared/domain/webhook-topics.ts'
import { findAnyArticle, markArticleDeleted } from '../../data/goods/articles.ts'
import { anyLot, findAnyBatch, lastLotToTake } from '../../data/goods/batches.ts'
import {
  type ChangedLocation,
  findLocations,
  lotsToNote,
  moveNoted,
  nextChangedLocation,
  putLocation,
} from '../../data/goods/locations.ts'
import {
  findAnyVariants,
  markVariantsDeleted,
  type VariantKey,
  variantKeysOf,
  variantsInUse,
} from '../../data/goods/variants.ts'
import {
  decideModification,
  findAnyModification,
  linesOfModification,
} from '../../data/moves/modifications.ts'
import {
  changeTransfer,
  finalizeTransferLines,
  findAnyTransfer,
  linesOfTransfers,
} from '../../data/moves/transfers.ts'
import type { LocationTable, VariantTable } from '../../data/schema/goods.ts'
import type { ModificationTable, TransferTable } from '../../data/schema/moves.ts'
import { type ServiceContext, transact } from '../context.ts'
import { invalidField, Refusal } from '../refusal.ts'
import { type EventBody, hasManyEventPortions, readEventBody, type Unit } from '../unit.ts'
import { LotMoves, requirePieces } from './lots.ts'
import type { LotMove, StockCorrection } from './port.ts'

export async function approveModification(unit: Unit, id: string): Promise<void> {
  const modification = await undecided(unit, id, 'approved')
  if (modification === null) return
  const lines = await linesOfModification(unit.connection, id)
  const corrections = lines.map((line): StockCorrection => {
    const { variant_id: variantId, location_id: locationId, quantity } = line
    return { variantId, locationId, quantity, expirationDate: null }
  })
  const moves = new LotMoves(unit, 'modification', id)
  const named = await readNamed(unit, corrections)
  for (const [index, correction] of corrections.entries())
    await correct(unit, moves, { ...correction, named }, `modification_lines.${index}.quantity`)
  await decide(unit, modification, 'approved')
  await moves.tell()
}

export async function disapproveModification(unit: Unit, id: string): Promise<void> {
  const modification = await undecided(unit, id, 'disapproved')
  if (modification !== null) await decide(unit, modification, 'disapproved')
}

/**
 * Returns the modification to decide about, or null if it already has the status `to`. Refused with `too_late` if the
 * modification has the opposite decision.
 */
async function undecided(unit: Unit, id: string, to: ModificationStatus): Promise<ModificationTable | null> {
  const modification = await findAnyModification(unit.connection, id)
  if (modification === null) throw new Refusal('not_found', 'Modification not found.')
  if (modification.status === to) return null
  if (!canMoveModification(modification.status, to))
    throw new Refusal('too_late', `The status of this modification is ${modification.status}.`)
  return modification
}

async function decide(
  unit: Unit,
  { id, customer_id: customerId }: ModificationTable,
  to: 'approved' | 'disapproved',
): Promise<void> {
  await decideModification(unit.connection, id, to, unit.now)
  unit.changed('modification', 'updated', { customerId, id })
  unit.changed('modification', to, { customerId, id })
}

export async function beginTransfer(unit: Unit, id: string): Promise<void> {
  const transfer = await movableTransfer(unit, id, 'processing')
  if (transfer !== null) await moveTransfer(unit, transfer, 'processing')
}

export async function acceptTransfer(unit: Unit, id: string): Promise<void> {
  const transfer = await movableTransfer(unit, id, 'accepted')
  if (transfer === null) return
  const lines = await linesOfTransfers(unit.connection, [id])
  const targets = await findAnyVariants(
    unit.connection,
    lines.map((line) => line.to_variant_id),
  )
  const moves = new LotMoves(unit, 'transfer', id)
  for (const [index, line] of lines.entries()) {
    const field = `customer_to_customer_transfer_lines.${index}.quantity`
    const target = targets.get(line.to_variant_id)
    if (target === undefined) throw invalidField(field, 'The destination no longer has this variant.')
    const lots = { ...anyLot(line.from_variant_id), outsideQuarantine: true }
    for (const { lot, pieces } of await moves.take(lots, line.quantity, field)) {
      // the new lot has no inbound, because the inbound of the old lot belongs to another customer
      const place = { locationId: lot.location_id, expirationDate: lot.expiration_date, inboundId: null }
      await moves.put(target, place, pieces)
    }
  }
  await finalizeTransferLines(unit.connection, id)
  await moveTransfer(unit, transfer, 'accepted')
  await moves.tell()
}

export async function denyTransfer(unit: Unit, id: string): Promise<void> {
  const transfer = await movableTransfer(unit, id, 'denied')
  if (transfer !== null) await moveTransfer(unit, transfer, 'denied')
}

/** Returns the transfer whose status is to become `to`, or null if it already has this status. */
async function movableTransfer(unit: Unit, id: string, to: TransferStatus): Promise<TransferTable | null> {
  const transfer = await findAnyTransfer(unit.connection, id)
  if (transfer === null) throw new Refusal('not_found', 'Transfer not found.')
  if (transfer.status === to) return null
  if (!canMoveTransfer(transfer.status, to))
    throw new Refusal('too_late', `The status of this transfer is ${transfer.status}.`)
  return transfer
}

async function moveTransfer(unit: Unit, transfer: TransferTable, to: TransferStatus): Promise<void> {
  await changeTransfer(unit.connection, transfer, { status: to }, unit.now)
}

export async function correctStock(unit: Unit, correction: StockCorrection): Promise<void> {
  const moves = new LotMoves(unit, 'correction', null)
  await correct(unit, moves, { ...correction, named: await readNamed(unit, [correction]) }, 'quantity')
  await moves.tell()
}

/** The existing variants and locations that corrections name. */
interface Named {
  readonly variants: ReadonlyMap<string, VariantTable>
  readonly locations: ReadonlyMap<string, LocationTable>
}

async function readNamed({ connection }: Unit, corrections: readonly StockCorrection[]): Promise<Named> {
  const variantIds = corrections.map(({ variantId }) => variantId)
  const locationIds = new Set(corrections.map(({ locationId }) => locationId))
  return {
    variants: await findAnyVariants(connection, variantIds),
    locations: await findLocations(connection, [...locationIds]),
  }
}

/**
 * Adds pieces to a lot at the location of the correction, or takes pieces from the lots there. A correction with an
 * expiry date takes only from lots with that date; a correction without a date takes from any lot there. If a
 * correction without a date adds pieces, their expiry date is unknown, so they are added to the last lot there in the
 * order in which pieces are taken.
 */
async function correct(
  unit: Unit,
  moves: LotMoves,
  { variantId, locationId, quantity, expirationDate, named }: StockCorrection & { readonly named: Named },
  field: string,
): Promise<void> {
  requirePieces(Math.abs(quantity), field)
  const variant = named.variants.get(variantId)
  if (variant === undefined) throw new Refusal('not_found', 'Variant not found.')
  if (!named.locations.has(locationId)) throw locationNotFound()
  const lots = { ...anyLot(variantId), locationId, expirationDate }
  if (quantity < 0) {
    await moves.take(lots, -quantity, field)
    return
  }
  const like = await lastLotToTake(unit.connection, lots)
  const place = {
    locationId,
    expirationDate: like?.expiration_date ?? expirationDate,
    inboundId: like?.inbound_id ?? null,
  }
  await moves.put(variant, place, quantity)
}

function locationNotFound(): Refusal {
  return new Refusal('not_found', 'Location not found.')
}

export async function moveLot(unit: Unit, { batchId, quantity, toLocationId }: LotMove): Promise<void> {
  requirePieces(quantity, 'quantity')
  const lot = await findAnyBatch(unit.connection, batchId)
  if (lot === null) throw new Refusal('not_found', 'Batch not found.')
  if (!(await findLocations(unit.connection, [toLocationId])).has(toLocationId)) throw locationNotFound()
  if (lot.location_id === toLocationId) return
  const moves = new LotMoves(unit, 'move', null)
  await moves.takeFrom(lot, quantity, 'quantity')
  const place = {
    locationId: toLocationId,
    expirationDate: lot.expiration_date,
    inboundId: lot.inbound_id,
  }
  await moves.put({ id: lot.variant_id, customer_id: lot.customer_id }, place, quantity)
  await moves.tell()
}

/**
 * Creates a location, or changes `pickable` of the location with the same code. A change of `pickable` changes the
 * stock of the variants with pieces at the location. The transaction of this call records the change of stock for the
 * first `lotsNotedAtOnce` lots. It records none if one of their customers has too many events that are not written yet.
 * `hasMore`: whether `noteChangedLocations` must record further changes.
 */
export async function nameLocation(
  unit: Unit,
  { code, pickable }: { code: string; pickable: boolean },
): Promise<{ id: string; hasMore: boolean }> {
  if (code.trim() === '') throw invalidField('code', 'This value should not be blank.')
  const location = { id: randomUUID(), code, pickable: pickable ? 1 : 0 } as const
  const { id, noted_to } = await putLocation(unit.connection, location)
  if (noted_to === null) return { id, hasMore: false }
  const step = await noteNextVariants(unit, { id, noted_to }, () => true)
  return { id, hasMore: step !== 'done' }
}

/** Number of lots whose variants one step handles. With SQLite no other call runs during a step. */
const lotsNotedAtOnce = 250

/** What follows after a step: nothing, the next step, or a pause until more events of a customer were written. */
type AfterStep = 'done' | 'more' | { readonly waitsFor: string }

/**
 * One step of `noteChangedLocations`: records for the next variants at `location` that their stock changed. Does
 * nothing if too many events of the owner of one of these variants wait to be written. `mayWaitFor`: whether the step
 * may wait for the events of this owner.
 */
async function noteNextVariants(
  unit: Unit,
  location: ChangedLocation,
  mayWaitFor: (customerId: string) => boolean,
): Promise<AfterStep> {
  const { connection } = unit
  const lots = await lotsToNote(connection, location, lotsNotedAtOnce)
  const byCustomer = Map.groupBy(lots, (lot) => lot.customer_id)
  for (const id of byCustomer.keys())
    if (mayWaitFor(id) && (await hasManyEventPortions(connection, id))) return { waitsFor: id }
  for (const [customerId, own] of byCustomer)
    await unit.stockChanged(customerId, new Set(own.map((lot) => lot.variant_id)))
  const last = lots.length < lotsNotedAtOnce ? undefined : lots.at(-1)
  await moveNoted(connection, location.id, last?.variant_id ?? null)
  return last === undefined ? 'done' : 'more'
}

/** Milliseconds after which it is checked again whether enough events of a customer were written. */
const usualPauseMs = 1000
/**
 * Maximum number of pauses that the recording of changed stock makes because of one customer. It pauses while too many
 * events of this customer are not written yet. Without this limit, a customer that makes changes without end would stop
 * the recording for other customers at the same locations.
 */
const mostPauses = 600

/**
 * Records a change of the stock of all variants at changed locations, in separate turns. If the server stops before the
 * end, its next start continues this work.
 */
export function noteChangedLocations(context: ServiceContext, pauseMs = usualPauseMs): void {
  const { afterwards, turns } = context
  const name = 'changed locations'
  afterwards.startAlone(name, async () => {
    const pauses = new Map<string, number>()
    const mayWaitFor = (customerId: string): boolean => (pauses.get(customerId) ?? 0) < mostPauses
    while (!afterwards.isEnding) {
      const step = await turns.runFor(name, () =>
        transact(context, async (unit): Promise<AfterStep | null> => {
          const location = await nextChangedLocation(unit.connection)
          return location === null ? null : noteNextVariants(unit, location, mayWaitFor)
        }),
      )
      if (step === null) return
      if (typeof step === 'string') continue
      pauses.set(step.waitsFor, (pauses.get(step.waitsFor) ?? 0) + 1)
      await sleep(pauseMs, undefined, { ref: false, signal: afterwards.ending }).catch(() => null)
    }
  })
}

/** Deletes an article with all its variants. `bodyOf` reads the last state of the article and of each variant. */
export async function deleteArticle(unit: Unit, bodyOf: EventBody, id: string): Promise<void> {
  const { connection } = unit
  const article = await findAnyArticle(connection, id)
  if (article === null) throw new Refusal('not_found', 'Article not found.')
  const variants = await variantKeysOf(connection, id)
  await refuseUsed(unit, variants)
  await noteDeleted(unit, bodyOf, 'article', { id, customer_id: article.customer_id })
  for (const variant of variants) await noteDeleted(unit, bodyOf, 'variant', variant)
  await markVariantsDeleted(
    connection,
    variants.map((variant) => variant.id),
    unit.now,
  )
  await markArticleDeleted(connection, id, unit.now)
}

export async function deleteVariant(unit: Unit, bodyOf: EventBody, id: string): Promise<void> {
  const { connection } = unit
  const variant = (await findAnyVariants(connection, [id])).get(id)
  if (variant === undefined) throw new Refusal('not_found', 'Variant not found.')
  const siblings = await variantKeysOf(connection, variant.article_id)
  if (siblings.length === 1)
    throw new Refusal('too_late', 'The last variant of an article can only be deleted with its article.')
  await refuseUsed(unit, [variant])
  await noteDeleted(unit, bodyOf, 'variant', variant)
  await markVariantsDeleted(connection, [id], unit.now)
  unit.changed('article', 'updated', { customerId: variant.customer_id, id: variant.article_id })
}

async function refuseUsed(unit: Unit, variants: readonly VariantKey[]): Promise<void> {
  const used = await variantsInUse(
    unit.connection,
    variants.map(({ id }) => id),
  )
  const codes = variants.filter(({ id }) => used.has(id)).map((variant) => variant.article_code)
  if (codes.length > 0)
    throw new Refusal('too_late', `Pieces are in stock, expected, ordered or moved: ${codes.join(', ')}.`)
}

async function noteDeleted(
  unit: Unit,
  bodyOf: EventBody,
  group: Extract<WebhookGroup, 'article' | 'variant'>,
  { id, customer_id: customerId }: { id: string; customer_id: string },
): Promise<void> {
  const subject = { customerId, id }
  unit.deleted(group, subject, await readEventBody(bodyOf, unit.connection, group, subject))
}
