import type { ServiceContext } from './context.ts'

/**
 * Size of a piece that is sent at once. A larger piece would delay other calls, because they do not run while the
 * server encodes and sends it.
 */
const pieceBytes = 64 * 1024

/**
 * Returns the bytes of a file in pieces of at most 64 kB. `parts`: the larger parts in which the file is read; each is
 * read in a step of the same owner. Each further piece of a part takes its own step, so that the pieces of all downloads
 * are sent one by one and other calls run between them. A client that reads slowly delays no other download, because it
 * holds no step between two pieces. Throws the errors of `parts`.
 */
export async function* inPieces(
  { turns }: Pick<ServiceContext, 'turns'>,
  owner: string,
  parts: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const part of parts)
    for (let start = 0; start < part.length; start += pieceBytes) {
      if (start > 0) await turns.step(owner, () => Promise.resolve())
      // a copy, because a piece that waits for its client would keep the whole part in memory
      yield Uint8Array.from(part.subarray(start, start + pieceBytes))
    }
}
