/**
 * Returns the IP addresses of a host name. Throws the resolver's error if the name has no address. Ends early when
 * `signal` aborts.
 */
export type ResolveName = (name: string, signal: AbortSignal) => Promise<readonly string[]>

/**
 * Maximum number of host names of one customer that are resolved at the same time. A customer may have dozens of
 * attempts at the same time, and the response of a name server takes the thread of all calls up to 25 ms.
 */
const mostAtOnce = 8

/** One attempt that needs the addresses of a name. */
export interface NameUser {
  /** Ends the wait for the addresses. */
  readonly signal: AbortSignal
  /**
   * Called when the look-up begins, or at once if it has begun before. The wait for a turn does not count in the time
   * limit of an attempt, because other webhooks of the customer cause it.
   */
  readonly onTurn: () => void
}

interface Lookup {
  readonly addresses: Promise<readonly string[]>
  /** Resolves when the look-up begins. */
  readonly turn: Promise<null>
  readonly stopping: AbortController
  /** Number of attempts that wait for the addresses. */
  users: number
}

/** The look-ups of one customer's host names. */
class CustomerLookups {
  readonly #resolve: ResolveName
  readonly #onUnused: () => void
  readonly #lookups = new Map<string, Lookup>()
  readonly #waiting: (() => void)[] = []
  /** Number of look-ups that are under way or wait for their turn. */
  #count = 0

  /** `onUnused`: called when the last look-up has ended. */
  constructor(resolve: ResolveName, onUnused: () => void) {
    this.#resolve = resolve
    this.#onUnused = onUnused
  }

  async find(name: string, { signal, onTurn }: NameUser): Promise<readonly string[]> {
    signal.throwIfAborted()
    const lookup = this.#lookups.get(name) ?? this.#open(name)
    lookup.users++
    void lookup.turn.then(onTurn)
    const left = Promise.withResolvers<never>()
    const leave = (): void => {
      left.reject(signal.reason)
    }
    signal.addEventListener('abort', leave)
    try {
      return await Promise.race([lookup.addresses, left.promise])
    } finally {
      signal.removeEventListener('abort', leave)
      lookup.users--
      if (lookup.users === 0) this.#close(name, lookup)
    }
  }

  #open(name: string): Lookup {
    const stopping = new AbortController()
    const turn = Promise.withResolvers<null>()
    const addresses = this.#inTurn(name, stopping.signal, () => {
      turn.resolve(null)
    })
    const lookup = { stopping, addresses, turn: turn.promise, users: 0 }
    // marks a failure of the look-up as handled, because every attempt may have stopped waiting for the look-up before
    // it fails
    lookup.addresses.catch(() => undefined)
    this.#lookups.set(name, lookup)
    return lookup
  }

  async #inTurn(name: string, signal: AbortSignal, onTurn: () => void): Promise<readonly string[]> {
    this.#count++
    if (this.#count > mostAtOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      signal.throwIfAborted()
      onTurn()
      return await this.#resolve(name, signal)
    } finally {
      this.#count--
      this.#waiting.shift()?.()
      if (this.#count === 0) this.#onUnused()
    }
  }

  /** A later attempt resolves the name again, because its addresses may change. */
  #close(name: string, lookup: Lookup): void {
    if (this.#lookups.get(name) === lookup) this.#lookups.delete(name)
    lookup.stopping.abort()
  }
}

/** Resolves host names. Simultaneous attempts of a customer share the look-up of a name. */
export class ReceiverNames {
  readonly #resolve: ResolveName
  readonly #customers = new Map<string, CustomerLookups>()

  constructor(resolve: ResolveName) {
    this.#resolve = resolve
  }

  /** Returns the addresses of a name. Throws the resolver's error, or the reason of `user.signal` when it aborts. */
  find(customerId: string, name: string, user: NameUser): Promise<readonly string[]> {
    const lookups = this.#customers.get(customerId) ?? this.#open(customerId)
    return lookups.find(name, user)
  }

  #open(customerId: string): CustomerLookups {
    const lookups = new CustomerLookups(this.#resolve, () => this.#customers.delete(customerId))
    this.#customers.set(customerId, lookups)
    return lookups
  }
}
