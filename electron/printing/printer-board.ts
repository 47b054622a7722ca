import type { PrinterPort, PrintersPort } from '#desk/ports/printers.ts'

/** The printers that stand here, exchanged while the desk runs; a job on its way stays with the one that began it. */
export interface PrinterBoard extends PrintersPort {
  /** The first is the one that labels come out of; at least one. */
  use(printers: readonly [PrinterPort, ...PrinterPort[]]): void
}

export function createPrinterBoard(first: readonly [PrinterPort, ...PrinterPort[]]): PrinterBoard {
  let current = first
  return {
    all: () => current,
    named: (name) => current.find((printer) => printer.name === name) ?? null,
    use(printers) {
      current = printers
    },
  }
}
