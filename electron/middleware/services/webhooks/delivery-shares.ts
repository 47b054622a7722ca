import { FairQueue } from '../fair-queue.ts'

/** Limits for the notifications that are being sent, for all webhooks together. */
export interface DeliveryLimits {
  /**
   * Limit for the bytes of notifications in memory. A further notification is read only while their total is below this
   * limit.
   */
  readonly mostBytes: number
  /** Maximum bytes of one customer's notifications in memory. */
  readonly mostBytesOfCustomer: number
  /**
   * Bytes in addition to `mostBytes`, for notifications of customers that have no other notification in memory. Without
   * these bytes, slow receivers of a few customers would delay the notifications of all others.
   */
  readonly reservedBytes: number
  /** Maximum number of connections of one customer in addition to the first connection of each webhook. */
  readonly mostFurtherConnections: number
}

const megabyte = 1024 * 1024

export const usualDeliveryLimits: DeliveryLimits = {
  mostBytes: 64 * megabyte,
  mostBytesOfCustomer: 16 * megabyte,
  reservedBytes: 64 * megabyte,
  mostFurtherConnections: 14,
}

/** An event with a notification to send. */
export interface SentEvent {
  readonly id: string
  readonly customerId: string
  /** Size of the notification in bytes. */
  readonly bytes: number
}

interface Entry {
  readonly event: SentEvent
  readonly content: Promise<Buffer | null>
  /** Number of deliveries that use the notification or wait for it. */
  users: number
}

/**
 * The contents of the notifications that are being sent. All webhooks of an event share one copy. When a customer's
 * events take too much memory, further events wait, and customers take turns.
 */
export class EventContents {
  readonly #limits: DeliveryLimits
  readonly #read: (eventId: string) => Promise<Buffer | null>
  readonly #entries = new Map<string, Entry>()
  readonly #waiting = new FairQueue<() => void>()
  #held = 0
  readonly #heldBy = new Map<string, number>()

  /** `read`: returns the bytes of an event's notification, or null if the event was deleted. */
  constructor(limits: DeliveryLimits, read: (eventId: string) => Promise<Buffer | null>) {
    this.#limits = limits
    this.#read = read
  }

  /**
   * Runs `work` with the notification of an event as soon as the limits allow it. Null: the event was deleted. Throws
   * the errors of `read` and `work`.
   */
  async use<Result>(event: SentEvent, work: (content: Buffer | null) => Promise<Result>): Promise<Result> {
    const entry = this.#entries.get(event.id) ?? this.#open(event)
    entry.users += 1
    try {
      return await work(await entry.content)
    } finally {
      entry.users -= 1
      if (entry.users === 0) this.#close(entry)
    }
  }

  #open(event: SentEvent): Entry {
    const room = Promise.withResolvers<undefined>()
    const entry = { event, content: room.promise.then(() => this.#read(event.id)), users: 0 }
    this.#entries.set(event.id, entry)
    this.#waiting.add(event.customerId, () => {
      this.#hold(event, event.bytes)
      room.resolve(undefined)
    })
    this.#advance()
    return entry
  }

  /**
   * Removes the content of an event from memory. Must be called only after its read has ended, when no delivery uses
   * the content or waits for it.
   */
  #close({ event }: Entry): void {
    this.#entries.delete(event.id)
    this.#hold(event, -event.bytes)
    this.#advance()
  }

  #advance(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) next()
  }

  #next(): (() => void) | null {
    const { mostBytes, mostBytesOfCustomer, reservedBytes } = this.#limits
    if (this.#held >= mostBytes + reservedBytes) return null
    const isReserve = this.#held >= mostBytes
    return this.#waiting.take((id) =>
      isReserve ? this.#heldOf(id) === 0 : this.#heldOf(id) < mostBytesOfCustomer,
    )
  }

  #heldOf(customerId: string): number {
    return this.#heldBy.get(customerId) ?? 0
  }

  #hold({ customerId }: SentEvent, bytes: number): void {
    this.#held += bytes
    const held = this.#heldOf(customerId) + bytes
    if (held === 0) this.#heldBy.delete(customerId)
    else this.#heldBy.set(customerId, held)
  }
}

/** Connections that the webhooks of a customer share, in addition to the first one of each webhook. */
export class FurtherConnections {
  readonly #most: number
  readonly #taken = new Map<string, number>()
  readonly #waiting = new Map<string, Set<() => void>>()

  constructor(most: number) {
    this.#most = most
  }

  /**
   * Takes a shared connection of the customer. If none is free, returns false, and calls `onFree` once, at the next
   * release of such a connection.
   */
  take(customerId: string, onFree: () => void): boolean {
    const taken = this.#taken.get(customerId) ?? 0
    if (taken < this.#most) {
      this.#taken.set(customerId, taken + 1)
      return true
    }
    const waiting = this.#waiting.get(customerId) ?? new Set()
    waiting.add(onFree)
    this.#waiting.set(customerId, waiting)
    return false
  }

  release(customerId: string): void {
    const taken = (this.#taken.get(customerId) ?? 0) - 1
    if (taken > 0) this.#taken.set(customerId, taken)
    else this.#taken.delete(customerId)
    // notifies all waiting queues, because the first of them may no longer need a connection; the queues that get no
    // connection wait again
    const waiting = this.#waiting.get(customerId)
    this.#waiting.delete(customerId)
    for (const onFree of waiting ?? []) onFree()
  }
}
