import type { PrinterPort } from '#desk/ports/printers.ts'

/** A printer that can be exchanged while the desk runs; a job on its way stays with the one that began it. */
export interface PrinterSlot extends PrinterPort {
  use(printer: PrinterPort): void
}

export function createPrinterSlot(first: PrinterPort): PrinterSlot {
  let current = first
  return {
    get name() {
      return current.name
    },
    get folder() {
      return current.folder
    },
    status: () => current.status(),
    print: (request) => current.print(request),
    lookFor: (request) => current.lookFor(request),
    use: (printer) => {
      current = printer
    },
  }
}
