import type { PrinterPort, PrintersPort } from '#desk/ports/printers.ts'

/** Printers without routes: whatever asks gets the first. */
export function printersOf(all: () => readonly PrinterPort[]): PrintersPort {
  const first = (): PrinterPort => {
    const [printer] = all()
    if (!printer) throw new Error('no printer')
    return printer
  }
  return {
    all,
    named: (name) => all().find((one) => one.name === name) ?? null,
    usual: first,
    forPaper: () => Promise.resolve(first()),
  }
}
