import { type Case, type Made, questionsAbout } from './case.ts'
import type { Findings } from './findings.ts'

/** By these an operator says that a record that was shown is not the one, and that another is to be made. */
const makesAnother = ['go_on', 'send_again']
/** By these an operator gives up what the desk's own write was to make. */
const givesUp = ['adopt', 'discard', 'edit']

/**
 * Every label but the first of a shipment, and every booking but the first of the same, needs a reason: its operator was
 * shown each earlier one and wanted another, on the card before the press or by a question, or nobody could have seen the earlier one in time. Then both desks have to
 * tell their operators.
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

/** False: the desk that made the later one could have seen the earlier one, and asked nobody. */
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
        // sent again by the operator's word, although nobody could see whether it had arrived
        (decision === 'send_again' && earlier.commandId === later.commandId)),
  )
}

/** The operator pressed when the card showed this label of the shipment, or one that was made after it. */
function knewOf({ pressed, journal }: Case, later: Made, earlier: Made): boolean {
  return pressed.some(({ desk, deed, seenId }) => {
    if (desk !== later.desk || deed.kind !== 'label' || deed.shipmentId !== later.thing) return false
    const seen = seenId === null ? null : journal.creation(seenId)
    return seen !== null && seen.appliedTicks >= earlier.appliedTicks
  })
}

/** The desk of `own` has to say that the service has `others` as well. */
function judgeTold(about: Case, own: Made, others: Made, findings: Findings): void {
  const memory = about.memories[own.desk]
  if (!memory) throw new Error(`nobody remembers desk ${own.desk}`)
  const told = new Set(memory.notices.flatMap(({ kind, ids }) => (kind === 'other_desk' ? ids : [])))
  // after a lost answer it may take the other's record for its own: then its notice names the one that it made
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

/** Where two records came from, and when: milliseconds between looks, writes and their application. */
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
