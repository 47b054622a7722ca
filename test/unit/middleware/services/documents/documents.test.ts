import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { storeDocument } from '#middleware/data/documents/documents.ts'
import type { Database } from '#middleware/data/engine/database.ts'
import { openSqliteDatabase } from '#middleware/data/engine/sqlite.ts'
import { seedWorld } from '#middleware/data/seeds/seed.ts'
import type { ServiceContext } from '#middleware/services/context.ts'
import { openDocument } from '#middleware/services/documents/documents.ts'
import { Turns, usualWaitingLimits } from '#middleware/services/turns.ts'
import { makeSmallWorld, smallIds } from '#support/small-world.ts'

const documentId = 'a3a3a3a3-0000-4000-8000-000000000001'
const bytes = Buffer.from(Uint16Array.from({ length: 1_350_000 }, (_, at) => at).buffer)

let database: Database
beforeEach(async () => {
  database = openSqliteDatabase(':memory:')
  const world = makeSmallWorld()
  await seedWorld(database, world, new Map(world.users.map(({ id }) => [id, 'no hash'])))
  await storeDocument(database, {
    id: documentId,
    customer_id: smallIds.alder,
    title: 'large',
    mime_type: 'application/pdf',
    document_type: 'order_document',
    created_at: '2026-06-01T12:00:00.000Z',
    content: bytes,
  })
})
afterEach(() => database.destroy())

function open(): ReturnType<typeof openDocument> {
  const turns = new Turns(usualWaitingLimits)
  const context = { database, turns, links: { verify: () => undefined } } as unknown as ServiceContext
  return openDocument(context, { documentId, expires: '', signature: '', address: '127.0.0.1' }, () => false)
}

describe('the content of a document', () => {
  it('is sent in pieces of at most 64 kB, which together are the whole document', async () => {
    const { size, content } = await open()
    const pieces: Uint8Array[] = []
    for await (const piece of content) pieces.push(piece)
    expect(Math.max(...pieces.map(({ length }) => length))).toBe(64 * 1024)
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true)
    expect(size).toBe(bytes.length)
  })

  it('ends with an error if the document is deleted while it is read', async () => {
    const { content } = await open()
    const reading = content[Symbol.asyncIterator]()
    await reading.next()
    await database.deleteFrom('documents').where('id', '=', documentId).execute()
    const readRest = async (): Promise<void> => {
      while ((await reading.next()).done !== true);
    }
    await expect(readRest()).rejects.toThrow('Document not found.')
  })
})
