import { commandId } from '#shared/domain/ids.ts'
import type { ArgsOf } from '#shared/bridge/contract.ts'
import type { ModificationChange, ModificationDraft, ModificationView } from '#shared/bridge/stock-views.ts'
import {
  changeDraft,
  type DraftChange,
  type DraftHistory,
  draftOf,
  type DraftState,
  type DraftVariant,
  missingOf,
  mostDraftLines,
  newDraftHistory,
  takesAway,
  undoDraft,
} from '#shared/domain/modification.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import type { Variant } from '#shared/wire/variant.ts'
import { modificationCreateCommand } from './modification-create.ts'
import { modificationFacts } from './modification-records.ts'
import { toDraftView, toModificationView } from './modification-view.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { ApiPort } from '../ports/api.ts'
import type { CatalogueStore } from '../ports/catalogue-store.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { CommandRow, OutboxStore, QueueStore } from '../ports/commands.ts'
import type { LocationRow, LocationStore } from '../ports/location-store.ts'
import type { DraftStore, ModificationLedger, ModificationRow } from '../ports/modification-store.ts'
import { isUntouched } from '../queue/queue-lines.ts'
import type { Session } from '../service/session.ts'

interface ModificationsParts {
  readonly drafts: ModificationDrafts
  readonly ledger: ModificationLedger
  readonly outbox: Pick<Outbox, 'retryNow'>
  readonly draftStore: Pick<DraftStore, 'save'>
  readonly commands: Pick<OutboxStore, 'get'>
  readonly queue: Pick<QueueStore, 'decide'>
  readonly session: Session
  readonly api: ApiPort
  readonly clock: ClockPort
  /** Reports that a stock modification has changed. */
  readonly moved: (id: string) => void
  readonly onFault: (error: unknown) => void
}

const recentLength = 20
/** Age of a status in milliseconds. When an operator opens a booking with an older status, the status is read again. */
const freshMs = 60_000

/** The operator's actions on stock modifications. The outbox sends the bookings. */
export class Modifications {
  readonly #parts: ModificationsParts
  readonly #asking = new Set<string>()

  constructor(parts: ModificationsParts) {
    this.#parts = parts
  }

  draft(): ModificationDraft {
    return this.#parts.drafts.view()
  }

  /**
   * Changes the draft. The draft is stored durably when this method returns. The methods `undo`, `book` and `takeBack`
   * also store their results durably before they return.
   */
  change(change: ModificationChange): Result<ModificationDraft> {
    return this.#parts.drafts.change(change)
  }

  undo(): ModificationDraft {
    return this.#parts.drafts.undo()
  }

  /** Creates a booking and its command from the draft. `modification` events report the progress. */
  book(): Result<ModificationView> {
    const { drafts, ledger, session, clock, outbox, moved } = this.#parts
    const { state: signedIn, username } = session.state()
    if (signedIn === 'signed_out') return fail('session.signed_out')
    const { reason, lines, note, corrects } = drafts.state()
    const locationId = drafts.location()?.id ?? null
    if (reason === null || locationId === null || lines.length === 0)
      return fail('modification.incomplete', { missing: missingOf({ reason, locationId, lines }).join(' ') })
    const row = ledger.book({
      id: crypto.randomUUID(),
      reason,
      locationId,
      lines,
      note,
      bookedBy: username,
      at: clock.now(),
      corrects,
      command: { id: commandId.parse(crypto.randomUUID()), type: modificationCreateCommand },
    })
    drafts.wasBooked()
    moved(row.id)
    if (corrects !== undefined) moved(corrects)
    outbox.retryNow()
    return ok(toModificationView(row))
  }

  /**
   * Puts a booking that certainly did not arrive (refused, discarded, or not sent yet) back into the draft. The same
   * transaction removes the command from the queue. A disapproved booking stays unchanged; the draft gets its content
   * and becomes a new booking that corrects it. An undo restores the previous draft. Fails with
   * `modification.corrected` if a correction exists already.
   */
  takeBack({ id }: ArgsOf<'modification', 'takeBack'>): Result<ModificationDraft> {
    const { ledger, drafts, commands, moved } = this.#parts
    const row = ledger.get(id)
    const command = row && commands.get(row.create.id)
    if (!row || !command) return fail('modification.unknown')
    const isDisapproved = command.state === 'done' && row.status === 'disapproved'
    if (isDisapproved && row.correctedBy) return fail('modification.corrected')
    const isSettled = command.state === 'discarded' || isDisapproved
    if (!isSettled && !isUntouched(command)) return fail('modification.under_way')
    const { reason, locationId, lines, note } = row
    const step = takesAway(reason) ? -1 : 1
    const corrects = isDisapproved ? id : row.corrects?.id
    const state: DraftState = { reason, locationId, lines, note, step, isStepSaid: false, corrects }
    const draft = drafts.takeBack(state, (history) =>
      isSettled ? this.#keep(history) : this.#takeOut(command, history),
    )
    if (!draft) return fail('modification.under_way')
    if (!isSettled) moved(id)
    return ok(draft)
  }

