import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#support/middleware-server.ts'
import { newAddress, newOrder } from '#support/order-payloads.ts'
import { isOnPostgres } from '#support/test-database.ts'

const name = 'Zebedee Quux'
const email = 'kim@example.org'

let folder: string
let databaseFile: string
let server: TestServer
const readers: BetterSqlite.Database[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'middleware-'))
  databaseFile = join(folder, 'middleware.db')
})
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close()
  await server.close()
  rmSync(folder, { recursive: true })
})

/** Begins to read the database as another program does, for example a backup. */
function read(): BetterSqlite.Database {
  const reader = new BetterSqlite(databaseFile, { readonly: true })
  readers.push(reader)
  reader.exec('begin')
  reader.prepare('select count(*) from orders').get()
  return reader
}

function hasName(): boolean {
  return readdirSync(folder).some((file) => readFileSync(join(folder, file), 'latin1').includes(name))
}

async function order(): Promise<void> {
  const lines = [{ article_code: 'A-1', quantity: 1, description: 'x' }]
  const shipping_address = newAddress({ addressed_to: name, email_address: email })
  const body = newOrder({ order_lines: lines, shipping_email: email, shipping_address })
  expect((await server.call('/wms/orders/', { method: 'POST', body })).status).toBe(201)
}

async function redact(address = email): Promise<void> {
  const call = { method: 'POST', body: { email: address } }
  expect((await server.call('/wms/gdpr/redact-person-data/', call)).status).toBe(200)
}

const warnings = (): number => server.logLines.filter((line) => line.includes('another program reads')).length

describe.skipIf(isOnPostgres)('the old data of a redacted person in the files of SQLite', () => {
  it('stays while another program reads the file, is gone some seconds after the program has ended, and no call waits for the program', async () => {
    server = await startTestServer({ databaseFile })
    await order()
    const reader = read()
    let last = performance.now()
    let longest = 0
    const ticks = setInterval(() => {
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
    }, 20)
    await redact()
    await expect.poll(warnings, { timeout: 20_000 }).toBe(1)
    await redact('lee@example.org')
    await server.call('/wms/orders/?limit=1')
    clearInterval(ticks)
    // SQLite would wait 5 s for the program, in the thread of all calls
    expect(longest).toBeLessThan(4000)
    expect(hasName()).toBe(true)
    reader.close()
    await expect.poll(hasName, { timeout: 20_000 }).toBe(false)
    expect(warnings()).toBe(1)
  })

  it('is gone some seconds after the program has ended, even if the server was started again while the program read the file', async () => {
    server = await startTestServer({ databaseFile })
    await order()
    const reader = read()
    await redact()
    const done = async (): Promise<boolean> =>
      !JSON.stringify((await server.call('/wms/orders/?limit=100')).body).includes(email)
    await expect.poll(done, { timeout: 20_000 }).toBe(true)
    await server.close()
    server = await startTestServer({ databaseFile })
    await expect.poll(warnings, { timeout: 20_000 }).toBe(1)
    expect(hasName()).toBe(true)
    reader.close()
    await expect.poll(hasName, { timeout: 20_000 }).toBe(false)
  })
})
