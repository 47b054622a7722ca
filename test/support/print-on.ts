import type { PrinterPort, PrintOutcome, PrintRequest } from '#desk/ports/printers.ts'

/** Makes a document ready and sends it, as the queue does for a job that nobody holds. */
export async function printOn(
  printer: PrinterPort,
  request: Omit<PrintRequest, 'placement'>,
): Promise<PrintOutcome> {
  const prepared = await printer.prepare({ ...request, placement: null })
  return prepared.ok ? prepared.value.send() : { kind: 'refused', failure: prepared.error }
}
