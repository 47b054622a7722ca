import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { StorePort } from '#desk/ports/store.ts'
import { openDeskFile } from '#local/desk-database.ts'
import { folderKey } from '#shared/domain/scope.ts'
import { StoreBench } from '#support/store-bench.ts'
import { countLost, doDeed, upTo } from '../../../faults/storage/deeds.ts'

let bench: StoreBench
beforeEach(async () => {
  bench = await StoreBench.create()
})
afterEach(() => bench.dispose())

const path = (name: string): string => join(bench.dataDir, name)
const deskFile = (): string => path('desk.db')

/** Writes the records from `first` to `last` to a store, makes a backup after one of them, and closes the store. */
async function live(last: number, backUpAfter: number, first = 1): Promise<void> {
  const store = await bench.open()
  for (const deed of upTo(last).slice(first - 1)) {
    await doDeed(store, deed)
    if (deed === backUpAfter) await store.storage.backUp(1_700_000_000_000)
  }
  store.close()
}

function overwrite(file: string, from: string, to: string): void {
  const bytes = readFileSync(file)
  const at = bytes.indexOf(from)
  expect(at).toBeGreaterThan(0)
  bytes.write(to, at)
  writeFileSync(file, bytes)
}

/** In each file of the journal, damages the first line that contains this text. */
function damageLine(part: string): void {
  let isThere = false
  for (const name of readdirSync(path('journal'))) {
    const file = join(path('journal'), name)
    const text = readFileSync(file, 'utf8')
    isThere ||= text.includes(part)
    writeFileSync(file, text.replace(part, part.replaceAll(/\d/g, '9')))
  }
  expect(isThere, part).toBe(true)
}

const recoveryOf = async (store: StorePort): Promise<unknown> => (await store.storage.facts()).recovery

