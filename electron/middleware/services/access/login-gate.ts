import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import type { Clock } from '#kit/clock.ts'
import type { Logger } from '#kit/logger.ts'
import { addRefusedLogin, deleteRefusedLogins, refusedLoginTimes } from '../../data/access/refused-logins.ts'
import { type Database, inTransaction } from '../../data/engine/database.ts'
import { Refusal } from '../refusal.ts'
import { FairQueue } from '../fair-queue.ts'
import type { Turns } from '../turns.ts'
import { networkOf } from './network-of-address.ts'

/** Limits for logins and refreshes. `Infinity` removes a limit. */
export interface LoginLimits {
  /**
   * Maximum number of refused logins of one user name from one address (of IPv6: one network of 64 bits) within
   * `windowMs`. Further logins are refused without a check of their password.
   */
  readonly refusals: number
  /**
   * Maximum number of refused logins of all user names from one address (of IPv6: one network of 64 bits) within
   * `windowMs`. Logins that are being checked may exceed it by a few. Further logins are refused without a check of
   * their password.
   */
  readonly refusalsOfNetwork: number
  /** Length in milliseconds of the period in which refused logins and refreshes are counted. */
  readonly windowMs: number
  /**
   * Maximum number of refreshes of one login within `windowMs`. A client needs one refresh in the lifetime of an access
   * token.
   */
  readonly refreshes: number
  /**
   * Maximum number of password hashes that are computed at the same time. Each occupies one of libuv's four threads,
   * which the verification of tokens needs too.
   */
  readonly hashesAtOnce: number
  /** Maximum number of logins from one address (or network) that wait for their hash. Further logins are refused. */
  readonly hashesWaiting: number
}

/**
 * On a machine with several processors, the limits leave at least one processor free for the users who are logged in.
 */
export const usualLoginLimits: LoginLimits = {
  refusals: 10,
  // permits three wrong passwords at each of 100 desks behind one address
  refusalsOfNetwork: 300,
  windowMs: 60_000,
  refreshes: 60,
  hashesAtOnce: Math.max(1, Math.min(2, availableParallelism() - 1)),
  hashesWaiting: 16,
}

/**
 * Limits of a sandbox, whose passwords are public: few hashes are computed at the same time, and refused logins and
 * refreshes are not counted.
 */
export const noLoginLimits: LoginLimits = {
  ...usualLoginLimits,
  refusals: Infinity,
  refusalsOfNetwork: Infinity,
  refreshes: Infinity,
  hashesWaiting: 64,
}

/**
 * Maximum number of entries in each of two maps in memory: the refused logins by key (of a user name and a network,
 * or of a network), and the refreshes by login. If a map has more, the entry with the oldest call is removed.
 */
const mostRemembered = 10_000
/**
 * Maximum number of logins that wait for their hash, of all networks together. If more arrive, the last one of the
 * network with the most waiting logins is refused.
 */
const mostHashesWaiting = 256
/**
 * If too many logins wait for their password hash, a further login is refused, and the response asks the client to
 * repeat it after this number of seconds. With the usual limits and two hashes at a time, the waiting logins of one
 * network are processed in less time if no other network has any.
 */
const queueSeconds = 2

interface AddedRefusal {
  /** Number of refused logins with the same key within `windowMs`, including the added one. */
  readonly count: number
  readonly undo: () => Promise<void>
}

/** The refused logins of the last `windowMs`, by a key of the user name and the address, or of the address alone. */
export interface RefusedLogins {
  /**
   * Returns how many milliseconds ago each login with this `key` was refused, the oldest first.
   */
  ages(key: string): Promise<readonly number[]>
  /** Adds a refused login. Adds nothing and returns null if the key already has `most` refused logins. */
  add(key: string, most: number): Promise<AddedRefusal | null>
  clear(key: string): Promise<void>
}

/** Refused logins in the memory of this process. */
export class RefusedLoginsInMemory implements RefusedLogins {
  readonly #clock: Clock
  readonly #windowMs: number
  /** Times of refused logins in monotonic milliseconds, by key. */
  readonly #times = new Map<string, readonly number[]>()

  constructor(clock: Clock, { windowMs }: Pick<LoginLimits, 'windowMs'>) {
    this.#clock = clock
    this.#windowMs = windowMs
  }

  /** Number of keys in memory. */
  get remembered(): number {
    return this.#times.size
  }

