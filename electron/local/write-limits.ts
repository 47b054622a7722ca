import type { OutboxStore } from '#desk/ports/commands.ts'
import type { StorePort } from '#desk/ports/store.ts'
import { missingSpace, type SpaceLimits } from '#kit/disk-space.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import type { Journal } from './journal/journal.ts'

/**
 * Limits the number of bytes that calls of the window write to desk.db. Each write stays in the journal until a backup
 * contains it, so a compromised page could fill the disk within minutes, and the next scan would be lost. The limits do
 * not apply to writes that the desk starts, because otherwise results of the service or of a printer would be lost.
 */
export interface WriteLimits {
  readonly scans: ByteBudget
  /** The budget of bytes for labels, bookings, decisions and choices. */
  readonly acts: ByteBudget
  /**
   * The budget of bytes for drafts of bookings. It is refilled faster than `acts`, because each scan for a booking
   * writes the whole draft again.
   */
  readonly bookings: ByteBudget
  /** The budget of bytes for data that replaces an earlier value: drafts of labels, and lists of locations. */
  readonly drafts: ByteBudget
}

const mib = 1024 ** 2

/**
 * Creates the budgets. Each hour a backup makes the journal's files removable. The bytes that all budgets allow in an
 * hour are fewer than the bytes that large files must leave free (SpaceLimits). For comparison: five scans of 100
 * characters a second write 0.3 MB a minute, a scan into a booking of 300 lines writes 50 to 130 kB, and the longest
 * list of locations writes 20 MB.
 *
 * `ticks`: monotonic milliseconds.
 */
export function createWriteLimits(ticks: () => number = () => performance.now()): WriteLimits {
  return {
    scans: new ByteBudget(64 * mib, mib, ticks),
    acts: new ByteBudget(64 * mib, mib, ticks),
    bookings: new ByteBudget(64 * mib, 3 * mib, ticks),
    drafts: new ByteBudget(256 * mib, 4 * mib, ticks),
  }
}

/**
 * Keys of the values that the desk writes without a call of the window. No limit on written bytes applies to them. All
 * other values are limited: a value with a time (`at` of `ScopeValues.write`) is a draft of a label
 * (`WriteLimits.drafts`), and a value without a time is a setting (`WriteLimits.acts`).
 */
const ownKeys: readonly string[] = ['last_session', 'offline_since']

const minuteMs = 60_000

/**
 * A budget of bytes. The budget has at most `most` bytes, each write takes its bytes from the budget, and each minute
 * `perMinute` bytes are added. The last write may exceed the budget, because its size is known only after the write.
 */
class ByteBudget {
  readonly #most: number
  readonly #perMinute: number
  readonly #ticks: () => number
  #left: number
  #countedAt: number

  constructor(most: number, perMinute: number, ticks: () => number) {
    this.#most = most
    this.#perMinute = perMinute
    this.#ticks = ticks
    this.#left = most
    this.#countedAt = ticks()
  }

