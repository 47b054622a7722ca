/** A broken guarantee of the product, with the details for an investigation. */
export interface Finding {
  readonly what: string
  readonly detail: string
}

const kinds = ['lost', 'doubled', 'books', 'stuck', 'problems'] as const
type FindingKind = (typeof kinds)[number]

/** Maximum number of findings of each kind in a report. */
const mostShown = 20

/**
 * The findings of a run. `lost`: acknowledged writes, notifications and lines of exports that are missing, and valid
 * tokens that were refused. `doubled`: records that exist twice, and work that was done twice. `books`: contradictions
 * between stock, ledger and the records of all moves. `stuck`: work that no process continued although its lease had
 * ended, and leases of stopped processes. `problems`: other failures.
 */
export class Findings {
  readonly #found: Readonly<Record<FindingKind, Finding[]>> = {
    lost: [],
    doubled: [],
    books: [],
    stuck: [],
    problems: [],
  }

  add(kind: FindingKind, what: string, details: Iterable<string>): void {
    for (const detail of details) this.#found[kind].push({ what, detail })
  }

  /** Returns the number of findings of each kind. */
  get counts(): Readonly<Record<FindingKind, number>> {
    const { lost, doubled, books, stuck, problems } = this.#found
    return {
      lost: lost.length,
      doubled: doubled.length,
      books: books.length,
      stuck: stuck.length,
      problems: problems.length,
    }
  }

  get areClean(): boolean {
    return kinds.every((kind) => this.#found[kind].length === 0)
  }

  /** Returns the first findings of each kind, at most `mostShown` of each. */
  get shown(): Readonly<Record<string, readonly Finding[]>> {
    return Object.fromEntries(kinds.map((kind) => [kind, this.#found[kind].slice(0, mostShown)]))
  }
}
