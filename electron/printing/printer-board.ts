import type { PrinterPort, PrintersPort } from '#desk/ports/printers.ts'
import { paperSizeInThread } from '#labels/raster-in-thread.ts'
import type { PaperKind, PaperSize, PrintRoute } from '#shared/bridge/printer-views.ts'

/**
 * The printers of this desk. The list of printers can be replaced while the desk runs; a running job continues on the
 * printer that began it.
 */
export interface PrinterBoard extends PrintersPort {
  /** Sets the printers, at least one. The first prints every kind of paper that has no route. */
  use(printers: readonly [PrinterPort, ...PrinterPort[]]): void
  /** Sets which printer prints each kind of paper, from now on. */
  route(routes: readonly PrintRoute[]): void
}

/**
 * Creates the `PrinterBoard` of a desk with its first list of printers. `sizeOf` returns the paper size of a document;
 * if `sizeOf` throws, the size counts as unknown.
 */
export function createPrinterBoard(
  first: readonly [PrinterPort, ...PrinterPort[]],
  sizeOf: (document: Uint8Array) => Promise<PaperSize> = paperSizeInThread,
): PrinterBoard {
  let current = first
  let routes: readonly PrintRoute[] = []
  const named = (name: string): PrinterPort | null => current.find((printer) => printer.name === name) ?? null
  const routeTo = (kind: PaperKind, size: PaperSize | null): PrinterPort | null => {
    const route = routes.find((one) => one.paper === kind && one.size === size)
    return route ? named(route.printerId) : null
  }
  const routed = async (kind: PaperKind, document: Uint8Array): Promise<PrinterPort | null> => {
    // if this kind of paper has no route, the size of the document does not matter, so the document is not read
    if (!routes.some(({ paper }) => paper === kind)) return null
    const known = await sizeOf(document).catch(() => null)
    return routeTo(kind, known)
  }
  return {
    all: () => current,
    named,
    usual: (kind) => routeTo(kind, 'label') ?? current[0],
    forPaper: async (kind, document) => (await routed(kind, document)) ?? current[0],
    use(printers) {
      current = printers
    },
    route(wanted) {
      routes = wanted
    },
  }
}
