import { AsyncLocalStorage } from 'node:async_hooks'
import type { Writable } from 'node:stream'
import { FairQueue } from './fair-queue.ts'
import { Refusal } from './refusal.ts'

/** A call that is worked on when it is its owner's turn. */
export interface TurnCall {
  /** Calls of one owner wait behind each other and not before those of others: a customer's id, or a warehouse user's. */
  readonly owner: string
  readonly kind: 'read' | 'write'
  /** Closes when it was sent or its client has left. */
  readonly response: Pick<Writable, 'closed' | 'once' | 'off'>
}

/** Calls of one owner that wait at most, by their kind; further ones are refused. Each write that waits holds its body. */
export type WaitingLimits = Readonly<Record<TurnCall['kind'], number>>

export const usualWaitingLimits: WaitingLimits = { read: 128, write: 24 }

const retryAfterSeconds = 5

/** Milliseconds of work after which the loop turns before the next call. */
const usualPortionMs = 10
/** Turns of the loop without a new connection after which none is expected. */
const quietLoopTurns = 20
/** Milliseconds for which calls may wait for those that come, or as long as the work before took. */
const longestLookMs = 250

/** The turn in which a call runs, also seen by what it has started and what goes on after it. */
const current = new AsyncLocalStorage<HeldTurn>()

interface HeldTurn {
  readonly isHeld: boolean
  readonly leave: () => void
  readonly takeAgain: () => Promise<void>
}

/**
 * Runs work that waits for something other than the database, such as a carrier or another call, while other calls have
 * their turns. Not inside a transaction, which would wait for a turn while others wait for the transaction. Outside a
 * turn it runs the work alone.
 */
export async function outOfTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  const turn = current.getStore()
  if (!turn?.isHeld) return work()
  turn.leave()
  try {
    return await work()
  } finally {
    await turn.takeAgain()
  }
}

/**
 * Runs calls one at a time: those of each owner in their order, the owners in turn. The engine has one connection, and
 * works without a pause, so that calls at the same time would gain nothing. A turn is taken before a call begins and by
 * nothing inside of it, hence no call waits for a turn that it holds itself.
 */
export class Turns {
  readonly #limits: WaitingLimits
  readonly #portionMs: number
  readonly #waiting = new FairQueue<() => void>()
  /** Calls that wait, by kind and owner. */
  readonly #counts = new Map<string, number>()
  #isTaken = false
  #begunAt = 0
  /** Milliseconds of work since the loop turned last. */
  #workedMs = 0
  #arrivals = 0
  /** Calls whose owners are being found. */
  #coming = 0

  constructor(limits: WaitingLimits, portionMs = usualPortionMs) {
    this.#limits = limits
    this.#portionMs = portionMs
  }

  /**
   * Refused with `too_many` where enough calls of the owner wait already. False: the client left before the call had its
   * turn, and nothing was done.
   */
  async run(call: TurnCall, work: () => Promise<void>): Promise<boolean> {
    if (hasLeft(call)) return false
    if (this.#isTaken) {
      this.requireRoom(call)
      if (!(await this.#waitUntilLeft(call))) return false
    } else this.#isTaken = true
    return this.#work(call.owner, async () => {
      if (hasLeft(call)) return false
      await work()
      return true
    })
  }

  /** Runs a piece of work that no client waits for, when it is its owner's turn; the loop turns before. None is refused. */
  async runFor<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    await new Promise((resolve) => setImmediate(resolve))
    await this.#wait(owner)
    return this.#work(owner, work)
  }

  async #work<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    const turn = {
      isHeld: true,
      leave: () => this.#give(turn),
      takeAgain: () => this.#takeAgain(owner, turn),
    }
    try {
      await this.#lookAround()
      this.#begunAt = performance.now()
      return await current.run(turn, work)
    } finally {
      this.#give(turn)
    }
  }

  /** Refuses a call for which its owner has too many waiting: before its body is read, too. */
  requireRoom({ owner, kind }: Pick<TurnCall, 'owner' | 'kind'>): void {
    if ((this.#counts.get(`${kind} ${owner}`) ?? 0) < this.#limits[kind]) return
    const message = 'Too many calls wait for their turn already. Try again in a few seconds.'
    throw new Refusal('too_many', message, { retryAfterSeconds })
  }

  /** Finds out whose call it is, for which the next turn waits a little. */
  async identify<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#coming++
    try {
      return await work()
    } finally {
      this.#coming--
    }
  }

  /** A client has connected. */
  readonly arrived = (): void => {
    this.#arrivals++
  }

  /** What it has begun is to be ended, whether or not its client has left. */
  async #takeAgain(owner: string, turn: { isHeld: boolean }): Promise<void> {
    await this.#wait(owner)
    turn.isHeld = true
    this.#begunAt = performance.now()
  }

  async #wait(owner: string): Promise<void> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#waiting.add(owner, resolve))
    else this.#isTaken = true
  }

  /** Hands the turn over, so that a call that arrives in between does not overtake. */
  #give(turn: { isHeld: boolean }): void {
    turn.isHeld = false
    if (this.#begunAt > 0) this.#workedMs += performance.now() - this.#begunAt
    this.#begunAt = 0
    const next = this.#waiting.take()
    if (next) next()
    else this.#isTaken = false
  }

  /**
   * Lets the loop see who left and who came. It accepts one new connection a turn and stands still while a call is worked
   * on: without many turns in between, each client that connects would wait for a call per connection before its own.
   */
  async #lookAround(): Promise<void> {
    if (this.#workedMs < this.#portionMs) return
    const until = performance.now() + Math.max(longestLookMs, this.#workedMs)
    this.#workedMs = 0
    for (let quiet = 0; quiet < quietLoopTurns || (this.#coming > 0 && performance.now() < until); quiet++) {
      const before = this.#arrivals
      await new Promise((resolve) => setImmediate(resolve))
      if (this.#arrivals !== before && performance.now() < until) quiet = 0
    }
  }

  /** Waits for the turn; false: the client has left before. */
  async #waitUntilLeft({ owner, kind, response }: TurnCall): Promise<boolean> {
    const turn = Promise.withResolvers<boolean>()
    const go = (): void => {
      turn.resolve(true)
    }
    const leave = (): void => {
      this.#waiting.remove(owner, go)
      turn.resolve(false)
    }
    this.#waiting.add(owner, go)
    this.#count(`${kind} ${owner}`, 1)
    response.once('close', leave)
    const hasTurn = await turn.promise
    response.off('close', leave)
    this.#count(`${kind} ${owner}`, -1)
    return hasTurn
  }

  #count(key: string, change: 1 | -1): void {
    const count = (this.#counts.get(key) ?? 0) + change
    if (count === 0) this.#counts.delete(key)
    else this.#counts.set(key, count)
  }
}

function hasLeft({ response }: TurnCall): boolean {
  return response.closed
}
