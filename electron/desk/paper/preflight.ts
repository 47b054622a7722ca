import type { PrintHold } from '#shared/domain/print-hold.ts'
import { judgeLabel } from '#shared/domain/preflight.ts'
import { labelTitle } from '../labels/label-title.ts'
import type { LabelLedger } from '../ports/label-ledger.ts'
import type { PrintJobRow, PrintJobStore } from '../ports/print-jobs.ts'
import type { PreparedPrint } from '../ports/printers.ts'
import type { LabelIndexStore } from '../ports/recent-store.ts'

export interface PreflightParts {
  readonly labels: Pick<LabelLedger, 'get' | 'byCode' | 'codesOf'>
  readonly labelIndex: Pick<LabelIndexStore, 'byCode'>
  readonly jobs: Pick<PrintJobStore, 'noteUnlisted' | 'wasUnlistedTold'>
}

/**
 * Looks at what will come out before anything of it is sent: it has to bear the label's own code and nobody else's
 * (shared/domain/preflight.ts). Codes that merely nothing here knows are told once for each shipping method.
 */
export function preflight(
  { labels, labelIndex, jobs }: PreflightParts,
  job: PrintJobRow,
  { pages }: PreparedPrint,
): PrintHold | null {
  const label = labels.get(job.labelId)
  if (!label) return null
  const verdict = judgeLabel({
    pages: pages.map(({ codes, hasUnreadBars }) => ({ texts: codes, hasUnreadBars })),
    expected: labels.codesOf(label.id),
    known(code) {
      const own = labels.byCode(code)
      if (own) return own.id === label.id ? null : labelTitle(own)
      const listed = labelIndex.byCode(code)
      if (!listed || listed.label.id === label.serverId) return null
      return listed.label.external_reference ?? ''
    },
  })
  if (verdict.kind === 'held') {
    if (verdict.why === 'nothing_readable') return { kind: verdict.why }
    return { kind: verdict.why, code: verdict.text, title: verdict.reference }
  }
  if (verdict.kind === 'unlisted' && !jobs.wasUnlistedTold(label.shippingMethodId))
    jobs.noteUnlisted(job.id, verdict.texts)
  return null
}
