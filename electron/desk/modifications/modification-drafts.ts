import type { ModificationChange, ModificationDraft } from '#shared/bridge/stock-views.ts'
import {
  changeDraft,
  type DraftChange,
  type DraftHistory,
  draftOf,
  type DraftState,
  type DraftVariant,
  newDraftHistory,
  undoDraft,
} from '#shared/domain/modification-draft.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import { toDraftView } from './modification-view.ts'
import type { Variant } from '#shared/wire/variant.ts'
import type { CatalogueStore } from '../ports/catalogue-store.ts'
import type { LocationRow, LocationStore } from '../ports/location-store.ts'
import type { DraftStore, ModificationLedger } from '../ports/modification-store.ts'

export interface DraftParts {
  readonly drafts: DraftStore
  readonly locations: LocationStore
  readonly catalogue: Pick<CatalogueStore, 'variant'>
  readonly bookings: Pick<ModificationLedger, 'get'>
}

/** The modification being put together: in the store before anybody is told of it. */
export class ModificationDrafts {
  readonly #parts: DraftParts
  /** What the store holds; null: not read yet. */
  #history: DraftHistory | null = null

  constructor(parts: DraftParts) {
    this.#parts = parts
  }

  view(): ModificationDraft {
    const { corrects } = this.state()
    const corrected = corrects === undefined ? null : this.#parts.bookings.get(corrects)
    return toDraftView(this.#read(), this.location(), corrected)
  }

  state(): DraftState {
    return draftOf(this.#read())
  }

  /** The draft's location as the book has it now; null where none was given, or it was forgotten since. */
  location(): LocationRow | null {
    const { locationId } = this.state()
    return locationId === null ? null : this.#parts.locations.get(locationId)
  }

  change(change: ModificationChange): Result<ModificationDraft> {
    const resolved = this.#resolve(change)
    if (!resolved.ok) return resolved
    this.#save(changeDraft(this.#read(), resolved.value))
    return ok(this.view())
  }

  undo(): ModificationDraft {
    this.#save(undoDraft(this.#read()))
    return this.view()
  }

  /**
   * Puts back what was booked and did not arrive; an undo brings what was here before. `keep` writes the draft together
   * with what makes room for it; false: nothing was written, and the draft is as it was.
   */
  takeBack(state: DraftState, keep: (history: DraftHistory) => boolean): ModificationDraft | null {
    const history = changeDraft(this.#read(), { kind: 'take_back', state })
    if (!keep(history)) return null
    this.#history = history
    return this.view()
  }

  /** The store has emptied the draft, in the transaction that booked it. */
  wasBooked(): void {
    this.#history = newDraftHistory
  }

  #resolve(change: ModificationChange): Result<DraftChange> {
    if (change.kind === 'location')
      return this.#parts.locations.get(change.locationId) ? ok(change) : fail('location.unknown')
    if (change.kind !== 'add') return ok(change)
    const variant = this.#variant(change.variantId)
    return variant ? ok({ kind: 'add', variant, remark: change.remark }) : fail('article.unknown')
  }

  /** From the catalogue, or as the draft has it already: the catalogue may be filled anew at this moment. */
  #variant(variantId: string): DraftVariant | null {
    const stored = this.#parts.catalogue.variant(variantId)?.variant
    if (stored) return toDraftVariant(stored)
    return this.state().lines.find((line) => line.variant.id === variantId)?.variant ?? null
  }

  #read(): DraftHistory {
    return (this.#history ??= this.#parts.drafts.read())
  }

  /** Written first: a store that fails leaves the draft as it was, here too. */
  #save(history: DraftHistory): void {
    if (history === this.#history) return
    this.#parts.drafts.save(history)
    this.#history = history
  }
}

/** Longest name and longest code in a line, in characters: each act on the draft writes all lines again. */
const longestName = 200
const longestCode = 255

function toDraftVariant({ id, name, article_code: articleCode, ean }: Variant): DraftVariant {
  return {
    id,
    name: name.slice(0, longestName),
    articleCode: articleCode.slice(0, longestCode),
    ean: ean && ean.slice(0, longestCode),
  }
}