  ages(key: string): Promise<readonly number[]> {
    const now = this.#clock.ticks()
    return Promise.resolve(this.#recent(key).map((ticks) => now - ticks))
  }

  add(key: string, most: number): Promise<AddedRefusal | null> {
    const known = this.#recent(key)
    if (known.length >= most) return Promise.resolve(null)
    const added = this.#clock.ticks()
    this.#remember(key, [...known, added])
    const undo = (): Promise<void> => {
      const times = this.#recent(key)
      const at = times.lastIndexOf(added)
      if (at >= 0) this.#remember(key, times.toSpliced(at, 1))
      return Promise.resolve()
    }
    return Promise.resolve({ count: known.length + 1, undo })
  }

  clear(key: string): Promise<void> {
    this.#times.delete(key)
    return Promise.resolve()
  }

  #recent(key: string): readonly number[] {
    const after = this.#clock.ticks() - this.#windowMs
    return (this.#times.get(key) ?? []).filter((ticks) => ticks > after)
  }

  #remember(key: string, times: readonly number[]): void {
    // the key is deleted and inserted again: a Map keeps the order of insertion, so its first key is the one with the
    // oldest call
    this.#times.delete(key)
    if (times.length === 0) return
    this.#times.set(key, times)
    if (this.#times.size > mostRemembered) forgetFirst(this.#times)
  }
}

/** Refused logins in the database, which all processes count together. */
export class StoredRefusedLogins implements RefusedLogins {
  readonly #database: Database
  readonly #clock: Clock
  readonly #windowMs: number

  constructor(database: Database, clock: Clock, { windowMs }: Pick<LoginLimits, 'windowMs'>) {
    this.#database = database
    this.#clock = clock
    this.#windowMs = windowMs
  }

