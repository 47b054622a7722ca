import type { PaperKind, PaperSize, PrintRoute } from '#shared/bridge/printer-views.ts'

/** A paper of this desk, in the order in which they are listed. */
export interface Paper {
  readonly paper: PaperKind
  readonly size: PaperSize
}

export const papers: readonly Paper[] = [
  { paper: 'return_label', size: 'label' },
  { paper: 'return_label', size: 'page' },
  { paper: 'sheet', size: 'label' },
  { paper: 'sheet', size: 'page' },
]

function keyOf({ paper, size }: Paper): string {
  return `${paper}/${size}`
}

/** Which paper of the open station comes out where, as it is chosen. */
export class RoutesDraft {
  /** By paper; one without a printer comes out of the first. */
  readonly #chosen = $state<Partial<Record<string, string>>>({})
  readonly #begun: string

  constructor(routes: readonly PrintRoute[]) {
    for (const route of routes) this.#chosen[keyOf(route)] = route.printerId
    this.#begun = this.#typed()
  }

  get isChanged(): boolean {
    return this.#typed() !== this.#begun
  }

  /** Null: the first printer. */
  printerOf(paper: Paper): string | null {
    return this.#chosen[keyOf(paper)] ?? null
  }

  choose(paper: Paper, printerId: string | null): void {
    this.#chosen[keyOf(paper)] = printerId ?? undefined
  }

  /** As the contract takes them. */
  routes(): PrintRoute[] {
    return papers.flatMap(({ paper, size }) => {
      const printerId = this.printerOf({ paper, size })
      return printerId === null ? [] : [{ paper, size, printerId }]
    })
  }

  #typed(): string {
    return JSON.stringify(this.routes())
  }
}
