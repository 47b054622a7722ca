import { type Case, type Made, questionsAbout } from './case.ts'
import type { Findings } from './findings.ts'

/** Decisions of an operator that make a second record, although the question shows an existing record. */
const makesAnother = ['go_on', 'send_again']
/** Decisions of an operator that end the desk's own write. */
const givesUp = ['adopt', 'discard', 'edit']

/**
 * Checks second records: every label of a shipment after its first label, and every repeated booking. There are two
 * cases in which a second record is correct. First: its operator saw the earlier record, on the card or in a question,
 * and wanted another one. Second: its desk could not have seen the earlier record in time. Then the desks of both
 * records must inform their operators.
 */
export function judgeSeconds(about: Case, made: readonly Made[], findings: Findings): void {
  const groups = Map.groupBy(made, ({ kind, thing }) => `${kind} ${thing}`)
  for (const group of groups.values())
    for (const [index, later] of group.entries())
      if (index > 0) judgeSecond(about, later, group.slice(0, index), findings)
}

function judgeSecond(about: Case, later: Made, earlier: readonly Made[], findings: Findings): void {
  const isLabel = later.kind === 'label'
  if (isLabel) findings.secondLabels++
  else findings.secondBookings++
  const unexplained = earlier.filter((one) => !judgePair(about, later, one, findings))
  if (unexplained.length === 0) return
  const finding = {
    what: later.kind,
    detail: unexplained.map((one) => tellPair(about, later, one)).join('; '),
  }
  if (isLabel) findings.unaskedLabels.push(finding)
  else findings.unaskedBookings.push(finding)
}

/**
 * Returns false if the desk of the later record made an error: its operator neither knew of the earlier record of
 * another desk nor decided to make a further one, and the desk either did not search the service before its write, or
 * began its search after the earlier record was stored. Adds other errors to `findings` and returns true.
 */
function judgePair(about: Case, later: Made, earlier: Made, findings: Findings): boolean {
  if (wantedAnother(about, later, earlier) || knewOf(about, later, earlier)) return true
  if (later.desk === earlier.desk) {
    findings.doubled.push({ what: later.kind, detail: tellPair(about, later, earlier) })
    return true
  }
  const lookedTicks = about.journal.lookBefore(later)
  if (lookedTicks === null || lookedTicks >= earlier.appliedTicks) return false
  findings.overlapped++
  judgeTold(about, later, earlier, findings)
  judgeTold(about, earlier, later, findings)
  return true
}

function wantedAnother({ memories }: Case, later: Made, earlier: Made): boolean {
  const decisions = memories[later.desk]?.decisions ?? []
  return decisions.some(
    ({ commandId, decision, question }) =>
      commandId === later.commandId &&
      makesAnother.includes(decision) &&
      (question?.ids.includes(earlier.serverId) === true ||
        // The operator decided to send the write again, although the outcome of its first send was unknown. A second
        // record of the same write is therefore allowed.
        (decision === 'send_again' && earlier.commandId === later.commandId)),
  )
}

/**
 * Whether the operator at the desk of `later` knew of the label `earlier`: when the operator requested a label of this
 * shipment, the card of the shipment showed `earlier` or a newer label.
 */
function knewOf({ pressed, journal }: Case, later: Made, earlier: Made): boolean {
  return pressed.some(({ desk, deed, seenId }) => {
    if (desk !== later.desk || deed.kind !== 'label' || deed.shipmentId !== later.thing) return false
    const seen = seenId === null ? null : journal.creation(seenId)
    return seen !== null && seen.appliedTicks >= earlier.appliedTicks
  })
}

/**
 * Checks that the desk that made `own` has a notice, a question or a decision about the record `others` of another
 * desk.
 */
function judgeTold(about: Case, own: Made, others: Made, findings: Findings): void {
  const memory = about.memories[own.desk]
  if (!memory) throw new Error(`no memory of desk ${own.desk}`)
  const told = new Set(memory.notices.flatMap(({ kind, ids }) => (kind === 'other_desk' ? ids : [])))
  // After a lost response, the desk `own.desk` may have adopted the record `others`, which the other desk made. The
  // notice at `own.desk` then names the record `own`, which `own.desk` made itself.
  const holds = [...memory.labels, ...memory.modifications].some(
    ({ server_id: serverId }) => serverId === others.serverId,
  )
  const isNoticed = told.has(others.serverId) || (holds && told.has(own.serverId))
  const isShown = questionsAbout(memory, own.commandId).some(({ ids }) => ids.includes(others.serverId))
  const isGivenUp = memory.decisions.some(
    ({ commandId, decision }) => commandId === own.commandId && givesUp.includes(decision),
  )
  if (isNoticed || isShown || isGivenUp) return
  findings.untold.push({
    what: own.kind,
    detail: `desk ${own.desk} was not told of ${others.serverId}: ${tellPair(about, own, others)}`,
  })
}

/**
 * Describes how two records were made. The text contains the times, in milliseconds, at which the desks searched, the
 * writes arrived, and the service applied the writes.
 */
function tellPair({ journal, memories }: Case, one: Made, other: Made): string {
  const start = Math.min(one.cameTicks, other.cameTicks)
  const since = (ticks: number | null): string => (ticks === null ? 'never' : `${Math.round(ticks - start)}`)
  const tell = (made: Made): string => {
    const command = memories[made.desk]?.commands.find(({ id }) => id === made.commandId)
    const decided = memories[made.desk]?.decisions.filter(({ commandId }) => commandId === made.commandId)
    const decisions = decided?.map(({ decision, question }) => `${decision} (${question?.ids.join(' ')})`)
    return [
      `${made.serverId} by desk ${made.desk} (command ${made.commandId}`,
      `looked ${since(journal.lookBefore(made))}, came ${since(made.cameTicks)}, applied ${since(made.appliedTicks)}`,
      journal.tellLookBefore(made, start, [one.serverId, other.serverId]),
      `${command?.state ?? 'no command'} after ${command?.attempts ?? 0} tries`,
      `decided ${decisions?.join(', ')})`,
    ].join(', ')
  }
  return `${tell(one)} and ${tell(other)}`
}
