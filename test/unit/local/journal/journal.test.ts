import {
  appendFileSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { StorePort } from '#desk/ports/store.ts'
import { openDeskFile } from '#local/desk-database.ts'
import { decodeParameter, encodeParameter } from '#local/journal/journal-lines.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import { StoreBench } from '#support/store-bench.ts'
import { countLost, doDeed, upTo } from '../../../faults/storage/deeds.ts'

let bench: StoreBench
beforeEach(async () => {
  bench = await StoreBench.create()
})
afterEach(() => bench.dispose())

const path = (name: string): string => join(bench.dataDir, name)
const segments = (): string[] => readdirSync(path('journal'))
const text = (): string =>
  segments()
    .map((name) => readFileSync(join(path('journal'), name), 'utf8'))
    .join('')

/**
 * Writes the records 1 to `last` to a store and closes it. `between` is called with the number of each record before
 * this record is written.
 */
async function live(last: number, between: (deed: number) => void = () => undefined): Promise<void> {
  const store = await bench.open()
  for (const deed of upTo(last)) {
    between(deed)
    await doDeed(store, deed)
  }
  store.close()
}

/** Removes desk.db and the backups and opens the store, so that only the journal is left. */
async function fromJournalAlone(): Promise<StorePort> {
  for (const name of readdirSync(bench.dataDir)) if (name.startsWith('desk.')) rmSync(path(name))
  rmSync(path('backups'), { recursive: true, force: true })
  return bench.open()
}

describe('the journal', () => {
  it('restores the whole desk without desk.db and without a backup', async () => {
    await live(60)
    const store = await fromJournalAlone()
    expect(await countLost(store, upTo(60))).toBe(0)
    expect((await store.storage.facts()).recovery).toMatchObject({
      backupAt: null,
      putAside: '',
      wholeSince: null,
    })
  })

  it('repeats a write whose commit to desk.db was lost', async () => {
    await live(6)
    copyFileSync(path('desk.db'), path('before.db'))
    copyFileSync(path('desk.seal.json'), path('before.json'))
    const store = await bench.open()
    await doDeed(store, 7)
    store.close()
    copyFileSync(path('before.db'), path('desk.db'))
    copyFileSync(path('before.json'), path('desk.seal.json'))
    const again = await bench.open()
    expect(await countLost(again, upTo(7))).toBe(0)
    expect((await again.storage.facts()).recovery).toBeNull()
  })

  it('restores the whole desk even if it contains incomplete lines', async () => {
    const store = await bench.open()
    for (const deed of upTo(40)) {
      if (deed % 7 === 0) appendFileSync(join(path('journal'), '1.jsonl'), '\n{"sum":"0123","group":{"se')
      await doDeed(store, deed)
    }
    store.close()
    appendFileSync(join(path('journal'), '1.jsonl'), '\n{"sum":"01234567890123456789012345678901","group":{}')
    expect(await countLost(await fromJournalAlone(), upTo(40))).toBe(0)
  })

  it('restores the desk up to a damaged line, and the report says that records are missing', async () => {
    await live(30)
    const file = join(path('journal'), '1.jsonl')
    const lines = readFileSync(file, 'utf8').split('\n')
    const middle = lines.findIndex((line) => line.includes('scan-16'))
    writeFileSync(file, lines.with(middle, (lines[middle] ?? '').replace('scan-16', 'scan-17')).join('\n'))
    const store = await fromJournalAlone()
    expect(await countLost(store, upTo(15))).toBe(0)
    expect(store.scans.get('scan-16')).toBeNull()
    const { recovery } = await store.storage.facts()
    expect(recovery?.wholeSince).toBeGreaterThan(0)
    // the next restore contains a record that is written now, because its line follows the last restored line
    await doDeed(store, 31)
    store.close()
    const again = await fromJournalAlone()
    expect(await countLost(again, [...upTo(15), 31])).toBe(0)
    expect((await again.storage.facts()).recovery?.wholeSince).toBeNull()
  })

  it('contains no write that was rolled back with its savepoint or transaction', async () => {
    const { database, journal } = await openDeskFile(bench.dataDir)
    const write = database.prepare(`INSERT INTO settings (scope, key, value) VALUES ('s', ?, ?)`)
    const code = database.prepare(
      `INSERT INTO return_label_codes (scope, code, label_id) VALUES ('s', 'c', 'nobody')`,
    )
    const inner = database.transaction((key: string) => {
      write.run(key, 'inner')
      throw new Error('taken back')
    })
    database
      .transaction(() => {
        write.run('a', 'kept')
        expect(() => inner('b')).toThrow('taken back')
        write.run('c', 'kept')
      })
      .immediate()
    expect(() => inner('d')).toThrow('taken back')
    const before = text()
    expect(() =>
      database
        .transaction(() => {
          database.pragma('defer_foreign_keys = ON')
          code.run()
        })
        .immediate(),
    ).toThrow(/FOREIGN KEY/)
    expect(text()).toBe(before)
    write.run('e', 'kept')
    const { seq } = journal.position()
    database.close()
    for (const name of ['desk.db', 'desk.seal.json']) rmSync(path(name))
    const again = await openDeskFile(bench.dataDir)
    expect(again.database.prepare('SELECT key FROM settings ORDER BY key').pluck().all()).toEqual([
      'a',
      'c',
      'e',
    ])
    expect(again.journal.position().seq).toBe(seq)
    again.database.close()
  })

  it('contains neither changes of the lease nor writes that changed nothing', async () => {
    const store = await bench.open()
    const before = text()
    store.outbox.holdLease('me', 1, 1_000)
    store.outbox.releaseLease('me')
    store.values.remove('nothing')
    expect(text()).toBe(before)
    store.values.write('k', 'v')
    expect(text()).not.toBe(before)
  })

  it('refuses a statement that writes and returns rows, because the journal could not record it', async () => {
    const { database } = await openDeskFile(bench.dataDir)
    const statement = database.prepare(
      `INSERT INTO settings (scope, key, value) VALUES ('s', 'k', 'v') RETURNING key`,
    )
    expect(() => statement.get()).toThrow(/only run\(\)/)
    expect(() => statement.all()).toThrow(/only run\(\)/)
    database.close()
  })

  it('refuses a transaction whose line cannot be written, and accepts the next one when lines can be written again', async () => {
    const { database, journal } = await openDeskFile(bench.dataDir)
    const write = database.prepare(`INSERT INTO settings (scope, key, value) VALUES ('s', ?, 'v')`)
    journal.turn()
    rmSync(path('journal'), { recursive: true })
    writeFileSync(path('journal'), 'a file where the folder should be')
    expect(() => write.run('a')).toThrow(CataloguedError)
    rmSync(path('journal'))
    write.run('b')
    expect(database.prepare('SELECT key FROM settings').pluck().all()).toEqual(['b'])
    database.close()
  })

  it('refuses a transaction of more than 16 MiB, and accepts a small transaction afterwards', async () => {
    const { database } = await openDeskFile(bench.dataDir)
    const write = database.prepare(`INSERT INTO settings (scope, key, value) VALUES ('s', ?, ?)`)
    const before = text()
    expect(() => write.run('a', 'x'.repeat(17 * mebibyte))).toThrow(CataloguedError)
    expect(text()).toBe(before)
    write.run('b', 'v')
    expect(database.prepare('SELECT key FROM settings').pluck().all()).toEqual(['b'])
    database.close()
  })

  it('stores every kind of SQL parameter unchanged', () => {
    const values = [
      null,
      '',
      'é\ud83d\ude00',
      0,
      -1.5,
      9_007_199_254_740_993n,
      Buffer.from([0, 255]),
      [1, 'a'],
    ]
    for (const value of [...values, { named: null, other: Buffer.from('x') }])
      expect(decodeParameter(JSON.parse(JSON.stringify(encodeParameter(value))))).toEqual(value)
    expect(() => encodeParameter(Number.NaN)).toThrow(TypeError)
    expect(() => encodeParameter(undefined)).toThrow(TypeError)
  })
})

const mebibyte = 1024 * 1024

/** Extends the first file of the journal to this length in bytes with zeros, which use no space on the disk. */
function lengthen(bytes: number): void {
  const file = join(path('journal'), '1.jsonl')
  appendFileSync(file, '\n')
  truncateSync(file, bytes)
}

const segmentNames = (): string[] =>
  segments().toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))