  async ages(key: string): Promise<readonly number[]> {
    const now = this.#clock.now()
    const times = await refusedLoginTimes(this.#database, key, this.#window())
    // if the clock of another process is ahead, the stored time of a refused login is in the future and counts as now
    return times.map((time) => Math.max(0, now - Date.parse(time)))
  }

  async add(key: string, most: number): Promise<AddedRefusal | null> {
    const window = this.#window()
    const row = { key, refused_at: new Date(this.#clock.now()).toISOString() }
    return inTransaction(this.#database, async (connection) => {
      const { length } = await refusedLoginTimes(connection, key, window)
      if (length >= most) return null
      const id = await addRefusedLogin(connection, row, window.after)
      return { count: length + 1, undo: () => deleteRefusedLogins(this.#database, key, id) }
    })
  }

  clear(key: string): Promise<void> {
    return deleteRefusedLogins(this.#database, key)
  }

  /**
   * Returns the period whose refused logins count, from `windowMs` before the present time to `windowMs` after it. The
   * period ends, because another process whose clock is far ahead may have stored refused logins with later times.
   * Without the end these logins would count for too long.
   */
  #window(): { after: string; before: string } {
    const now = this.#clock.now()
    return {
      after: new Date(now - this.#windowMs).toISOString(),
      before: new Date(now + this.#windowMs).toISOString(),
    }
  }
}

export interface LoginAttempt {
  readonly username: string
  /** IP address of the caller. */
  readonly address: string
}

/**
 * Every login passes the gate before its password is compared with the hash. The gate slows down guessing and keeps a
 * flood of logins from blocking other calls.
 */
export class LoginGate {
  readonly #limits: LoginLimits
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #refused: RefusedLogins
  readonly #turns: Pick<Turns, 'lookUp'>
  /**
   * For each login (by the hash of its id), the start of its current window in monotonic milliseconds, and the number
   * of refreshes since then.
   */
  readonly #refreshed = new Map<string, { readonly since: number; readonly count: number }>()
  /** The logins that wait for their hash, by network. Each function lets one login continue, or refuses it. */
  readonly #waiting = new FairQueue<(mayHash: boolean) => void>()
  #waitingCount = 0
  #hashing = 0

  constructor(
    limits: LoginLimits,
    clock: Clock,
    logger: Logger,
    refused: RefusedLogins,
    turns: Pick<Turns, 'lookUp'>,
  ) {
    this.#limits = limits
    this.#clock = clock
    this.#logger = logger
    this.#refused = refused
    this.#turns = turns
  }

  /**
   * Returns the result of `verify`, and counts a false result. If too many logins were refused or too many logins are
   * waiting, throws a Refusal `too_many` with the seconds to wait, without a call of `verify`.
   */
  async pass(attempt: LoginAttempt, verify: () => Promise<boolean>): Promise<boolean> {
    const network = addressBlock(attempt.address)
    const keys = { ofName: keyOf(attempt.username, network), ofNetwork: keyOf(network) }
    await this.#turns.lookUp(networkOf(attempt.address), () => this.#refuseGuessing(keys))
    await this.#takeTurn(network)
    try {
      // the limits are checked again after the wait, because earlier logins in the queue may have been wrong guesses
      // for the same user name or from the same network
      await this.#refuseGuessing(keys)
      const known = await this.#count(keys.ofName, attempt.address, verify)
      if (!known) await this.#countOfNetwork(keys.ofNetwork, attempt.address)
      return known
    } finally {
      this.#giveTurn()
    }
  }

  /**
   * Counts a refresh of a login, because each refresh writes to the database. Throws a Refusal `too_many` with the
   * seconds to wait if the limit is exceeded.
   */
  passRefresh(login: string): void {
    if (this.#limits.refreshes === Infinity) return
    const now = this.#clock.ticks()
    const known = this.#refreshed.get(login)
    const isOver = known === undefined || now - known.since >= this.#limits.windowMs
    const { since, count } = isOver ? { since: now, count: 0 } : known
    if (count >= this.#limits.refreshes)
      throw tooMany(
        'Too many refreshes of one login.',
        Math.max(1, Math.ceil((since + this.#limits.windowMs - now) / 1000)),
      )
    this.#refreshed.delete(login)
    this.#refreshed.set(login, { since, count: count + 1 })
    if (this.#refreshed.size > mostRemembered) forgetFirst(this.#refreshed)
  }

  /**
   * Returns the result of `verify`. Counts a login as refused until its password is verified, so that parallel guesses
   * count too. Throws a refusal if too many logins of the user name were refused.
   */
  async #count(key: string, address: string, verify: () => Promise<boolean>): Promise<boolean> {
    if (this.#limits.refusals === Infinity) return verify()
    const added = await this.#refused.add(key, this.#limits.refusals)
    // `add` returns null if another process has counted a refused login since the limit was checked
    if (added === null) throw this.#tooManyRefused(await this.#refused.ages(key))
    let known = false
    try {
      known = await verify()
    } catch (error) {
      await added.undo()
      throw error
    }
    if (known) await this.#refused.clear(key)
    else if (added.count === this.#limits.refusals)
      this.#logger.warn(
        { address },
        'too many refused logins of one user name; further logins are refused for now',
      )
    return known
  }

  /** Counts only logins whose password was wrong, so that many users behind one address can log in at the same time. */
  async #countOfNetwork(key: string, address: string): Promise<void> {
    const most = this.#limits.refusalsOfNetwork
    if (most === Infinity) return
    const added = await this.#refused.add(key, most)
    if (added?.count === most)
      this.#logger.warn(
        { address },
        'too many refused logins from one address; further logins are refused for now',
      )
  }

  async #refuseGuessing({ ofName, ofNetwork }: LoginKeys): Promise<void> {
    const { refusals, refusalsOfNetwork } = this.#limits
    for (const [key, most] of [
      [ofNetwork, refusalsOfNetwork],
      [ofName, refusals],
    ] as const) {
      if (most === Infinity) continue
      const ages = await this.#refused.ages(key)
      if (ages.length >= most) throw this.#tooManyRefused(ages)
    }
  }

  #tooManyRefused([oldest = 0]: readonly number[]): Refusal {
    const leftMs = this.#limits.windowMs - oldest
    return tooMany('Too many refused logins.', Math.max(1, Math.ceil(leftMs / 1000)))
  }

  /**
   * Waits until a password may be hashed. The networks take turns, so that many logins from one network do not delay
   * the logins from other networks.
   */
  async #takeTurn(network: string): Promise<void> {
    if (this.#hashing < this.#limits.hashesAtOnce) {
      this.#hashing++
      return
    }
    const ofNetwork = this.#waiting.count(network)
    if (ofNetwork >= this.#limits.hashesWaiting) throw tooManyAtOnce()
    if (this.#waitingCount >= mostHashesWaiting) {
      const refuse = this.#waiting.takeFromLargest(ofNetwork + 1)
      if (refuse === null) throw tooManyAtOnce()
      this.#waitingCount--
      refuse(false)
    }
    this.#waitingCount++
    const mayHash = await new Promise<boolean>((resolve) => this.#waiting.add(network, resolve))
    if (!mayHash) throw tooManyAtOnce()
  }

  /**
   * Lets the next login in the queue compute its hash. The count of running hashes stays the same, so that a login that
   * arrives now cannot exceed the limit.
   */
  #giveTurn(): void {
    const next = this.#waiting.take()
    if (next === null) {
      this.#hashing--
      return
    }
    this.#waitingCount--
    next(true)
  }
}

/** Removes the oldest entry: a Map keeps the order of insertion. */
function forgetFirst(remembered: Map<string, unknown>): void {
  for (const [first] of remembered) {
    remembered.delete(first)
    return
  }
}

function tooMany(message: string, retryAfterSeconds: number): Refusal {
  return new Refusal('too_many', message, { retryAfterSeconds })
}

function tooManyAtOnce(): Refusal {
  return tooMany('Too many logins at once.', queueSeconds)
}

interface LoginKeys {
  readonly ofName: string
  readonly ofNetwork: string
}

/** Returns the key of a user name and a network, or of a network. It has a fixed length, however long the name is. */
function keyOf(...parts: readonly [string] | readonly [string, string]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64')
}

/**
 * Returns the block to which an IP address belongs, for counting refused logins: its network. All of 127.0.0.0/8 is one
 * block, because a caller on this machine can use any of its addresses.
 */
function addressBlock(address: string): string {
  const network = networkOf(address)
  return address === '::1' || network.startsWith('127.') ? 'loopback' : network
}