describe('a desk.db that is damaged, older or of another desk', () => {
  it('is restored from the newest backup and the journal, with a report that stays until the operator reads it', async () => {
    await live(40, 25)
    const garbage = Buffer.from('garbage'.repeat(3_000))
    writeFileSync(deskFile(), garbage)
    const store = await bench.open()
    expect(await countLost(store, upTo(40))).toBe(0)
    const { recovery } = await store.storage.facts()
    expect(recovery).toMatchObject({ backupAt: 1_700_000_000_000, wholeSince: null })
    expect(recovery?.replayed).toBeGreaterThan(10)
    expect(readFileSync(path(recovery?.putAside ?? ''))).toEqual(garbage)
    store.close()
    const again = await bench.open()
    expect(await recoveryOf(again)).toEqual(recovery)
    await again.storage.recoveryRead()
    expect(await recoveryOf(again)).toBeNull()
  })

  it('is restored if its checksum shows one changed character that SQLite does not detect', async () => {
    await live(40, 25)
    overwrite(deskFile(), '8731-x', '8732-x')
    const store = await bench.open()
    expect(await countLost(store, upTo(40))).toBe(0)
    expect(await recoveryOf(store)).not.toBeNull()
  })

  it('is restored from an older backup if the newest backup is damaged too', async () => {
    await live(40, 10)
    const store = await bench.open()
    await store.storage.backUp(1_700_000_100_000)
    const [newest] = (await store.storage.facts()).backups
    await doDeed(store, 41)
    store.close()
    overwrite(join(path('backups'), newest?.name ?? ''), '8731-x', '8732-x')
    writeFileSync(deskFile(), '')
    const again = await bench.open()
    expect(await countLost(again, upTo(41))).toBe(0)
    expect(await recoveryOf(again)).toMatchObject({ backupAt: 1_700_000_000_000, wholeSince: null })
  })

  it('is restored without a loss if it is the file of another desk or an older copy of the desk’s own file', async () => {
    await live(20, 10)
    copyFileSync(deskFile(), path('older'))
    await live(30, 0, 21)
    const other = await StoreBench.create()
    ;(await other.open()).close()
    copyFileSync(join(other.dataDir, 'desk.db'), deskFile())
    await other.dispose()
    let store = await bench.open()
    expect(await countLost(store, upTo(30))).toBe(0)
    store.close()
    copyFileSync(path('older'), deskFile())
    store = await bench.open()
    expect(await countLost(store, upTo(30))).toBe(0)
  })

  it('refuses reads and writes after the damage is detected, and is restored at the next start', async () => {
    await live(40, 25)
    const root = rootOf('scans')
    const store = await bench.open()
    const bytes = readFileSync(deskFile())
    bytes.fill(0xff, (root - 1) * 4_096, root * 4_096)
    writeFileSync(deskFile(), bytes)
    expect(() => store.scans.recent(5)).toThrow('store.unavailable')
    expect(() => store.values.write('k', 'v')).toThrow('store.damaged')
    expect(existsSync(path('desk.suspect'))).toBe(true)
    store.close()
    const again = await bench.open()
    expect(await countLost(again, upTo(40))).toBe(0)
    expect(await recoveryOf(again)).not.toBeNull()
    expect(existsSync(path('desk.suspect'))).toBe(false)
  })

  it('is restored at the next start if a backup finds a damaged page that no read has met', async () => {
    const store = await bench.open()
    const keys = Array.from({ length: 400 }, (_, index) => `k${index}`)
    for (const key of keys) store.values.write(key, 'v'.repeat(500))
    await store.storage.backUp(1_700_000_000_000)
    store.values.write('after', 'the backup')
    store.close()
    const open = await bench.open()
    // the test damages a leaf page of the table with the values, and the rows on this page
    const bytes = readFileSync(deskFile())
    const page = Math.floor(bytes.indexOf('v'.repeat(500), bytes.length / 2) / 4_096)
    bytes.fill(0xff, page * 4_096, (page + 1) * 4_096)
    writeFileSync(deskFile(), bytes)
    open.values.write('later', 'than the damage')
    for (const at of [1, 2])
      await expect(open.storage.backUp(1_700_000_000_000 + at)).rejects.toThrow('store.damaged')
    expect((await open.storage.facts()).backups).toHaveLength(1)
    open.values.write('last', 'before the close')
    await open.storage.rewriteIfDue()
    open.close()
    expect([existsSync(path('desk.suspect')), existsSync(path('desk.seal.json'))]).toEqual([true, false])
    const again = await bench.open()
    expect(await recoveryOf(again)).toMatchObject({ backupAt: 1_700_000_000_000, wholeSince: null })
    for (const key of keys) expect(again.values.read(key)).toBe('v'.repeat(500))
    expect(['after', 'later', 'last'].map((key) => again.values.read(key))).toEqual([
      'the backup',
      'than the damage',
      'before the close',
    ])
    await again.storage.backUp(1_700_000_100_000)
    again.close()
    expect(existsSync(path('desk.seal.json'))).toBe(true)
  })

  it('is restored at the next start if its rewrite at the close finds a damaged page that no read has met', async () => {
    const store = await bench.open()
    for (let index = 0; index < 400; index++) store.values.write(`k${index}`, 'v'.repeat(500))
    await store.storage.backUp(1_700_000_000_000)
    // a purge stores that the rewrite is due
    const other = new Database(deskFile())
    other.prepare(`INSERT INTO settings (scope, key, value) VALUES (?, 'rewrite', 'due')`).run(folderKey)
    other.pragma('wal_checkpoint(TRUNCATE)')
    other.close()
    const bytes = readFileSync(deskFile())
    const page = Math.floor(bytes.indexOf('k200v') / 4_096)
    bytes.fill(0xff, page * 4_096, (page + 1) * 4_096)
    writeFileSync(deskFile(), bytes)
    await expect(store.storage.rewriteIfDue()).rejects.toThrow('store.damaged')
    store.close()
    expect([existsSync(path('desk.suspect')), existsSync(path('desk.seal.json'))]).toEqual([true, false])
    expect((await bench.open()).values.read('k399')).toBe('v'.repeat(500))
  })

  it('is restored with the state `unknown` for each command that a lost transaction may have changed to `sending`', async () => {
    await live(24, 13)
    // damages the line in which the creation of the label changes to `sending`
    damageLine('"id":"create-20","from":"queued","to":"sending","at":1000021')
    writeFileSync(deskFile(), 'garbage'.repeat(3_000))
    const store = await bench.open()
    expect(await countLost(store, upTo(20))).toBe(0)
    expect(await countLost(store, upTo(24))).toBeGreaterThan(0)
    expect(await recoveryOf(store)).toMatchObject({ backupAt: 1_700_000_000_000 })
    const states = store.outbox.open().map(({ type, state }) => `${type} ${state}`)
    expect(states).toContain('return_label.create unknown')
    expect(states).not.toContain('return_label.create queued')
    expect(states).toContain('return_label.request queued')
    store.close()
    // after a recovery, desk.db can again be rebuilt completely from the journal
    rmSync(deskFile())
    const again = await bench.open()
    expect(await countLost(again, upTo(20))).toBe(0)
    expect(await recoveryOf(again)).toMatchObject({ wholeSince: null, putAside: '' })
  })

  it('is kept if SQLite can work with it and a restored file would contain less data', async () => {
    await live(24, 13)
    damageLine('"scan-16"')
    overwrite(deskFile(), '8722-x', '8723-x')
    const store = await bench.open()
    const lost = []
    for (const deed of upTo(24)) if ((await countLost(store, [deed])) > 0) lost.push(deed)
    expect(lost).toEqual([22])
    await doDeed(store, 25)
    store.close()
    const again = await bench.open()
    expect(await countLost(again, [25])).toBe(0)
  })
})

describe('an open desk.db', () => {
  it('has no file with its checksum until it is closed', async () => {
    const { file, database, journal } = await openDeskFile(bench.dataDir)
    expect(existsSync(path('desk.seal.json'))).toBe(false)
    expect(file.pragma('secure_delete', { simple: true })).toBe(1)
    expect(journal.position().seq).toBe(1)
    database.close()
    expect(existsSync(path('desk.seal.json'))).toBe(true)
  })
})

/** Returns the number of the page at which a table begins, in a closed desk.db. */
function rootOf(table: string): number {
  const database = new Database(deskFile(), { readonly: true })
  try {
    return Number(
      database.prepare<[string]>('SELECT rootpage FROM sqlite_master WHERE name = ?').pluck().get(table),
    )
  } finally {
    database.close()
  }
}
