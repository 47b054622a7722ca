import type { ModificationChange, ModificationDraft, ModificationView } from '#shared/bridge/stock-views.ts'
import {
  type DraftHistory,
  type DraftState,
  missingOf,
  takesAway,
} from '#shared/domain/modification-draft.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import { modificationCreateCommand } from './modification-create.ts'
import { modificationFacts } from './modification-facts.ts'
import type { ModificationDrafts } from './modification-drafts.ts'
import { toModificationView } from './modification-view.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { ApiPort } from '../ports/api.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { CommandRow, OutboxStore } from '../ports/commands.ts'
import type { DraftStore, ModificationLedger, ModificationRow } from '../ports/modification-store.ts'
import type { QueueStore } from '../ports/queue-store.ts'
import { isUntouched } from '../queue/queue-lines.ts'
import type { Session } from '../service/session.ts'

export interface ModificationsParts {
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

  change(change: ModificationChange): Result<ModificationDraft> {
    return this.#parts.drafts.change(change)
  }

  undo(): ModificationDraft {
    return this.#parts.drafts.undo()
  }

  /** Resolves once the command is durable and the draft empty; sending goes on behind it. */
  book(): Result<ModificationView> {
    const { drafts, ledger, session, clock, outbox, moved } = this.#parts
    const { state: signedIn, username } = session.view()
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
      command: { id: crypto.randomUUID(), type: modificationCreateCommand },
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
  takeBack(id: string): Result<ModificationDraft> {
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
    const by = session.view().username
    const note = { commandId: id, at: clock.now(), by, decision: 'edit', details: null } as const
    return queue.decide(note, state, { do: 'take_out', into: { place: 'modification_draft', history } })
  }

  /** What is known here, at once; the service is asked behind it where that is older than a minute. */
  get(id: string): Result<ModificationView> {
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
