import type { ScanEntry, ScanOutcome } from '#shared/bridge/scan-views.ts'

const railLength = 10

/**
 * The last ten scans. The outcomes of scans in this session are stored too, so that their cards can be shown again
 * without a look-up.
 */
export class ScanMemory {
  #recent = $state.raw<readonly ScanEntry[]>([])
  #outcomes: readonly ScanOutcome[] = []

  /** The last scans, newest first. Commands are left out, because no card belongs to them. */
  get recent(): readonly ScanEntry[] {
    return this.#recent
  }

  load(entries: readonly ScanEntry[]): void {
    this.#take(entries)
  }

  outcomeOf(entry: ScanEntry): ScanOutcome | null {
    return this.#outcomes.find(({ scanId }) => scanId === entry.scanId) ?? null
  }

  add(outcome: ScanOutcome): void {
    this.#outcomes = [outcome, ...this.#outcomes.filter((known) => known.scanId !== outcome.scanId)]
    const { scanId, raw, at, kind } = outcome
    const entry = { scanId, raw, at, kind, title: this.#titleOf(outcome) }
    const isOld = this.#recent.some((old) => old.scanId === scanId)
    // a scan whose card is shown again keeps its position in the list
    this.#take(isOld ? this.#recent.map((old) => (old.scanId === scanId ? entry : old)) : this.#with(entry))
  }

  /**
   * Returns the list with a new entry, sorted by the time of the scan, newest first. The look-up of a later scan can
   * end before the look-up of an earlier scan.
   */
  #with(entry: ScanEntry): ScanEntry[] {
    const earlier = this.#recent.findIndex(({ at }) => at <= entry.at)
    return this.#recent.toSpliced(earlier === -1 ? this.#recent.length : earlier, 0, entry)
  }

  #titleOf(outcome: ScanOutcome): string | null {
    if (outcome.kind === 'shipment') return outcome.shipment.recipient?.name ?? outcome.shipment.reference
    if (outcome.kind === 'article') return outcome.variant.name
    if (outcome.kind === 'location') return outcome.location.code
    if (outcome.kind === 'modification') return outcome.modification.reference
    if (outcome.kind === 'badge') return outcome.username
    if (outcome.kind !== 'return_label') return null
    // a label does not contain the name of the recipient; if its shipment is among the last scans, it gets the title of
    // the shipment
    const { shipmentId, shipmentReference } = outcome.label
    for (const known of this.#outcomes) {
      if (known.kind === 'shipment' && known.shipment.id === shipmentId) return this.#titleOf(known)
    }
    return shipmentReference
  }

  #take(entries: readonly ScanEntry[]): void {
    this.#recent = entries.filter(({ kind }) => kind !== 'command').slice(0, railLength)
    const shown = this.#recent.map(({ scanId }) => scanId)
    this.#outcomes = this.#outcomes.filter(({ scanId }) => shown.includes(scanId))
  }
}
