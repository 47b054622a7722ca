import { closeSync, openSync, readSync } from 'node:fs'

/** The number of bytes that one read returns at most. */
const pieceBytes = 1024 * 1024

/**
 * Returns the bytes of a file in pieces, because one call of Node can read neither a file of more than 2 GiB nor a text
 * of more than 512 MiB. Throws the system's error.
 */
export function* filePieces(file: string): Generator<Buffer> {
  const descriptor = openSync(file, 'r')
  try {
    for (let at = 0; ;) {
      const piece = readAt(descriptor, at, pieceBytes)
      if (piece.length === 0) return
      yield piece
      at += piece.length
    }
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Returns `length` bytes of an open file from offset `at`, or fewer at the end of the file. Throws the system's error.
 */
export function readAt(descriptor: number, at: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  let read = 0
  while (read < length) {
    const more = readSync(descriptor, bytes, read, length - read, at + read)
    if (more === 0) break
    read += more
  }
  return bytes.subarray(0, read)
}
