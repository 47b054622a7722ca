import { FaultCount } from '../outbox/fault-proxy.ts'
import type { SuiteReport } from '../suite-report.ts'
import type { Case } from './case.ts'
import { type Finding, Findings } from './findings.ts'
import type { ShiftEnd } from './shift.ts'

/** Minimum share of writes that must meet a fault, from 0 to 1. */
const leastFaulted = 0.15
const mostUnresolved = 0.01
/**
 * Minimum number of kills for two checks: there were questions to operators, and there were operators who requested the
 * same label or booking at the same time. A run with fewer kills may have neither.
 */
const enoughForQuestions = 20

const counted = [
  'operations',
  'scans',
  'presses',
  'simultaneous',
  'questions',
  'adopted',
  'goneOn',
  'dropped',
  'notices',
] as const
type Counted = (typeof counted)[number]

/** Adds up the results of all shifts and reports whether the product kept its guarantees. */
export class Tally {
  readonly faults = new FaultCount()
  readonly #options: { readonly seed: number; readonly isBlind: boolean }
  readonly #findings = new Findings()
  readonly #counts: Record<Counted, number>
  readonly #deaths: Record<string, number> = {}
  readonly #refused: Record<string, number> = {}
  readonly #problems: string[] = []
  readonly #late: Finding[] = []
  #lateShifts = 0
  #kills = 0
  #latestMs = 0

  constructor(options: { readonly seed: number; readonly isBlind: boolean }) {
    this.#options = options
    this.#counts = Object.fromEntries(counted.map((name) => [name, 0])) as Record<Counted, number>
  }

  died(death: string): void {
    this.#deaths[death] = (this.#deaths[death] ?? 0) + 1
  }

  /**
   * A desk guarantees nothing for a write that is applied after the quiet time. A shift (a sequence of desk processes
   * on the same data folders) with such a write and a broken guarantee runs again, and its broken guarantees are listed
   * separately.
   */
  addLate(shift: number, { findings, latestMs, crashes, diary }: ShiftEnd): void {
    this.#lateShifts++
    // A late write cannot cause a crash or a logged fault. Therefore the crashes and logged faults of a shift that runs
    // again count as problems of the whole run, unlike its other findings.
    this.#problems.push(...crashes, ...diary.faults)
    for (const { what, detail } of findings.broken)
      this.#late.push({ what, detail: `shift ${shift}, late by ${Math.round(latestMs)} ms: ${detail}` })
  }

  add(shift: number, { kills, diary, findings, about, latestMs, crashes }: ShiftEnd): void {
    this.#kills += kills
    this.#latestMs = Math.max(this.#latestMs, Math.round(latestMs))
    const counts: Record<Counted, number> = {
      operations: diary.acknowledged.length,
      scans: diary.scans,
      presses: diary.presses,
      simultaneous: diary.simultaneous,
      ...countAsked(about),
    }
    for (const name of counted) this.#counts[name] += counts[name]
    for (const [code, times] of Object.entries(diary.refused))
      this.#refused[code] = (this.#refused[code] ?? 0) + times
    this.#problems.push(...crashes, ...diary.faults)
    this.#findings.add(findings, shift)
  }

  report(wallSeconds: number): SuiteReport {
    const { secondLabels, secondBookings, overlapped, ...found } = this.#findings
    const faulted = this.faults.faultedWrites / Math.max(1, this.faults.writes)
    const figures = {
      kills: this.#kills,
      ...this.#counts,
      secondLabels,
      secondBookings,
      unasked: found.unaskedLabels.length + found.unaskedBookings.length,
      untold: found.untold.length,
      claimedTwice: found.claimedTwice.length,
      doubled: found.doubled.length,
      lost: found.lost.length,
      unresolved: found.unresolved.length,
      unaskedLabels: found.unaskedLabels.length,
      misclaimed: found.misclaimed.length,
      overlapped,
      seed: this.#options.seed,
      control: this.#options.isBlind ? 'blind' : null,
      faultedWrites: Number(faulted.toFixed(3)),
      writes: this.faults.writes,
      latestMs: this.#latestMs,
      lateShifts: this.#lateShifts,
      wallSeconds,
      killsByPoint: this.#deaths,
      faultsByKind: this.faults.byFault,
      refusedAtOnce: this.#refused,
      problems: this.#problems.slice(0, 10),
      findings: { ...found, late: this.#late },
    }
    return { suite: 'desks', passed: this.#isKept(faulted), figures }
  }

  /**
   * A run with the deliberate fault (`isBlind`: no desk sees the records of another desk) passes if it found a second
   * label without a question. Any other run passes if no guarantee was broken, no problem occurred, few writes are
   * unresolved, and there were enough faults, operations and questions.
   */
  #isKept(faulted: number): boolean {
    if (this.#options.isBlind) return this.#findings.unaskedLabels.length > 0
    const { operations, questions, simultaneous } = this.#counts
    const isClean =
      !this.#findings.areBroken &&
      this.#problems.length === 0 &&
      this.#findings.unresolved.length <= Math.max(1, operations * mostUnresolved)
    const isHard = faulted >= leastFaulted && operations >= this.#kills
    const isMet = this.#kills < enoughForQuestions || (questions > 0 && simultaneous > 0)
    return isClean && isHard && isMet
  }
}

/**
 * Counts the commands for which a desk asked its operator about an existing record of another desk: all (`questions`),
 * and those for which the operator decided to adopt the record, to go on, or to discard the command. Also counts the
 * notices about records of other desks.
 */
function countAsked({
  memories,
}: Case): Pick<Record<Counted, number>, 'questions' | 'adopted' | 'goneOn' | 'dropped' | 'notices'> {
  const counts = { questions: 0, adopted: 0, goneOn: 0, dropped: 0, notices: 0 }
  for (const { decisions, questions, notices } of memories) {
    const decided = decisions.filter(({ question }) => question?.kind === 'exists')
    const open = [...questions].filter(([, { kind }]) => kind === 'exists').map(([commandId]) => commandId)
    const times = (decision: string): number =>
      new Set(decided.filter((one) => one.decision === decision).map(({ commandId }) => commandId)).size
    counts.questions += new Set([...decided.map(({ commandId }) => commandId), ...open]).size
    counts.adopted += times('adopt')
    counts.goneOn += times('go_on')
    counts.dropped += times('discard')
    counts.notices += notices.filter(({ kind }) => kind === 'other_desk').length
  }
  return counts
}
