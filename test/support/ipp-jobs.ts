import type { PrinterPort, PrintOutcome, PrintRequest } from '#desk/ports/printers.ts'
import { drawLabel } from '#labels/draw/draw-label.ts'
import { createIppPrinter, type IppPrinterOptions, type IppPrinterTimeouts } from '#printing/ipp-printer.ts'
import { labelSpec } from './label-specs.ts'

/** The tracking code on the label of the jobs from `ippJob`. */
export const ippLabelCode: string = labelSpec().trackingCode
const label = await drawLabel(labelSpec())
let jobs = 0

/** Returns a new job with a label of 4x6 inches, or with another document. */
export function ippJob(document: Uint8Array = label): Omit<PrintRequest, 'placement'> {
  const jobId = `00000000-0000-4000-8000-${String(++jobs).padStart(12, '0')}`
  return { jobId, document, isReprint: false, externalReference: null, createdAt: 0 }
}

/** Time limits for a printer behind a real print service. */
export const patient: IppPrinterTimeouts = {
  connectMs: 5_000,
  stallMs: 10_000,
  sendMs: 60_000,
  answerMs: 10_000,
  pollMs: 20,
  pendingMs: 10_000,
  pageMs: 25_000,
  jobMs: 60_000,
  faultMs: 10_000,
  lostMs: 10_000,
}

export function ippPrinterAt(uri: string, change: Partial<IppPrinterOptions> = {}): PrinterPort {
  const media = 'na_index-4x6_4x6in'
  return createIppPrinter({ name: 'ipp', uri, media, dpi: 203, timeouts: patient, ...change })
}

export function causeOf(outcome: PrintOutcome): unknown {
  return 'failure' in outcome ? outcome.failure.params['cause'] : null
}
