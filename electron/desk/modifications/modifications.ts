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
  /** The modification is not what it was. */
  readonly moved: (id: string) => void
  readonly onFault: (error: unknown) => void
}

const recentLength = 20
/** A status older than this is asked for again when somebody looks at it, in milliseconds. */
const freshMs = 60_000

/** What the operator can do about stock modifications. Sending them is the outbox's affair. */
export class Modifications {
  readonly #parts: ModificationsParts
  readonly #asking = new Set<string>()

  constructor(parts: ModificationsParts) {
    this.#parts = parts
  }

  draft(): ModificationDraft {
    return this.#parts.drafts.view()
  }

  /** Durable when it returns, like all that follows here. */
  change(change: ModificationChange): Result<ModificationDraft> {
    return this.#parts.drafts.change(change)
  }

  undo(): ModificationDraft {
    return this.#parts.drafts.undo()
  }

  /** The draft becomes a command; `modification` events tell how the sending goes. */
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
   * What surely did not arrive (refused, let rest, or not sent yet) becomes the draft again; what was in the draft can
   * be undone to. The write leaves the queue by it, in the same transaction. What the warehouse disapproved stays as it
   * is: the draft then is of a new booking that corrects it. `modification.corrected`: there is such a booking already.
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

  /** What is known here, at once; the service is asked behind it where that is older than a minute. */
  get({ id }: ArgsOf<'modification', 'get'>): Result<ModificationView> {
    const row = this.#parts.ledger.get(id)
    if (!row) return fail('modification.unknown')
    this.#freshen(row)
    return ok(toModificationView(row))
  }

  /** By the reference that the service gave it; null if it was not booked here. */
  byReference(reference: string): ModificationView | null {
    const row = this.#parts.ledger.byReference(reference)
    if (row) this.#freshen(row)
    return row && toModificationView(row)
  }

  /** The newest, and whatever was refused and still waits for somebody. */
  recent(): ModificationView[] {
    return this.#parts.ledger.recent(recentLength).map(toModificationView)
  }

  #freshen({ id, serverId, statusAsOf }: ModificationRow): void {
    const { clock, session, onFault } = this.#parts
    const age = clock.now() - (statusAsOf ?? 0)
    // a wall clock set back makes it look newer than now: asked again too
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

  /** Reads the variant from the catalogue, or from the draft while the catalogue is being rebuilt. */
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
