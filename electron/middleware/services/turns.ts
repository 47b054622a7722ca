import { AsyncLocalStorage } from 'node:async_hooks'
import type { Writable } from 'node:stream'
import { lettingOthersBetweenTries } from '../data/engine/conflicts.ts'
import { FairGate, FairQueue } from './fair-queue.ts'
import { Refusal } from './refusal.ts'

/** A call that runs when it is its owner's turn. */
export interface TurnCall {
  /**
   * A customer's id, or the id of a warehouse user. Calls of one owner wait only for each other and for their turn.
   * Work of the service for a customer, such as an export, has its own owner, so that it does not wait for the
   * customer's calls.
   */
  readonly owner: string
  readonly kind: 'read' | 'write'
  /** The response of the call. It closes when it was sent or the client has disconnected. */
  readonly response: Pick<Writable, 'closed' | 'once' | 'off'>
}

/**
 * Maximum number of waiting calls of one owner, by their kind. Further calls are refused, because each waiting write
 * keeps its body in memory.
 */
export type WaitingLimits = Readonly<Record<TurnCall['kind'], number>>

export const usualWaitingLimits: WaitingLimits = { read: 128, write: 24 }

const retryAfterSeconds = 5

/** Milliseconds of work after which the event loop runs (`#letLoopRun`) before the next call. */
const usualPortionMs = 10
/** Number of event loop iterations without a new connection after which no further connection is expected. */
const quietLoopTurns = 20
/**
 * Maximum duration, in milliseconds, of the wait for new connections before the next call. Clients can make each
 * iteration of the event loop long, even without a login, such as with a flood of refused calls. If the calls since the
 * last such wait took longer, their duration is the maximum instead. Many connections are therefore accepted after a
 * long call, and the calls still have a share of the time.
 */
const longestQuietMs = 25
/**
 * Maximum duration, in milliseconds, of the wait for new connections and for the owners of new calls. If the calls
 * since the last such wait took longer, their duration is the maximum instead.
 */
const longestLookMs = 250

/** The turn in which a call runs. Work that the call started also sees this turn, even after the call has ended. */
const current = new AsyncLocalStorage<HeldTurn>()

interface HeldTurn {
  readonly isHeld: boolean
  readonly leave: () => void
  readonly pass: () => Promise<void>
  readonly takeAgain: () => Promise<void>
}

/**
 * Runs work that waits for something other than the database, such as a carrier or another call, while other calls have
 * their turns. Must not be called inside a transaction, because this call would wait for a turn while other calls wait
 * for the transaction. If the caller has no turn, only runs the work.
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
 * Lets the calls of other owners have their turns between two steps of a long call. Must not run inside a transaction.
 */
export async function betweenSteps(): Promise<void> {
  const turn = current.getStore()
  if (turn?.isHeld) await turn.pass()
}

/** The right of a call to run. While the call holds it, other calls of the same owner wait. */
interface Turn {
  isHeld: boolean
  /** When the call began or, after an interruption, continued, on the clock of `performance`. */
  begunAt: number
}

/**
 * Runs the calls of each owner one at a time, in their order, and the owners in turn. `ownersAtOnce`: number of owners
 * whose calls may run at the same time. It is 1 for SQLite, which has one connection and works synchronously, so that
 * parallel calls would not be faster. A call gets its turn before it begins. A running call must not wait for a second
 * turn, because that turn would begin only after the call ends. `lookUps`: limits for the number of simultaneous
 * look-ups (see `lookUp`); there is no limit for SQLite.
 */
export class Turns {
  readonly #limits: WaitingLimits
  readonly #ownersAtOnce: number
  readonly #portionMs: number
  readonly #waiting = new FairQueue<() => void>()
  readonly #lookUps: FairGate
  readonly #steps: FairGate
  /** The owners whose calls are running. */
  readonly #running = new Set<string>()
  /** Number of waiting calls, by kind and owner. */
  readonly #counts = new Map<string, number>()
  /** Milliseconds of work since the event loop last ran. */
  #workedMs = 0
  #arrivals = 0
  /** The calls whose owner is being determined. */
  readonly #coming = new Set<object>()

  constructor(
    limits: WaitingLimits,
    {
      ownersAtOnce = 1,
      portionMs = usualPortionMs,
      lookUps = { inAll: Infinity, ofOneOwner: Infinity },
    } = {},
  ) {
    this.#limits = limits
    this.#lookUps = new FairGate(lookUps)
    this.#steps = new FairGate({ inAll: ownersAtOnce, ofOneOwner: 1 })
    this.#ownersAtOnce = ownersAtOnce
    this.#portionMs = portionMs
  }

  /**
   * Runs `work` in a turn of the call's owner. Refused with `too_many` if too many calls of the owner are waiting.
   * Returns false, without running `work`, if the client disconnected before the turn.
   */
  async run(call: TurnCall, work: () => Promise<void>): Promise<boolean> {
    if (hasLeft(call)) return false
    if (!this.#begin(call.owner)) {
      this.requireRoom(call)
      if (!(await this.#waitUntilLeft(call))) return false
    }
    return this.#work(call.owner, async () => {
      if (hasLeft(call)) return false
      await work()
      return true
    })
  }

