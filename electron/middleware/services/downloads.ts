import type { ServiceContext } from './context.ts'

/**
 * Size of a piece that is sent at once. A larger piece would delay other calls, because they do not run while the
 * server encodes and sends it.
 */
const pieceBytes = 64 * 1024

/**
 * Maximum bytes of the parts in memory, of all downloads together. Downloads of the same file share its parts, so that
 * many downloads of one file do not reach the maximum. At the maximum, the part that was used least recently is dropped
 * and read again for its next piece, so that many slow clients cannot fill the memory.
 */
const mostHeldBytes = 64 * 1024 * 1024

/** A file that is sent in pieces. */
interface Download {
  /** The network of the client, or the customer. The downloads of one owner wait for each other. */
  readonly owner: string
  /** The kind and the id of the file. Its content must not change. */
  readonly file: string
  /**
   * Reads a part of the file by its position, from 0. A part has more than one piece, because the database needs long
   * for each read. Null: the file has no further part. Throws if the file was deleted.
   */
  readonly read: (position: number) => Promise<Uint8Array | null>
  /** Whether the client has disconnected. Then nothing more is read. */
  readonly hasLeft: () => boolean
}

/**
 * Returns the bytes of a file in pieces of at most 64 kB. Each piece takes its own step (`Turns.step`), so that the
 * pieces of all downloads are sent one by one and other calls run between them. A client that reads slowly delays no
 * other download, because it holds no step between two pieces. Throws the errors of `read`.
 */
export async function* inPieces(
  { turns }: Pick<ServiceContext, 'turns'>,
  { owner, file, read, hasLeft }: Download,
): AsyncGenerator<Uint8Array> {
  const id = Symbol('download')
  const held = heldPartsOf(turns)
  const keyOf = (position: number): string => `${file} ${position}`
  const piece = async (
    position: number,
    start: number,
  ): Promise<{ bytes: Uint8Array; left: number } | null> => {
    if (hasLeft()) return null
    const key = keyOf(position)
    const part = held.get(key) ?? (await read(position))
    if (part === null) return null
    held.keep(key, id, part)
    // the piece is copied, because otherwise a piece that waits for its client would keep the whole part in memory
    const bytes = new Uint8Array(part.subarray(start, start + pieceBytes))
    return { bytes, left: part.length - start - bytes.length }
  }
  let position = 0
  try {
    for (; ; position++) {
      for (let start = 0, left = 1; left > 0; start += pieceBytes) {
        const next = await turns.step(owner, () => piece(position, start))
        if (next === null) return
        left = next.left
        if (next.bytes.length > 0) yield next.bytes
      }
      held.leave(keyOf(position), id)
    }
  } finally {
    held.leave(keyOf(position), id)
  }
}

interface HeldPart {
  readonly bytes: Uint8Array
  /** The downloads that use the part. */
  readonly users: Set<symbol>
}

/** The parts in memory, by file and position, in the order of their last use. */
class HeldParts {
  readonly #parts = new Map<string, HeldPart>()
  readonly #most: number
  #bytes = 0

  constructor(most: number) {
    this.#most = most
  }

  get(key: string): Uint8Array | undefined {
    return this.#parts.get(key)?.bytes
  }

  /**
   * Keeps a part of a file in memory for a download. A part is removed when no download uses it any more. If the kept
   * parts exceed the maximum size, the least recently used parts are removed too.
   */
  keep(key: string, user: symbol, bytes: Uint8Array): void {
    const part = this.#parts.get(key) ?? { bytes, users: new Set() }
    part.users.add(user)
    this.#drop(key)
    this.#parts.set(key, part)
    this.#bytes += part.bytes.length
    for (const oldest of this.#parts.keys()) if (this.#bytes > this.#most) this.#drop(oldest)
  }

  leave(key: string, user: symbol): void {
    const part = this.#parts.get(key)
    part?.users.delete(user)
    if (part?.users.size === 0) this.#drop(key)
  }

  #drop(key: string): void {
    const part = this.#parts.get(key)
    if (part === undefined) return
    this.#parts.delete(key)
    this.#bytes -= part.bytes.length
  }
}

/** The parts of all downloads of a server. */
const heldParts = new WeakMap<ServiceContext['turns'], HeldParts>()

function heldPartsOf(turns: ServiceContext['turns']): HeldParts {
  const held = heldParts.get(turns) ?? new HeldParts(mostHeldBytes)
  heldParts.set(turns, held)
  return held
}
