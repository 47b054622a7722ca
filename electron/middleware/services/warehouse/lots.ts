import { randomUUID } from 'node:crypto'
import { type LotFilter, lotLike, lotsToTake } from '../../data/goods/batches.ts'
import { openLot, postPieces } from '../../data/goods/ledger.ts'
import type { BatchTable, VariantTable, StockEntryKind } from '../../data/schema/goods.ts'
import { invalidField, Refusal } from '../refusal.ts'
import type { Unit } from '../unit.ts'
import { mostLotsTaken } from './port.ts'

/** Pieces that were taken from a lot. */
interface Taken {
  readonly lot: BatchTable
  readonly pieces: number
}

/**
 * The properties of the lot to which pieces are added. If no lot has this location, expiry date and inbound, a new lot
 * is created.
 */
interface Place {
  readonly locationId: string
  /** Expiry date as YYYY-MM-DD. Null: the pieces do not expire. */
  readonly expirationDate: string | null
  readonly inboundId: string | null
}

/**
 * Maximum number of lots that the first read for a line returns, and maximum number for each further read. The first
 * number is small, because most lines need few lots.
 */
const lotsAtFirst = 10
const lotsAtOnce = 1000

/** The stock movements of one call, which have the same cause. `tell` reports all changed lots at the end. */
export class LotMoves {
  readonly #unit: Unit
  readonly #kind: StockEntryKind
  readonly #causeId: string | null
  readonly #lots = new Map<string, string>()
  readonly #variants = new Map<string, Set<string>>()
  /** The lots to which pieces were added. The key consists of the properties that all pieces of a lot share. */
  readonly #targets = new Map<string, BatchTable>()
  #lotsTaken = 0

  constructor(unit: Unit, kind: StockEntryKind, causeId: string | null) {
    this.#unit = unit
    this.#kind = kind
    this.#causeId = causeId
  }

  /**
   * Takes pieces from the lots that match the filter, in the order of `lotsToTake`. Throws a refusal `invalid` that
   * names `field` if there are too few pieces, or if they are in more lots than one call may take from.
   */
  async take(filter: LotFilter, pieces: number, field: string): Promise<Taken[]> {
    const taken: Taken[] = []
    let left = pieces
    while (left > 0) {
      // at most `left` lots are read, because each lot that is found has at least one piece; the lots of earlier reads
      // are empty now and are not found again
      const limit = Math.min(left, taken.length === 0 ? lotsAtFirst : lotsAtOnce)
      const lots = await lotsToTake(this.#unit.connection, filter, limit)
      for (const lot of lots) {
        const part = Math.min(left, lot.quantity)
        if (++this.#lotsTaken > mostLotsTaken) throw tooManyLots(field)
        await this.takeFrom(lot, part, field)
        taken.push({ lot, pieces: part })
        left -= part
        if (left === 0) return taken
      }
      if (lots.length < limit) throw notEnough(field, pieces, pieces - left)
    }
    return taken
  }

  async takeFrom(lot: BatchTable, pieces: number, field: string): Promise<void> {
    if (!(await postPieces(this.#unit.connection, lot, -pieces, this.#posting())))
      throw notEnough(field, pieces, lot.quantity)
    this.#note(lot)
  }

  async put(variant: Pick<VariantTable, 'id' | 'customer_id'>, place: Place, pieces: number): Promise<void> {
    const { connection, now } = this.#unit
    const like = {
      variant_id: variant.id,
      location_id: place.locationId,
      expiration_date: place.expirationDate,
      inbound_id: place.inboundId,
    }
    const key = JSON.stringify(Object.values(like))
    const known = this.#targets.get(key) ?? (await lotLike(connection, like))
    const lot: BatchTable = known ?? {
      ...like,
      id: randomUUID(),
      customer_id: variant.customer_id,
      quantity: pieces,
      created_at: now,
    }
    if (known === null) await openLot(connection, lot, this.#posting())
    else await postPieces(connection, known, pieces, this.#posting())
    this.#targets.set(key, lot)
    this.#note(lot)
  }

  /** Reports every changed lot, and the variants whose stock changed, to the unit of work. */
  async tell(): Promise<void> {
    for (const [id, customerId] of this.#lots) this.#unit.changed('batch', 'updated', { customerId, id })
    for (const [customerId, variants] of this.#variants) await this.#unit.stockChanged(customerId, variants)
  }

  #posting(): { kind: StockEntryKind; causeId: string | null; now: string } {
    return { kind: this.#kind, causeId: this.#causeId, now: this.#unit.now }
  }

  #note({ id, customer_id: customerId, variant_id: variantId }: BatchTable): void {
    this.#lots.set(id, customerId)
    const variants = this.#variants.get(customerId) ?? new Set()
    this.#variants.set(customerId, variants.add(variantId))
  }
}

function notEnough(field: string, wanted: number, available: number): Refusal {
  const message = `${wanted} pieces are requested and ${available} are available.`
  return new Refusal('invalid', message, { fields: { [field]: [message] } })
}

function tooManyLots(field: string): Refusal {
  const message = `The pieces are in more than ${mostLotsTaken} batches.`
  return new Refusal('invalid', message, { fields: { [field]: [message] } })
}

/** Refuses a quantity that is not an integer of at least 1. */
export function requirePieces(pieces: number, field: string): void {
  if (Number.isSafeInteger(pieces) && pieces > 0) return
  const message = 'This value should be a whole number from 1 on.'
  throw new Refusal('invalid', message, { fields: { [field]: [message] } })
}

/**
 * Checks the number of serial numbers: a variant with serial numbers needs a different one for each piece, any other
 * variant must have none. Refuses every other number.
 */
export function requireSerialNumbers(
  variant: Pick<VariantTable, 'using_serial_numbers'>,
  line: { readonly quantity: number; readonly serialNumbers: readonly string[] },
  field: string,
): void {
  const wanted = variant.using_serial_numbers === 1 ? line.quantity : 0
  if (line.serialNumbers.length === wanted && new Set(line.serialNumbers).size === wanted) return
  const message =
    wanted === 0 ? 'This variant has no serial numbers.' : `${wanted} different serial numbers are required.`
  throw new Refusal('invalid', message, { fields: { [field]: [message] } })
}

/**
 * Maximum number of serial numbers on all lines of one inbound or order. Each receipt or shipment reads all of them,
 * and writes all of their line; a million of them stopped the server for more than a second.
 */
const mostSerials = 200_000

/** Refuses a receipt or shipment with which its inbound or order would have too many serial numbers. */
export function requireFewSerials(
  stored: readonly { readonly serials: readonly string[] }[],
  sent: readonly { readonly serialNumbers: readonly string[] }[],
): void {
  const added = sent.reduce((sum, { serialNumbers }) => sum + serialNumbers.length, 0)
  const sum = stored.reduce((total, { serials }) => total + serials.length, added)
  if (added > 0 && sum > mostSerials)
    throw invalidField('lines', `An inbound or order has at most ${mostSerials} serial numbers.`)
}

/** Maximum number of serial numbers that one message names. */
const mostNamed = 10

/** Returns serial numbers for a message: `SN-1, SN-2 and 3 more`. */
export function named(serials: readonly string[]): string {
  const rest = serials.length - mostNamed
  return serials.slice(0, mostNamed).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}
