import type { ServiceTruth } from '../outbox/truth.ts'
import type { Wish } from './diary.ts'
import type { Memory, Question } from './truth.ts'
import type { Creation, WireJournal } from './wire-journal.ts'

/**
 * The input of the judge: the acknowledged requests (wishes) of operators, the stored data of each desk, the records of
 * the service, and the wire journal.
 */
export interface Case {
  readonly wishes: readonly (Wish & { readonly subjectId: string })[]
  /** All wishes (labels and bookings that operators entered), including wishes that the desk did not acknowledge. */
  readonly pressed: readonly Wish[]
  /** The content of the desk.db of each desk, by the number of the desk. */
  readonly memories: readonly Memory[]
  readonly service: ServiceTruth
  readonly journal: WireJournal
}

/** A label or a booking at the service. */
export interface Made extends Creation {
  /** The subject of the record: the shipment of a label, or article, location, quantity and reason of a booking. */
  readonly thing: string
}

/**
 * Returns all labels and bookings that the service made, the oldest first. Cancelled labels and the records in `unseen`
 * are omitted.
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
 * Returns the ids of records that the suite cannot attribute to a desk. While desks work, the response to a write may
 * still be missing. After the end of all desks there must be no such record.
 */
export function unseen({ service, journal }: Case): string[] {
  const there = [...service.labels, ...service.modifications].map(({ id }) => id)
  return there.filter((id) => journal.creation(id) === null)
}

/**
 * Returns the questions of a desk about one command: the questions that its operator has decided, and the open
 * question.
 */
export function questionsAbout({ decisions, questions }: Memory, commandId: string | null): Question[] {
  const decided = decisions.flatMap((one) =>
    one.commandId === commandId && one.question ? [one.question] : [],
  )
  const open = commandId === null ? undefined : questions.get(commandId)
  return open ? [...decided, open] : decided
}