  /**
   * Runs `work` in a turn of `owner`, after the event loop has run. Unlike `run`, it never refuses the work, and it
   * runs the work even if a client has disconnected.
   */
  async runFor<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    await new Promise((resolve) => setImmediate(resolve))
    await this.#wait(owner)
    return this.#work(owner, work)
  }

  async #work<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    const turn = {
      isHeld: true,
      begunAt: performance.now(),
      leave: () => this.#give(owner, turn),
      pass: () => this.#pass(owner, turn),
      takeAgain: () => this.#takeAgain(owner, turn),
    }
    try {
      await this.#letLoopRun()
      turn.begunAt = performance.now()
      return await current.run(turn, () => lettingOthersBetweenTries(betweenSteps, work))
    } finally {
      this.#give(owner, turn)
    }
  }

  /** Refuses a call if too many calls of its owner wait. Also called before the body of a request is read. */
  requireRoom({ owner, kind }: Pick<TurnCall, 'owner' | 'kind'>): void {
    if ((this.#counts.get(`${kind} ${owner}`) ?? 0) >= this.#limits[kind]) throw tooManyWaiting()
  }

  /**
   * Runs short work on the database that needs no turn, such as the check of a token. A client can cause any number of
   * such look-ups, even without a login. Therefore only a few look-ups run at the same time with PostgreSQL: otherwise
   * they would use all connections to the database, and the calls that have their turn would wait. The look-ups of
   * different owners run in turn. `owner`: the id of the user who calls; the network of the client if the user is not
   * known yet. Must not be called inside another look-up.
   */
  lookUp<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    return this.#lookUps.run(owner, work)
  }

  /**
   * Runs a short step of a download, such as the read of a part of a file. Downloads have no turn, because their
   * clients may be slow. Each owner runs one step at a time. At most as many owners run steps at the same time as may
   * have a turn, and the owners run in turn. After each step the event loop runs, so that the time that another call
   * waits does not depend on the number of downloads. The work may contain a look-up, but no further step.
   */
  step<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    return this.#steps.run(owner, async () => {
      const result = await work()
      await new Promise((resolve) => setImmediate(resolve))
      return result
    })
  }

  /**
   * Runs the look-up that determines the owner of a call. If another call gets its turn meanwhile, that call may wait a
   * short time for the end of this look-up before it starts (`#letLoopRun`).
   */
  identify<Result>(user: string, work: () => Promise<Result>): Promise<Result> {
    return this.lookUp(user, async () => {
      const call = {}
      this.#coming.add(call)
      try {
        return await work()
      } finally {
        this.#coming.delete(call)
      }
    })
  }

  /** Called when a client has connected. */
  readonly arrived = (): void => {
    this.#arrivals++
  }

  /** Waits for a turn even if the client has disconnected, because a call that has begun must be completed. */
  async #takeAgain(owner: string, turn: Turn): Promise<void> {
    await this.#wait(owner)
    turn.isHeld = true
    turn.begunAt = performance.now()
  }

  /**
   * Interrupts a call, so that other owners (such as customers) get their turns. The call continues in the next turn of
   * its owner. Until then no other call of this owner begins, because the interrupted call keeps its data in memory.
   */
  async #pass(owner: string, turn: Turn): Promise<void> {
    const again = new Promise<void>((resolve) => this.#waiting.addFirst(owner, resolve))
    this.#give(owner, turn)
    await again
    turn.isHeld = true
    await new Promise((resolve) => setImmediate(resolve))
    turn.begunAt = performance.now()
  }

  async #wait(owner: string): Promise<void> {
    if (!this.#begin(owner)) await new Promise<void>((resolve) => this.#waiting.add(owner, resolve))
  }

  /**
   * Begins a turn of an owner. Returns false if the owner already has a turn, or if as many owners have a turn as the
   * limit (`ownersAtOnce`) allows; then the call must wait.
   */
  #begin(owner: string): boolean {
    if (this.#running.size >= this.#ownersAtOnce || this.#running.has(owner)) return false
    this.#running.add(owner)
    return true
  }

  /**
   * Ends a turn, unless it has ended already, and begins the turn of the next waiting call at once, so that a call that
   * arrives later does not overtake the waiting call.
   */
  #give(owner: string, turn: Turn): void {
    if (!turn.isHeld) return
    turn.isHeld = false
    this.#workedMs += performance.now() - turn.begunAt
    this.#running.delete(owner)
    this.#waiting.take((next) => this.#begin(next))?.()
  }

  /**
   * Lets the event loop detect closed and new connections. The event loop does not run during a call, and accepts one
   * new connection per iteration. Therefore this function first lets it run several iterations: with one iteration
   * between two calls, a client behind ten other new connections would have to wait for ten calls. Then this function
   * waits until the owners of the calls that have arrived are known. It does not wait for calls that arrive later:
   * otherwise a client that sends refused calls without a pause would delay every other call. Both waits end in time
   * even if clients never stop.
   */
  async #letLoopRun(): Promise<void> {
    if (this.#workedMs < this.#portionMs) return
    const begunAt = performance.now()
    const quietUntil = begunAt + Math.max(longestQuietMs, this.#workedMs)
    const until = begunAt + Math.max(longestLookMs, this.#workedMs)
    this.#workedMs = 0
    for (let quiet = 0; quiet < quietLoopTurns && performance.now() < quietUntil; quiet++) {
      const before = this.#arrivals
      await new Promise((resolve) => setImmediate(resolve))
      if (this.#arrivals !== before) quiet = 0
    }
    const arrived = [...this.#coming]
    while (arrived.some((call) => this.#coming.has(call)) && performance.now() < until)
      await new Promise((resolve) => setImmediate(resolve))
  }

  /** Waits for the turn of a call. Returns false if the client disconnects before the turn. */
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

/** Refuses a call with 429 because too many calls of its owner wait. */
export function tooManyWaiting(): Refusal {
  const message = 'Too many calls are waiting. Try again in a few seconds.'
  return new Refusal('too_many', message, { retryAfterSeconds })
}

function hasLeft({ response }: TurnCall): boolean {
  return response.closed
}
