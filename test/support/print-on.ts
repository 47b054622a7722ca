import type { PrinterPort, PrintEvidence, PrintOutcome, PrintRequest } from '#desk/ports/printers.ts'

/** Prepares a document and sends it to a printer, as the queue does for a job that is not held. */
export async function printOn(
  printer: PrinterPort,
  request: Omit<PrintRequest, 'placement'>,
): Promise<PrintOutcome> {
  const prepared = await printer.prepare({ ...request, placement: null })
  return prepared.ok ? prepared.value.send() : { kind: 'refused', failure: prepared.error }
}

/** Returns the printer's evidence that one interrupted job was printed; null: it has none. */
export async function evidenceOf(
  printer: PrinterPort,
  request: Omit<PrintRequest, 'document' | 'placement'>,
): Promise<PrintEvidence | null> {
  return (await printer.lookFor([request])).get(request.jobId) ?? null
}
