/** Limits for the memory of request bodies. */
export interface BodyLimits {
  /**
   * Bytes of bodies that have arrived and are not processed, over all connections. Above it, one body of the owner with
   * the most bytes is dropped.
   */
  readonly mostBodyBytes: number
  /**
   * Maximum number of bytes in the unprocessed bodies of one owner, including bytes that are announced. A call that
   * would exceed it is refused.
   */
  readonly mostBodyBytesOfOwner: number
}

/**
 * A client determines the pieces of its body: each chunk is one, and each read from the connection. Node keeps an object
 * of about 400 bytes for a piece of any length, so that a short piece counts with this number of bytes.
 */
const leastBytesOfPiece = 512
/**
 * Each piece takes time, whatever its length. This number of pieces may have any length, because some clients send each
 * value of their JSON as a chunk; each further piece must have a minimum number of bytes.
 */
const freePieces = 8_000
const bytesOfFurtherPiece = 64

export interface RequestBody {
  /** In milliseconds of a monotonic clock, like the other times. */
  readonly begunAt: number
  /** Closes the connection of the body. */
  readonly close: () => void
  /** The owner of the token, or the caller's network if there is no token. */
  owner: string
  /** Size of the body by its headers. 0: the headers do not contain it, or the owner has no limit. */
  expectedBytes: number
  /** Bytes of the pieces in memory, at least `leastBytesOfPiece` for each. 0 after the response. */
  heldBytes: number
  /** All pieces and bytes that have arrived. */
  pieces: number
  bytes: number
  /** Null: the body has not arrived completely. */
  wholeAt: number | null
}

/** Returns the body of a call that begins, which the call may not have. `close` closes the connection. */
export function requestBody(owner: string, close: () => void): RequestBody {
  const sizes = { expectedBytes: 0, heldBytes: 0, pieces: 0, bytes: 0 }
  return { begunAt: performance.now(), close, owner, ...sizes, wholeAt: null }
}

/** The memory that the bodies of calls use, in total and for each owner. */
export class RequestBodies {
  readonly #limits: BodyLimits
  /** Bodies with a piece in memory. */
  readonly #held = new Set<RequestBody>()
  #heldBytes = 0
  /** Bytes of each owner's bodies that are held or announced. */
  readonly #reservedBytes = new Map<string, number>()

  constructor(limits: BodyLimits) {
    this.#limits = limits
  }

  /**
   * Whether the owner of a call may have a body of that size in addition to its other bodies. If so, the size is
   * reserved until the body is released.
   */
  reserve(body: RequestBody, owner: string, bytes: number): boolean {
    const reserved = this.#reservedBy(owner)
    // a single body may have the maximum size of its route
    if (reserved > 0 && reserved + bytes > this.#limits.mostBodyBytesOfOwner) return false
    this.#change(body, { owner, expectedBytes: bytes })
    return true
  }

  /**
   * Counts a piece that arrived. Above the limits connections with bodies are closed. Returns false if it is this
   * connection: then the piece must not be kept. `hasShare`: whether the owner's limit applies to the body.
   */
  arrived(body: RequestBody, bytes: number, hasShare: boolean): boolean {
    body.pieces++
    body.bytes += bytes
    if (body.pieces > freePieces + body.bytes / bytesOfFurtherPiece) return this.#drop(body)
    const heldBytes = body.heldBytes + Math.max(bytes, leastBytesOfPiece)
    this.#change(body, { heldBytes })
    // the headers do not contain the size, or the pieces need more memory than that
    const isUnannounced = heldBytes > body.expectedBytes
    if (hasShare && isUnannounced && this.#reservedBy(body.owner) > this.#limits.mostBodyBytesOfOwner)
      return this.#drop(body)
    while (this.#heldBytes > this.#limits.mostBodyBytes) {
      const leaving = this.#bodyToGiveWay()
      if (leaving === null) break
      this.#drop(leaving)
      if (leaving === body) return false
    }
    return true
  }

  /** Called when the body is processed, or its connection is closed. */
  release(body: RequestBody): void {
    this.#change(body, { expectedBytes: 0, heldBytes: 0 })
  }

  #drop(body: RequestBody): false {
    this.release(body)
    body.close()
    return false
  }

  #reservedBy(owner: string): number {
    return this.#reservedBytes.get(owner) ?? 0
  }

  /** Changes a body and the sums to which it belongs: a walk over all bodies for each piece would take too long. */
  #change(
    body: RequestBody,
    change: Partial<Pick<RequestBody, 'owner' | 'expectedBytes' | 'heldBytes'>>,
  ): void {
    this.#reserveMore(body.owner, -reservedBytesOf(body))
    this.#heldBytes -= body.heldBytes
    Object.assign(body, change)
    this.#reserveMore(body.owner, reservedBytesOf(body))
    this.#heldBytes += body.heldBytes
    if (body.heldBytes > 0) this.#held.add(body)
    else this.#held.delete(body)
  }

  #reserveMore(owner: string, bytes: number): void {
    const reserved = this.#reservedBy(owner) + bytes
    if (reserved === 0) this.#reservedBytes.delete(owner)
    else this.#reservedBytes.set(owner, reserved)
  }

  /**
   * Returns the body to drop. Of the owner with the most bytes it is the oldest incomplete body, otherwise the body
   * that was completed last: it waits for its turn, while the first one may be in use. Null: no owner has such a body.
   */
  #bodyToGiveWay(): RequestBody | null {
    const owners = [...Map.groupBy(this.#held, ({ owner }) => owner).values()]
    for (const own of owners.toSorted((a, b) => heldBytesOf(b) - heldBytesOf(a))) {
      const unfinished = own.filter(({ wholeAt }) => wholeAt === null)
      const [oldest] = unfinished.toSorted((a, b) => a.begunAt - b.begunAt)
      if (oldest) return oldest
      const [, ...waiting] = own.toSorted((a, b) => (a.wholeAt ?? 0) - (b.wholeAt ?? 0))
      const last = waiting.at(-1)
      if (last) return last
    }
    return null
  }
}

function reservedBytesOf({ heldBytes, expectedBytes }: RequestBody): number {
  return Math.max(heldBytes, expectedBytes)
}

function heldBytesOf(bodies: readonly RequestBody[]): number {
  return bodies.reduce((sum, { heldBytes }) => sum + heldBytes, 0)
}
