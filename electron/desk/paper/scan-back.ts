import { bearsCode } from '#shared/domain/preflight.ts'
import { awaitsScanBack } from '#shared/domain/print-rules.ts'
import { labelTitle } from '../labels/label-title.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { LabelLedger } from '../ports/label-ledger.ts'
import type { PrintJobStore } from '../ports/print-jobs.ts'

export interface ScanBackParts {
  readonly jobs: Pick<PrintJobStore, 'move' | 'onPaper'>
  readonly labels: LabelLedger
  readonly clock: ClockPort
  readonly moved: (labelId: string) => void
}

/** Another label that came out so short a time ago belongs on the parcel in front of the operator. */
const justPrintedMs = 10 * 60_000

/**
 * The barcode of a printed label was scanned: its paper is there and in somebody's hand. Answers the label that came out
 * last and was not scanned yet, where that is another one: the two may have been swapped.
 */
export function scanBack(
  { jobs, labels, clock, moved }: ScanBackParts,
  labelId: string,
  scan: { readonly id: string; readonly raw: string },
): { readonly labelId: string; readonly title: string } | null {
  const label = labels.get(labelId)
  if (!label || !bearsCode(scan.raw, labels.codesOf(labelId))) return null
  const { print } = label
  const isWaited =
    print !== null && (awaitsScanBack(print.state, print.file !== null) || print.state === 'unknown')
  if (isWaited) {
    const details = { at: clock.now(), failure: null, evidence: `scan ${scan.id}`, file: null }
    if (jobs.move(print.id, print.state, 'scan_confirmed', details)) moved(labelId)
    return null
  }
  const [last] = jobs.onPaper(clock.now() - justPrintedMs, 1)
  const other = last && last.labelId !== labelId ? labels.get(last.labelId) : null
  return other && { labelId: other.id, title: labelTitle(other) }
}
