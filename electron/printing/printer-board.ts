import type { PrinterPort, PrintersPort } from '#desk/ports/printers.ts'
import { paperSizeInThread } from '#labels/raster-in-thread.ts'
import type { PaperKind, PaperSize, PrintRoute } from '#shared/bridge/printer-views.ts'

/** The printers that stand here, exchanged while the desk runs; a job on its way stays with the one that began it. */
export interface PrinterBoard extends PrintersPort {
  /** The first is the one that labels come out of; at least one. */
  use(printers: readonly [PrinterPort, ...PrinterPort[]]): void
  /** Which paper comes out of which printer, from now on. */
  route(routes: readonly PrintRoute[]): void
}

/** `sizeOf` reads a document; what it cannot read has no size. */
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
    // most stations have one printer: no document is opened for them
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