  /** Throws CataloguedError `store.too_much` if the number of bytes that may be written is used up. */
  check(): void {
    const now = this.#ticks()
    const added = ((now - this.#countedAt) / minuteMs) * this.#perMinute
    this.#left = Math.min(this.#most, this.#left + added)
    this.#countedAt = now
    if (this.#left <= 0) throw new CataloguedError('store.too_much')
  }

  take(bytes: number): void {
    this.#left -= bytes
  }
}

/**
 * The limits of this process. All desks share them, because a page can open a desk again, which must not refill the
 * budgets.
 */
export const sharedWriteLimits = createWriteLimits()

/** Maximum number of commands that are open or refused. A busy desk creates about 500 in a day without a connection. */
const mostUnsettled = 2_000

interface LimitParts {
  readonly journal: Pick<Journal, 'written'>
  readonly limits: WriteLimits
  readonly space: SpaceLimits
  readonly folder: string
}

/**
 * The methods of a ledger that write data because of a call of the window. `new_write`: the method may add a command.
 * `act`: the method adds no command; for example, it stores the response to a read that the window requested.
 */
export type LimitedMethods<L> = { readonly [M in keyof L]?: LimitKind }
type LimitKind = 'new_write' | 'act'

/**
 * Calls a method of a ledger and subtracts the written bytes from the budget. Throws CataloguedError if a limit is
 * reached.
 */
export type LimitedCalls = Readonly<Record<LimitKind, <R>(call: () => R) => R>>

/**
 * Returns the functions `act` and `new_write`, which call methods of the ledgers. Both functions throw `store.too_much`
 * if the byte budget of `limits.acts` is used up. `new_write` also throws `store.too_many_writes` while 2,000 commands
 * are open or refused, because each change of a command reads the lists and counts of these commands.
 */
export function createLimitedCalls(
  { journal, limits }: Pick<LimitParts, 'journal' | 'limits'>,
  outbox: Pick<OutboxStore, 'unsettledCounts'>,
): LimitedCalls {
  const { limited } = createCounting(journal)
  const act = <R>(call: () => R): R => limited(limits.acts, call)
  return {
    act,
    new_write(call) {
      const { waiting, asking } = outbox.unsettledCounts()
      if (waiting + asking >= mostUnsettled)
        throw new CataloguedError('store.too_many_writes', { limit: mostUnsettled })
      return act(call)
    },
  }
}

type Methods<L> = { readonly [M in keyof L]: (...args: never[]) => unknown }

/**
 * Returns a copy of the ledger (the store of labels or of bookings) in which `calls` limits the methods that `methods`
 * names. Such a method throws when too many bytes were written. A method that may add a command also throws when too
 * many commands are open or refused.
 */
export function limitMethods<L extends Methods<L>>(
  ledger: L,
  methods: LimitedMethods<L>,
  calls: LimitedCalls,
): L {
  const result = { ...ledger }
  for (const name of Object.keys(methods) as (keyof L)[]) {
    const kind = methods[name]
    if (kind === undefined) continue
    const method = ledger[name]
    // the compiler cannot see that the new function has the type of the method with this name
    result[name] = ((...args: never[]) => calls[kind](() => method(...args))) as L[typeof name]
  }
  return result
}

interface Counting {
  /** Writes, and subtracts the written bytes from the budget. */
  readonly counted: <R>(budget: ByteBudget, write: () => R) => R
  /** Writes like `counted`. Throws `store.too_much` without a write if the budget is used up. */
  readonly limited: <R>(budget: ByteBudget, write: () => R) => R
}

function createCounting(journal: Pick<Journal, 'written'>): Counting {
  const counted: Counting['counted'] = (budget, write) => {
    const before = journal.written()
    try {
      return write()
    } finally {
      budget.take(journal.written() - before)
    }
  }
  return {
    counted,
    limited(budget, write) {
      budget.check()
      return counted(budget, write)
    },
  }
}

type Limited = Pick<StorePort, 'scans' | 'choices' | 'queue' | 'printJobs' | 'values' | 'draft' | 'locations'>

/**
 * Returns the stores with limits on the methods that calls of the window use. A limited method also throws
 * `store.too_much` if these calls have written too much. Two operations also throw `store.low_disk` if the free space
 * is smaller than the space that large files must leave free: saving an unfinished label and importing a list of
 * locations. An operator can enter such a label or import such a list again later.
 */
export function limitWrites(store: Limited, { journal, limits, space, folder }: LimitParts): Limited {
  const { scans, choices, queue, printJobs, values, draft, locations } = store
  const { counted, limited } = createCounting(journal)
  const needSpace = (): void => {
    if (missingSpace(space, folder, 0) > 0) throw new CataloguedError('store.low_disk')
  }
  const { acts, drafts } = limits
  return {
    scans: {
      ...scans,
      append: (...args) => limited(limits.scans, () => scans.append(...args)),
      // `resolve` is never refused, because the meaning of a stored scan must be stored too
      resolve: (...args) => counted(limits.scans, () => scans.resolve(...args)),
    },
    choices: {
      ...choices,
      put: (...args) => limited(acts, () => choices.put(...args)),
      forget: (...args) => limited(acts, () => choices.forget(...args)),
    },
    queue: {
      ...queue,
      decide: (...args) => limited(acts, () => queue.decide(...args)),
      dismiss: (...args) => limited(acts, () => queue.dismiss(...args)),
      dismissApproved: (...args) => limited(acts, () => queue.dismissApproved(...args)),
    },
    printJobs: {
      ...printJobs,
      change: (...args) => limited(acts, () => printJobs.change(...args)),
      decide: (...args) => limited(acts, () => printJobs.decide(...args)),
    },
    values: {
      ...values,
      write(key, value, at) {
        if (ownKeys.includes(key)) {
          values.write(key, value, at)
          return
        }
        if (at !== undefined) needSpace()
        limited(at === undefined ? acts : drafts, () => {
          values.write(key, value, at)
        })
      },
    },
    draft: { ...draft, save: (...args) => limited(limits.bookings, () => draft.save(...args)) },
    locations: {
      ...locations,
      async import(found, at) {
        needSpace()
        drafts.check()
        const before = journal.written()
        try {
          return await locations.import(found, at)
        } finally {
          drafts.take(journal.written() - before)
        }
      },
      learn: (...args) => limited(acts, () => locations.learn(...args)),
      name: (...args) => limited(acts, () => locations.name(...args)),
      forget: (...args) => limited(acts, () => locations.forget(...args)),
    },
  }
}