describe('a file of the journal', () => {
  it('gets no further transaction once it has 48 MiB: the next transaction begins a new file', async () => {
    await live(5)
    lengthen(48 * mebibyte)
    const store = await bench.open()
    await doDeed(store, 6)
    expect(statSync(join(path('journal'), '1.jsonl')).size).toBe(48 * mebibyte)
    await doDeed(store, 7)
    store.close()
    expect(segmentNames()).toHaveLength(2)
    const again = await fromJournalAlone()
    expect(await countLost(again, upTo(7))).toBe(0)
    expect((await again.storage.facts()).recovery).toMatchObject({ wholeSince: null })
  })

  it('that is full causes no loss of transactions if the next transaction is rolled back', async () => {
    const { database } = await openDeskFile(bench.dataDir)
    const write = database.prepare(`INSERT INTO settings (scope, key, value) VALUES ('s', ?, 'v')`)
    const code = database.prepare(
      `INSERT INTO return_label_codes (scope, code, label_id) VALUES ('s', 'c', 'nobody')`,
    )
    write.run('a')
    lengthen(48 * mebibyte)
    const failing = database.transaction(() => {
      database.pragma('defer_foreign_keys = ON')
      code.run()
    })
    expect(() => failing.immediate()).toThrow(/FOREIGN KEY/)
    write.run('b')
    write.run('c')
    database.close()
    for (const name of ['desk.db', 'desk.seal.json']) rmSync(path(name))
    const again = await openDeskFile(bench.dataDir)
    const keys = again.database.prepare('SELECT key FROM settings ORDER BY key').pluck().all()
    expect(keys).toEqual(['a', 'b', 'c'])
    again.database.close()
  })

  it('can be read even if it is longer than the longest string of Node.js', async () => {
    await live(5)
    for (let length = 100; length <= 600; length += 100) lengthen(length * mebibyte)
    const store = await bench.open()
    await doDeed(store, 6)
    expect(await countLost(store, upTo(6))).toBe(0)
    expect(statSync(join(path('journal'), '1.jsonl')).size).toBe(600 * mebibyte)
  })

  it('is continued, if it is the newest, after its transactions were restored into desk.db', async () => {
    await live(3)
    for (const name of ['desk.db', 'desk.seal.json']) copyFileSync(path(name), path(`before.${name}`))
    const store = await bench.open()
    await store.storage.backUp(1_700_000_000_000)
    await doDeed(store, 4)
    await doDeed(store, 5)
    store.close()
    for (const name of ['desk.db', 'desk.seal.json']) copyFileSync(path(`before.${name}`), path(name))
    const { database, journal } = await openDeskFile(bench.dataDir)
    expect(`${String(journal.position().segment)}.jsonl`).toBe(segmentNames().at(-1))
    database.close()
  })
})
