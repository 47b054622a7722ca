import type { ArgsOf } from '#shared/bridge/contract.ts'
import type { LocationImport, LocationView } from '#shared/bridge/stock-views.ts'
import { locationsAtOnce, parseLocationCode, type LocationTable } from '#shared/domain/locations.ts'
import { normaliseCode } from '#shared/domain/references.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import { toLocationView } from './modification-view.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { LocationStore } from '../ports/location-store.ts'

interface LocationsParts {
  readonly book: LocationStore
  readonly clock: ClockPort
}

/** The location book: the locations that the desk has learned. */
export class Locations {
  readonly #parts: LocationsParts

  constructor(parts: LocationsParts) {
    this.#parts = parts
  }

  /**
   * Returns at most `locationsAtOnce` locations in the order of their codes: those after the given one; null: the first
   * ones.
   */
  list(after: ArgsOf<'location', 'list'>['after'] = null): LocationView[] {
    return this.#parts.book.list(after, locationsAtOnce).map(toLocationView)
  }

  /**
   * Imports the readable lines of a file. The result lists each unreadable line with the reason. Fails with
   * `location.book_full` and imports nothing if the book would exceed its maximum number of locations.
   */
  async import({ found, skipped }: LocationTable): Promise<Result<LocationImport>> {
    const { book, clock } = this.#parts
    const count = await book.import(found, clock.now())
    if (!count) return fail('location.book_full')
    return ok({ ...count, skipped: skipped.map((line) => ({ ...line })) })
  }

  /**
   * Sets the code of a location and returns the location. Fails if the location book does not contain the location, or
   * if another location has this code.
   */
  name({ id, code }: ArgsOf<'location', 'name'>): Result<LocationView> {
    const { book } = this.#parts
    const cleaned = code.trim().replaceAll(/\s+/g, ' ')
    const outcome = book.name(id, cleaned)
    if (outcome === 'taken') return fail('location.code_taken', { code: cleaned })
    const row = outcome === 'named' ? book.get(id) : null
    return row ? ok(toLocationView(row)) : fail('location.unknown')
  }

  /** Removes a location; does nothing if the book does not have it. */
  forget({ id }: ArgsOf<'location', 'forget'>): null {
    this.#parts.book.forget(id)
    return null
  }

  /** Returns the location with this code, ignoring case and blanks. */
  byCode(code: string): LocationView | null {
    const row = this.#parts.book.byCode(normaliseCode(code))
    return row && toLocationView(row)
  }

  /**
   * Returns the location whose uuid is in the text, or null if the location book does not have it. Does not add it to
   * the location book.
   */
  inText(text: string): { readonly location: LocationView; readonly isNew: boolean } | null {
    const read = parseLocationCode(text)
    const row = read && this.#parts.book.get(read.id)
    return row && { location: toLocationView(row), isNew: false }
  }

  /**
   * Finds the uuid in the scanned text, and adds the location with this uuid to the location book. Returns null if the
   * text contains no uuid.
   */
  learn(text: string): { readonly location: LocationView; readonly isNew: boolean } | null {
    const { book, clock } = this.#parts
    const read = parseLocationCode(text)
    if (!read) return null
    const isNew = book.learn({ ...read, source: 'scan' }, clock.now())
    const row = book.get(read.id)
    return row && { location: toLocationView(row), isNew }
  }
}
