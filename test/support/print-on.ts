import type { PrinterPort, PrintEvidence, PrintOutcome, PrintRequest } from '#desk/ports/printers.ts'

/** Makes a document ready and sends it, as the queue does for a job that nobody holds. */
export async function printOn(
  printer: PrinterPort,
  request: Omit<PrintRequest, 'placement'>,
): Promise<PrintOutcome> {
  const prepared = await printer.prepare({ ...request, placement: null })
  return prepared.ok ? prepared.value.send() : { kind: 'refused', failure: prepared.error }
}

/** What the printer shows of one job that was cut short. */
export async function evidenceOf(
  printer: PrinterPort,
  request: Omit<PrintRequest, 'document' | 'placement'>,
): Promise<PrintEvidence | null> {
  return (await printer.lookFor([request])).get(request.jobId) ?? null
}
