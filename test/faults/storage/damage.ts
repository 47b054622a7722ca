import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import Database from 'better-sqlite3'

const pageBytes = 4_096

/**
 * Kinds of damage: of a single page, as a disk damages it; of the whole file, as people and backup programs damage it;
 * and of one byte.
 */
export const damages = {
  randomPage: (file, random) => overwrite(file, random, () => randomBytes(pageBytes, random)),
  zeroPage: (file, random) => overwrite(file, random, () => Buffer.alloc(pageBytes)),
  misplacedPage: (file, random) =>
    overwrite(file, random, (descriptor, pages) => readPage(descriptor, Math.floor(random() * pages))),
  truncated: (file, random) =>
    withFile(file, (descriptor) =>
      ftruncateSync(descriptor, Math.floor(random() * fstatSync(descriptor).size)),
    ),
  garbage: (file, random) => writeFileSync(file, randomBytes(20_000, random)),
  empty: (file) => writeFileSync(file, ''),
  removed: (file) => rmSync(file),
  foreign(file) {
    rmSync(file)
    const other = new Database(file)
    other.exec(`CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('of another program')`)
    other.close()
  },
  /** Changes one byte at a random place. SQLite usually does not detect such a change. */
  byte: (file, random) =>
    withFile(file, (descriptor) => {
      const at = Math.floor(random() * fstatSync(descriptor).size)
      const byte = Buffer.alloc(1)
      readSync(descriptor, byte, 0, 1, at)
      writeSync(descriptor, Buffer.from([(byte[0] ?? 0) ^ (1 + Math.floor(random() * 255))]), 0, 1, at)
    }),
} as const satisfies Record<string, (file: string, random: () => number) => void>
export type Damage = keyof typeof damages

function overwrite(
  file: string,
  random: () => number,
  page: (descriptor: number, pages: number) => Buffer,
): void {
  withFile(file, (descriptor) => {
    const pages = Math.max(1, Math.floor(fstatSync(descriptor).size / pageBytes))
    const at = Math.floor(random() * pages) * pageBytes
    writeSync(descriptor, page(descriptor, pages), 0, pageBytes, at)
  })
}

function readPage(descriptor: number, page: number): Buffer {
  const bytes = Buffer.alloc(pageBytes)
  readSync(descriptor, bytes, 0, pageBytes, page * pageBytes)
  return bytes
}

function randomBytes(length: number, random: () => number): Buffer {
  return Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)))
}

function withFile(file: string, action: (descriptor: number) => void): void {
  const descriptor = openSync(file, 'r+')
  try {
    action(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
