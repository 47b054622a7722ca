import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { isUnreadable } from '../sqlite-failure.ts'

/** The number of bytes that one read returns at most. */
const pieceBytes = 1024 * 1024

/**
 * Returns the bytes of a file in pieces, because one call of Node can read neither a file of more than 2 GiB nor a text
 * of more than 512 MiB. `read`: reads one piece. Throws the system's error.
 */
export function* filePieces(file: string, read = readAt): Generator<Buffer> {
  const descriptor = openSync(file, 'r')
  try {
    for (let at = 0; ;) {
      const piece = read(descriptor, at, pieceBytes)
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

/** Bytes that are read at once from a part of a file that cannot be read as a whole. A disk loses whole blocks. */
const blockBytes = 4096

/**
 * Returns the same bytes as `readAt`, with zeros in place of each block that cannot be read, for example because of a
 * bad sector. Throws other errors of the system.
 */
export function readWhatCanBeRead(descriptor: number, at: number, length: number): Buffer {
  try {
    return readAt(descriptor, at, length)
  } catch (error) {
    if (!isUnreadable(error)) throw error
    const end = Math.min(at + length, fstatSync(descriptor).size)
    if (length > blockBytes) return Buffer.concat([...blocksOf(descriptor, at, end)])
    return Buffer.alloc(Math.max(0, end - at))
  }
}

function* blocksOf(descriptor: number, from: number, end: number): Generator<Buffer> {
  for (let at = from; at < end;) {
    // a block of the disk begins at a multiple of its length
    const next = Math.min(end, at - (at % blockBytes) + blockBytes)
    yield readWhatCanBeRead(descriptor, at, next - at)
    at = next
  }
}
