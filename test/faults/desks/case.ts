import type { ServiceTruth } from '../outbox/truth.ts'
import type { Wish } from './diary.ts'
import type { Memory, Question } from './truth.ts'
import type { Creation, WireJournal } from './wire-journal.ts'

/** What is to be judged: what was promised, what each desk remembers, what the service has, what came over the wire. */
export interface Case {
  readonly wishes: readonly (Wish & { readonly subjectId: string })[]
  /** Also those that were not acknowledged. */
  readonly pressed: readonly Wish[]
  /** By the number of the desk. */
  readonly memories: readonly Memory[]
  readonly service: ServiceTruth
  readonly journal: WireJournal
}

/** A label or a booking of the service. */
export interface Made extends Creation {
  /** What it is of: the shipment, or article, location, quantity and reason. */
  readonly thing: string
}

/**
 * Everything that the service has made, oldest first; what was cancelled is left out, and what the harness has not seen
 * being made (see unseen).
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
 * The service's ids of what came there by no desk. While desks work, the answer to a write may still be on its way to the
 * harness; once they have ended there are none.
 */
export function unseen({ service, journal }: Case): string[] {
  const there = [...service.labels, ...service.modifications].map(({ id }) => id)
  return there.filter((id) => journal.creation(id) === null)
}

/** The questions that an operator of this desk was shown about a command, decided or still open. */
export function questionsAbout({ decisions, questions }: Memory, commandId: string | null): Question[] {
  const decided = decisions.flatMap((one) =>
    one.commandId === commandId && one.question ? [one.question] : [],
  )
  const open = commandId === null ? undefined : questions.get(commandId)
  return open ? [...decided, open] : decided
}
