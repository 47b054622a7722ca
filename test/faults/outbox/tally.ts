import type { SuiteReport } from '../suite-report.ts'
import type { Control } from './controls.ts'
import type { Deed } from './deed.ts'
import { FaultCount } from './fault-proxy.ts'
import { type Finding, Findings } from './findings.ts'
import type { ShiftEnd } from './shift.ts'
import type { Way } from './site.ts'

/**
 * Minimum share of each kind among all operations, and minimum share of writes with a fault among all writes, from 0 to
 * 1.
 */
const leastShare = 0.05
const leastFaulted = 0.4
const leastPerKill = 2
const mostUnresolved = 0.01
/**
 * Minimum number of operations for the check that each kind has the share `leastShare`. With fewer operations the
 * shares are accidental.
 */
const enoughForShares = 150

/** Adds up the results of all shifts and reports whether the product kept its guarantees. */
export class Tally {
  readonly faults = new FaultCount()
  readonly #options: { readonly seed: number; readonly way: Way; readonly control: Control | null }
  readonly #findings = new Findings()
  readonly #deaths: Record<string, number> = {}
  readonly #operations: Record<string, number> = {}
  readonly #refused: Record<string, number> = {}
  readonly #problems: string[] = []
  /**
   * Broken guarantees that do not count, because the service applied a write of the shift after the quiet time. Such a
   * shift runs again.
   */
  readonly #late: Finding[] = []
  #lateShifts = 0
  #kills = 0
  #latestMs = 0

  constructor(options: { readonly seed: number; readonly way: Way; readonly control: Control | null }) {
    this.#options = options
  }

  died(death: string): void {
    this.#deaths[death] = (this.#deaths[death] ?? 0) + 1
  }

  /**
   * If the service applies a write after the quiet time, the desk guarantees only a notice. A shift (a sequence of desk
   * processes on one data folder) with such a write and a broken guarantee runs again, and its broken guarantees are
   * listed separately.
   */
  addLate(shift: number, { findings, latestMs, crashes, diary }: ShiftEnd): void {
    this.#lateShifts++
    // A late write cannot cause a crash or a logged fault. Therefore the crashes and logged faults of a shift that runs
    // again count as problems of the whole run, unlike its other findings.
    this.#problems.push(...crashes, ...diary.faults)
    const { lost, duplicated, wrong, paper } = findings
    for (const one of [...lost, ...duplicated, ...wrong, ...paper])
      this.#late.push({ ...one, detail: `shift ${shift}, late by ${Math.round(latestMs)} ms: ${one.detail}` })
  }

  add(shift: number, { kills, diary, findings, latestMs, crashes }: ShiftEnd): void {
    this.#kills += kills
    this.#latestMs = Math.max(this.#latestMs, Math.round(latestMs))
    for (const { deed } of diary.acknowledged)
      for (const name of operationsOf(deed)) this.#operations[name] = (this.#operations[name] ?? 0) + 1
    for (const [code, times] of Object.entries(diary.refused))
      this.#refused[code] = (this.#refused[code] ?? 0) + times
    this.#problems.push(...crashes, ...diary.faults)
    for (const kind of ['lost', 'duplicated', 'wrong', 'unresolved', 'paper'] as const)
      this.#findings[kind].push(
        ...findings[kind].map((one) => ({ ...one, detail: `shift ${shift}: ${one.detail}` })),
      )
  }

  report(wallSeconds: number): SuiteReport {
    const { lost, duplicated, wrong, unresolved, paper } = this.#findings
    const operations = Object.values(this.#operations).reduce((sum, one) => sum + one, 0)
    const faulted = this.faults.faultedWrites / Math.max(1, this.faults.writes)
    const figures = {
      kills: this.#kills,
      operations,
      lost: lost.length,
      duplicated: duplicated.length,
      wrong: wrong.length,
      unresolved: unresolved.length,
      seed: this.#options.seed,
      way: this.#options.way,
      control: this.#options.control,
      paper: paper.length,
      faultedWrites: Number(faulted.toFixed(3)),
      writes: this.faults.writes,
      latestMs: this.#latestMs,
      lateShifts: this.#lateShifts,
      wallSeconds,
      operationsByKind: this.#operations,
      killsByPoint: this.#deaths,
      faultsByKind: this.faults.byFault,
      refusedAtOnce: this.#refused,
      unresolvedByKind: countKinds(unresolved),
      problems: this.#problems.slice(0, 10),
      findings: { lost, duplicated, wrong, unresolved, paper, late: this.#late },
    }
    return { suite: 'outbox', passed: this.#isKept(operations, faulted), figures }
  }

  /**
   * A run of the controls `naive` and `at-most-once` has a deliberate fault that the suite must find. With `naive` it
   * passes if it found duplicated writes. With `at-most-once` it passes if it found lost writes or wrong labels,
   * because a lost change makes the label at the service differ from the acknowledged label. A run of the product
   * passes if no guarantee was broken, few writes are unresolved, and there were enough faults and operations of every
   * kind.
   */
  #isKept(operations: number, faulted: number): boolean {
    const { lost, duplicated, wrong, unresolved, paper } = this.#findings
    if (this.#options.control === 'naive') return duplicated.length > 0
    if (this.#options.control === 'at-most-once') return lost.length + wrong.length > 0
    const isClean =
      lost.length + duplicated.length + wrong.length + paper.length + this.#problems.length === 0 &&
      unresolved.length <= Math.max(1, operations * mostUnresolved)
    const isHard = faulted >= leastFaulted && operations >= this.#kills * leastPerKill
    const shares = Object.values(this.#operations).map((one) => one / operations)
    const isVaried =
      operations < enoughForShares || (shares.length === 7 && Math.min(...shares) >= leastShare)
    return isClean && isHard && isVaried
  }
}

/** Counts open actions by their kind, state and reason. */
function countKinds(findings: readonly Finding[]): Record<string, number> {
  const kinds = findings.map(({ what, detail }) => `${what} ${detail.replace(/^shift \d+: /, '')}`)
  const counts: Record<string, number> = {}
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

/** One action of an operator may create, change and request a label. */
function operationsOf(deed: Deed): string[] {
  if (deed.kind === 'modification') return ['modification.create']
  if (deed.kind !== 'label') return [`return_label.${deed.kind}`]
  const mode = deed.shipmentId === null ? 'by hand' : deed.methodId === null ? 'by shipment' : 'by method'
  return [
    `return_label.create ${mode}`,
    ...(deed.shipmentId !== null && deed.city !== null ? ['return_label.patch'] : []),
    ...(deed.isRequested ? ['return_label.request'] : []),
  ]
}
