import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { storeDocument } from '#middleware/data/documents/documents.ts'
import type { Database } from '#middleware/data/engine/database.ts'
import { openSqliteDatabase } from '#middleware/data/engine/sqlite.ts'
import { insertExport } from '#middleware/data/exports/stored-exports.ts'
import { seedWorld } from '#middleware/data/seeds/seed.ts'
import type { ServiceContext } from '#middleware/services/context.ts'
import { openDocument } from '#middleware/services/documents/documents.ts'
import { openExport } from '#middleware/services/exports/exports.ts'
import { Turns, usualWaitingLimits } from '#middleware/services/turns.ts'
import { makeSmallWorld, smallIds } from '#support/small-world.ts'

const time = '2026-06-01T12:00:00.000Z'
const alderDocument = 'a3a3a3a3-0000-4000-8000-000000000001'
const birchDocument = 'a3a3a3a3-0000-4000-8000-000000000002'
const exportId = 'a3a3a3a3-0000-4000-8000-000000000003'
const pieceBytes = 64 * 1024
/** The parts of the export. Their characters have one to four bytes, so a piece can end within a character. */
const parts = ['a', '€', 'a€', '😀a'].map((text) => text.repeat(262_144))

let context: ServiceContext
let database: Database
beforeEach(async () => {
  database = openSqliteDatabase(':memory:')
  const world = makeSmallWorld()
  await seedWorld(database, world, new Map(world.users.map(({ id }) => [id, 'no hash'])))
  const links = { verify: () => undefined }
  context = { database, turns: new Turns(usualWaitingLimits), links } as unknown as ServiceContext
  for (const [id, customer] of [
    [alderDocument, smallIds.alder],
    [birchDocument, smallIds.birch],
  ] as const)
    await storeLarge(id, customer, 4_000_000)
  await insertExport(database, {
    ...{ id: exportId, customer_id: smallIds.alder, status: 'completed', created_at: time },
    ...{ modified_at: time, family: 'standard', type: 'stock', fields: '[]' },
    filters: JSON.stringify({ search: null, from: null, to: null }),
  })
  for (const [position, content] of parts.entries())
    await database.insertInto('export_parts').values({ export_id: exportId, position, content }).execute()
})
afterEach(() => database.destroy())

async function storeLarge(id: string, customer: string, size: number): Promise<void> {
  await storeDocument(database, {
    ...{ id, customer_id: customer, title: 'large', mime_type: 'application/pdf' },
    ...{ document_type: 'order_document', created_at: time, content: Buffer.alloc(size, 97) },
  })
}

type Content = AsyncIterable<string | Uint8Array>

const neverLeft = (): boolean => false
const openDocumentOf = async (
  documentId: string,
  address = '127.0.0.1',
  hasLeft = neverLeft,
): Promise<Content> => {
  const link = { documentId, expires: '', signature: '', address }
  return (await openDocument(context, link, hasLeft)).content
}
const kinds: [string, () => Promise<Content>][] = [
  ['an export', async () => (await openExport(context, { id: smallIds.alder }, exportId, neverLeft)).content],
  ['a document', () => openDocumentOf(alderDocument)],
]

/** Reads contents as fast as they come, to their ends or until `isDone`. Notes the bytes of each piece. */
async function readAll(
  contents: readonly Content[],
  sizes: number[],
  isDone: () => boolean = () => false,
): Promise<void> {
  const read = async (content: Content): Promise<void> => {
    for await (const piece of content) {
      sizes.push(Buffer.byteLength(piece))
      if (isDone()) return
    }
  }
  await Promise.all(contents.map(read))
}

const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0)

const loopRuns = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe.each(kinds)('40 simultaneous downloads of %s', (_kind, open) => {
  it('send one piece of 64 kB in each iteration of the event loop, so that other calls run between two pieces', async () => {
    const contents = await Promise.all(Array.from({ length: 40 }, open))
    const sizes: number[] = []
    let isDone = false
    const reading = readAll(contents, sizes, () => isDone)
    const iterations = 100
    for (let iteration = 0; iteration < iterations; iteration++) await loopRuns()
    isDone = true
    expect(sizes.length).toBeGreaterThan(iterations / 2)
    expect(sum(sizes)).toBeLessThanOrEqual(iterations * pieceBytes)
    await reading
  })

  it('send every third piece to a download of another client', async () => {
    const sizes: number[] = []
    let isDone = false
    const reading = readAll(await Promise.all(Array.from({ length: 40 }, open)), sizes, () => isDone)
    await loopRuns()
    const begun = sizes.length
    const others: number[] = []
    await readAll([await openDocumentOf(birchDocument, '192.0.2.1')], others)
    isDone = true
    expect(sum(others)).toBe(4_000_000)
    expect(sum(sizes.slice(begun))).toBeLessThanOrEqual((2 * others.length + 3) * pieceBytes)
    await reading
  })
})

describe('the file of an export', () => {
  it('consists of the bytes of its parts, also if a piece ends within a character', async () => {
    const pieces: Uint8Array[] = []
    const { content } = await openExport(context, { id: smallIds.alder }, exportId, neverLeft)
    for await (const piece of content) pieces.push(Buffer.from(piece))
    expect(Buffer.concat(pieces).equals(Buffer.from(parts.join('')))).toBe(true)
  })
})

describe('a download', () => {
  it('reads nothing more after its client has disconnected', async () => {
    let isGone = false
    const contents = await Promise.all(
      Array.from({ length: 40 }, () => openDocumentOf(alderDocument, '127.0.0.1', () => isGone)),
    )
    const reads = vi.spyOn(context.turns, 'lookUp')
    isGone = true
    const sizes: number[] = []
    await readAll(contents, sizes)
    expect(reads).not.toHaveBeenCalled()
    expect(sizes).toEqual([])
  })

  it('is complete although the parts of many slow downloads do not fit into the memory for parts', async () => {
    const size = 1_100_000
    const ids = Array.from({ length: 70 }, (_, index) => `a3a3a3a3-0000-4000-8000-0000000001${index + 10}`)
    for (const id of ids) await storeLarge(id, smallIds.alder, size)
    const slow = await Promise.all(ids.map((id) => openDocumentOf(id)))
    const readers = slow.map((content) => content[Symbol.asyncIterator]())
    for (const reader of readers) await reader.next()
    const reads = vi.spyOn(context.turns, 'lookUp')
    const [first] = readers
    const sizes = [pieceBytes]
    for (let next = await first?.next(); next?.done === false; next = await first?.next())
      sizes.push(Buffer.byteLength(next.value))
    expect(sum(sizes)).toBe(size)
    // two parts are read: the first part again, because it was dropped, and the second part
    expect(reads).toHaveBeenCalledTimes(2)
    for (const reader of readers) await reader.return?.()
  })

  it('shares the parts of a document with the downloads of other networks', async () => {
    const contents = await Promise.all(
      Array.from({ length: 100 }, (_, index) => openDocumentOf(alderDocument, `192.0.2.${index}`)),
    )
    const reads = vi.spyOn(context.turns, 'lookUp')
    const sizes: number[] = []
    await readAll(contents, sizes)
    expect(sum(sizes)).toBe(400_000_000)
    expect(reads).toHaveBeenCalledTimes(4)
  })

  it('reads a document again after all its downloads have ended', async () => {
    const reads = vi.spyOn(context.turns, 'lookUp')
    for (let time = 1; time <= 2; time++) {
      await readAll([await openDocumentOf(alderDocument)], [])
      // each download reads the size of the document, and then its content in four parts
      expect(reads).toHaveBeenCalledTimes(5 * time)
    }
  })
})