  #keep(history: DraftHistory): boolean {
    this.#parts.draftStore.save(history)
    return true
  }

  #takeOut({ id, state }: CommandRow, history: DraftHistory): boolean {
    const { queue, clock, session } = this.#parts
    const by = session.state().username
    const note = { commandId: id, at: clock.now(), by, decision: 'edit', details: null } as const
    return queue.decide(note, state, { do: 'take_out', into: { place: 'modification_draft', history } })
  }

  /**
   * Returns the booking from the ledger at once. If its status is older than a minute, asks the service in the
   * background.
   */
  get({ id }: ArgsOf<'modification', 'get'>): Result<ModificationView> {
    const row = this.#parts.ledger.get(id)
    if (!row) return fail('modification.unknown')
    this.#refreshStatus(row)
    return ok(toModificationView(row))
  }

  /** Returns a booking by the service's reference. Returns null if this desk did not make the booking. */
  byReference(reference: string): ModificationView | null {
    const row = this.#parts.ledger.byReference(reference)
    if (row) this.#refreshStatus(row)
    return row && toModificationView(row)
  }

  /**
   * Returns the newest `recentLength` bookings, and the oldest 50 refused bookings that still wait for an operator;
   * newest first.
   */
  recent(): ModificationView[] {
    return this.#parts.ledger.recent(recentLength).map(toModificationView)
  }

  #refreshStatus({ id, serverId, statusAsOf }: ModificationRow): void {
    const { clock, session, onFault } = this.#parts
    const age = clock.now() - (statusAsOf ?? 0)
    // a status from the future (the wall clock was set back) is not fresh
    const isFresh = age >= 0 && age < freshMs
    if (serverId === null || isFresh || !session.isSignedIn || this.#asking.has(id)) return
    this.#asking.add(id)
    void this.#ask(serverId)
      .catch(onFault)
      .finally(() => this.#asking.delete(id))
  }

  async #ask(serverId: string): Promise<void> {
    const { api, session, ledger, clock, moved } = this.#parts
    const outcome = await session.withAccess((token) => api.getModification(token, serverId))
    if (outcome.kind !== 'answer' || outcome.value.id !== serverId) return
    for (const id of ledger.noteStatus([modificationFacts(outcome.value)], clock.now())) moved(id)
  }
}

interface DraftParts {
  readonly drafts: DraftStore
  readonly locations: LocationStore
  readonly catalogue: Pick<CatalogueStore, 'variant'>
  readonly bookings: Pick<ModificationLedger, 'get'>
}

/** The draft of a modification. Each change is stored before its result is returned. */
export class ModificationDrafts {
  readonly #parts: DraftParts
  /** The stored history of the draft; null: not read yet. */
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

  /**
   * Returns the draft's location from the location book (LocationStore); null: no location was chosen, or the chosen
   * location was removed from the location book.
   */
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
   * Makes the content of a booking the draft again: a booking that did not arrive at the service, or that the warehouse
   * disapproved. An undo restores the previous draft. `keep` writes the draft and, for a booking in the queue, ends its
   * command in the same transaction. If `keep` returns false, it has written nothing, and the draft stays unchanged.
   */
  takeBack(state: DraftState, keep: (history: DraftHistory) => boolean): ModificationDraft | null {
    const history = changeDraft(this.#read(), { kind: 'take_back', state })
    if (!keep(history)) return null
    this.#history = history
    return this.view()
  }

  /** Empties the draft in memory. The store has already emptied the stored draft, in the transaction of the booking. */
  wasBooked(): void {
    this.#history = newDraftHistory
  }

  #resolve(change: ModificationChange): Result<DraftChange> {
    if (change.kind === 'location')
      return this.#parts.locations.get(change.locationId) ? ok(change) : fail('location.unknown')
    if (change.kind !== 'add') return ok(change)
    const variant = this.#variant(change.variantId)
    if (!variant) return fail('article.unknown')
    const { lines } = this.state()
    const isNew = !lines.some((line) => line.variant.id === variant.id)
    if (isNew && lines.length >= mostDraftLines) return fail('modification.too_many_lines')
    return ok({ kind: 'add', variant, remark: change.remark })
  }

  /**
   * Returns the variant from the catalogue. If the catalogue does not have the variant, for example while the catalogue
   * is being rebuilt, returns the variant from the lines of the operator's draft. Null: neither has the variant.
   */
  #variant(variantId: string): DraftVariant | null {
    const stored = this.#parts.catalogue.variant(variantId)?.variant
    if (stored) return toDraftVariant(stored)
    return this.state().lines.find((line) => line.variant.id === variantId)?.variant ?? null
  }

  #read(): DraftHistory {
    return (this.#history ??= this.#parts.drafts.read())
  }

  /**
   * Saves the history of the draft. Writes it to the store first: if this write fails, the draft in memory stays
   * unchanged.
   */
  #save(history: DraftHistory): void {
    if (history === this.#history) return
    this.#parts.drafts.save(history)
    this.#history = history
  }
}

/**
 * Longest name in a line, in characters. Names and codes are limited because each change of the draft writes all lines
 * again.
 */
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
