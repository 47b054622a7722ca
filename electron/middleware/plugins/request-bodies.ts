/** Limits for the memory of request bodies. */
export interface BodyLimits {
  /**
   * Maximum bytes of all bodies in memory, over all connections: the pieces that have arrived of bodies that are not
   * processed yet. Above this limit bodies are dropped, first those of the owner with the most bytes.
   */
  readonly mostBodyBytes: number
  /**
   * Maximum bytes of the unprocessed bodies of one owner, including announced bytes that have not arrived. A call that
   * would exceed this limit is refused, unless its owner has no other unprocessed body.
   */
  readonly mostBodyBytesOfOwner: number
}

/**
 * Each piece of a body counts as at least this number of bytes, because Node keeps an object of about 400 bytes even
 * for a piece of one byte. The client determines the pieces: each chunk, and each read from the connection, is a piece.
 */
const leastBytesOfPiece = 512
/**
 * Maximum number of pieces of a short body. It is large, because some clients send each value of their JSON as a chunk.
 * A body may have one further piece for each `bytesOfFurtherPiece` of its bytes. There is a limit because each piece
 * takes time, regardless of its length.
 */
const freePieces = 8_000
const bytesOfFurtherPiece = 64

export interface RequestBody {
  /** Start of the call, in milliseconds of a monotonic clock. `wholeAt` uses the same clock. */
  readonly begunAt: number
  /** Closes the connection on which the body arrives. */
  readonly close: () => void
  /** The customer or user to whom the token belongs. Without a token: the network of the caller. */
  owner: string
  /** Size of the body in bytes, from its headers. 0: the headers do not contain it, or the owner has no limit. */
  expectedBytes: number
  /**
   * Bytes of the received pieces of the body (chunks, or reads from the connection) that are in memory. Each piece
   * counts as at least `leastBytesOfPiece` bytes. 0 after the body was processed or dropped.
   */
  heldBytes: number
  /** How many pieces of the body (chunks, or reads from the connection) and how many bytes of it have arrived. */
  pieces: number
  bytes: number
  /** Time at which the body had arrived completely. Null: it has not. */
  wholeAt: number | null
}

/** Returns the state of the body of a new call, also for a call without a body. `close` closes the connection. */
export function requestBody(owner: string, close: () => void): RequestBody {
  const sizes = { expectedBytes: 0, heldBytes: 0, pieces: 0, bytes: 0 }
  return { begunAt: performance.now(), close, owner, ...sizes, wholeAt: null }
}

/** Counts the memory that the bodies of calls use, in total and for each owner. */
export class RequestBodies {
  readonly #limits: BodyLimits
  /** The bodies of which at least one piece is in memory. */
  readonly #held = new Set<RequestBody>()
  #heldBytes = 0
  /** For each owner, the bytes of bodies that are in memory or announced. */
  readonly #reservedBytes = new Map<string, number>()

  constructor(limits: BodyLimits) {
    this.#limits = limits
  }

  /**
   * Whether the owner of a call may have another body of this size in memory. If so, the size is reserved until the
   * body is released.
   */
  reserve(body: RequestBody, owner: string, bytes: number): boolean {
    const reserved = this.#reservedBy(owner)
    // an owner who has no other unprocessed body may send a body of up to the maximum size of the route
    if (reserved > 0 && reserved + bytes > this.#limits.mostBodyBytesOfOwner) return false
    this.#change(body, { owner, expectedBytes: bytes })
    return true
  }

  /**
   * Counts a piece that has arrived. If a limit is exceeded, connections with bodies are closed. Returns false if the
   * connection of this body was closed; the caller must then drop the piece. `hasShare`: whether the limit of the owner
   * applies to the body.
   */
  arrived(body: RequestBody, bytes: number, hasShare: boolean): boolean {
    body.pieces++
    body.bytes += bytes
    if (body.pieces > freePieces + body.bytes / bytesOfFurtherPiece) return this.#drop(body)
    const heldBytes = body.heldBytes + Math.max(bytes, leastBytesOfPiece)
    this.#change(body, { heldBytes })
    // the body needs more memory than its headers announce, or the headers do not contain its size
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

  /** Called when the body has been processed, or when its connection has been closed. */
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

  /**
   * Changes a body, and updates the sums that include it, because adding up all bodies for each piece would take too
   * long.
   */
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
   * Returns the body to drop, from the owner with the most bytes: the oldest incomplete body, otherwise the body that
   * was completed last. The owner's first complete body is never dropped, because it may be in use. Null: no owner has
   * a body to drop.
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
