import type { ServiceTruth } from '../outbox/truth.ts'
import type { Wish } from './diary.ts'
import type { Memory, Question } from './truth.ts'
import type { Creation, WireJournal } from './wire-journal.ts'

/**
 * The input of the judge: the acknowledged wishes of operators, the stored data of each desk, the records of the
 * service, and the wire journal.
 */
export interface Case {
  readonly wishes: readonly (Wish & { readonly subjectId: string })[]
  /** All wishes, including those without an acknowledgement. */
  readonly pressed: readonly Wish[]
  /** The content of the desk.db of each desk, by the number of the desk. */
  readonly memories: readonly Memory[]
  readonly service: ServiceTruth
  readonly journal: WireJournal
}

/** A label or a booking at the service. */
export interface Made extends Creation {
  /** Identifies the subject: the shipment of a label, or article, location, quantity and reason of a booking. */
  readonly thing: string
}

/**
 * Returns all records that the service made, the oldest first, except cancelled records and the records in `unseen`.
 */
export function allMade({ service, journal }: Case): Made[] {
  const labels = service.labels
    .filter(({ state }) => state !== 'cancelled')
    .map(({ id, shipment_id: shipmentId }) => ({ id, thing: shipmentId ?? '' }))
  const bookings = service.modifications.map(({ id, reason, lines }) => ({
    id,
    thing: lines
      .map((line) => `${line.variant_id} ${line.location_id} ${line.quantity} ${reason}`)
      .join(', '),
  }))
  return [...labels, ...bookings]
    .flatMap(({ id, thing }) => {
      const creation = journal.creation(id)
      return creation ? [{ ...creation, thing }] : []
    })
    .toSorted((a, b) => a.appliedTicks - b.appliedTicks)
}

/**
 * Returns the ids of records that no desk is known to have made. While desks work, the suite may not have received the
 * response to a write yet. After the end of all desks there must be no such record.
 */
export function unseen({ service, journal }: Case): string[] {
  const there = [...service.labels, ...service.modifications].map(({ id }) => id)
  return there.filter((id) => journal.creation(id) === null)
}

/** Returns all questions of a desk about a command, both decided and open. */
export function questionsAbout({ decisions, questions }: Memory, commandId: string | null): Question[] {
  const decided = decisions.flatMap((one) =>
    one.commandId === commandId && one.question ? [one.question] : [],
  )
  const open = commandId === null ? undefined : questions.get(commandId)
  return open ? [...decided, open] : decided
}
