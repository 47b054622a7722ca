import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqlite } from '#kit/open-sqlite.ts'
import { changeableParent, makePrivateDatabase, takeDataFolder } from '#kit/private-files.ts'
import { writeDurably, makeFolder, writeNow } from '#kit/durable-files.ts'

const isPosix = process.platform !== 'win32'
const isRoot = isPosix && process.getuid?.() === 0
if (!isRoot) console.warn('files of other accounts are not tried: this needs root')

let folder: string
let umask: number

beforeEach(() => {
  // the usual mask of an account: every private mode here was set explicitly
  umask = process.umask(0o022)
  folder = mkdtempSync(join(tmpdir(), 'scandesk-private-'))
})
afterEach(() => {
  process.umask(umask)
  rmSync(folder, { recursive: true, force: true })
})

const at = (...names: string[]): string => join(folder, ...names)
const modeOf = (path: string): string => (lstatSync(path).mode & 0o7777).toString(8)
/** The names and modes of all files in a folder. */
function modesIn(path: string): Record<string, string> {
  return Object.fromEntries(readdirSync(path).map((name) => [name, modeOf(join(path, name))]))
}
/** The access of another account to a file: its text, or the error. */
function readAsNobody(path: string): string {
  const script = `try { require('fs').readFileSync(${JSON.stringify(path)}); console.log('read') } catch (error) { console.log(error.code) }`
  return spawnSync(process.execPath, ['-e', script], {
    uid: 65_534,
    gid: 65_534,
    cwd: '/',
    encoding: 'utf8',
  }).stdout.trim()
}

describe.skipIf(!isPosix)('files for one account only', () => {
  it('keeps a database and its log private while it is written to', () => {
    const database = openSqlite(at('a.db'), 'precious')
    database.exec('CREATE TABLE t (x); INSERT INTO t VALUES (1)')
    expect(modesIn(folder)).toEqual({ 'a.db': '600', 'a.db-wal': '600', 'a.db-shm': '600' })
    database.close()
  })

  it('makes a database of an earlier version private, with its log, when it is opened', () => {
    // the mode that SQLite itself sets
    const maker = openSqlite(at('a.db'), 'precious')
    maker.exec('CREATE TABLE t (x)')
    for (const name of readdirSync(folder)) chmodSync(at(name), 0o644)
    const database = openSqlite(at('a.db'), 'precious')
    database.exec('INSERT INTO t VALUES (1)')
    expect(modesIn(folder)).toEqual({ 'a.db': '600', 'a.db-wal': '600', 'a.db-shm': '600' })
    database.close()
    maker.close()
  })

  it('keeps the locks of the first connection when the same process opens a database again', () => {
    const first = openSqlite(at('a.db'), 'precious')
    first.exec('CREATE TABLE t (x); BEGIN IMMEDIATE')
    makePrivateDatabase(at('a.db'))
    const writing = `const D = require('better-sqlite3'); const d = new D(${JSON.stringify(at('a.db'))}, { timeout: 1 }); try { d.exec('BEGIN IMMEDIATE'); console.log('taken') } catch (error) { console.log(error.code) }`
    const other = spawnSync(process.execPath, ['-e', writing], { encoding: 'utf8' })
    expect(other.stdout.trim()).toBe('SQLITE_BUSY')
    first.close()
  })

  it('creates whole files and folders with private modes', async () => {
    makeFolder(at('sub', 'below'))
    await writeDurably(at('sub', 'durable'), Buffer.from('x'))
    writeNow(at('sub', 'now'), 'x')
    // a leftover of an interrupted write of an earlier version
    writeFileSync(at('sub', 'again.tmp'), 'x')
    writeNow(at('sub', 'again'), 'x')
    expect(modeOf(at('sub'))).toBe('700')
    expect(modesIn(at('sub'))).toEqual({ below: '700', durable: '600', now: '600', again: '600' })
  })
})

describe.skipIf(!isPosix)('a private data folder', () => {
  const isOurs = (name: string): boolean => name.startsWith('ours')

  it('gets a private mode', () => {
    expect(takeDataFolder(at('new', 'data'), isOurs)).toEqual({ mended: 0, left: [] })
    expect(modeOf(at('new', 'data'))).toBe('700')
  })

  it('repairs the folder, its files and its subfolders that an earlier version left open', () => {
    mkdirSync(at('ours', 'below'), { recursive: true })
    writeFileSync(at('ours', 'below', 'file'), '')
    writeFileSync(at('ours.db'), '')
    writeFileSync(at('another program'), '')
    chmodSync(folder, 0o755)
    expect(takeDataFolder(folder, isOurs)).toEqual({ mended: 5, left: [] })
    expect(modeOf(folder)).toBe('700')
    expect(modesIn(folder)).toEqual({ ours: '700', 'ours.db': '600', 'another program': '644' })
    expect(modesIn(at('ours'))).toEqual({ below: '700' })
    expect(modesIn(at('ours', 'below'))).toEqual({ file: '600' })
    expect(takeDataFolder(folder, isOurs)).toEqual({ mended: 0, left: [] })
  })

  it('repairs the files in a folder that its owner closed to himself', () => {
    writeFileSync(at('ours.db'), '')
    chmodSync(folder, 0o700)
    expect(takeDataFolder(folder, isOurs)).toEqual({ mended: 1, left: [] })
  })

  it('leaves the target of a link in it unchanged', () => {
    mkdirSync(at('elsewhere'))
    writeFileSync(at('elsewhere', 'file'), '')
    mkdirSync(at('data'))
    symlinkSync(at('elsewhere'), at('data', 'ours'))
    symlinkSync(at('nowhere'), at('data', 'ours too'))
    expect(takeDataFolder(at('data'), isOurs)).toEqual({ mended: 1, left: [] })
    expect(modeOf(at('elsewhere'))).toBe('755')
    expect(modesIn(at('elsewhere'))).toEqual({ file: '644' })
  })

  it('keeps its own mode and is reported when other accounts use it too, and its files are repaired', () => {
    writeFileSync(at('ours.db'), '')
    chmodSync(folder, 0o1777)
    expect(takeDataFolder(folder, isOurs)).toEqual({
      mended: 1,
      left: [{ path: folder, cause: 'shared_folder' }],
    })
    expect(modeOf(folder)).toBe('1777')
  })

  it.skipIf(!isRoot)('reports and skips what belongs to another account, and repairs the rest', () => {
    writeFileSync(at('ours.db'), '')
    writeFileSync(at('ours of nobody'), '')
    chownSync(at('ours of nobody'), 65_534, 65_534)
    expect(takeDataFolder(folder, isOurs)).toEqual({
      mended: 1,
      left: [{ path: at('ours of nobody'), cause: 'not_owned' }],
    })
    expect(modesIn(folder)).toEqual({ 'ours.db': '600', 'ours of nobody': '644' })
  })

  it.skipIf(!isRoot)('is readable by another account before and unreadable after', () => {
    writeFileSync(at('ours.db'), 'secret')
    chmodSync(folder, 0o755)
    expect(readAsNobody(at('ours.db'))).toBe('read')
    takeDataFolder(folder, isOurs)
    expect(readAsNobody(at('ours.db'))).toBe('EACCES')
    // the mode of the file alone also excludes other accounts
    chmodSync(folder, 0o755)
    expect(readAsNobody(at('ours.db'))).toBe('EACCES')
    expect(existsSync(at('ours.db'))).toBe(true)
  })
})

describe.skipIf(!isPosix)('changeableParent()', () => {
  beforeEach(() => {
    mkdirSync(at('above', 'middle', 'data'), { recursive: true })
  })

  it.each([
    ['nobody else can change', 0o755, false],
    ['is sticky, so that only owners rename what is in it', 0o1777, false],
    ['everybody can change', 0o777, true],
  ])('checks a folder that %s: mode %o', (_, mode, isNamed) => {
    chmodSync(at('above'), mode)
    expect(changeableParent(at('above', 'middle', 'data'))).toBe(isNamed ? realpathSync(at('above')) : null)
  })

  it.skipIf(!isRoot)('finds a folder of another account, even a sticky one, or of another group', () => {
    chownSync(at('above'), 65_534, 65_534)
    for (const mode of [0o700, 0o1777]) {
      chmodSync(at('above'), mode)
      expect(changeableParent(at('above', 'middle', 'data'))).toBe(realpathSync(at('above')))
    }
    chownSync(at('above'), 0, 65_534)
    chmodSync(at('above'), 0o775)
    expect(changeableParent(at('above', 'middle', 'data'))).toBe(realpathSync(at('above')))
    chownSync(at('above'), 0, 0)
    expect(changeableParent(at('above', 'middle', 'data'))).toBeNull()
  })

  it('finds a folder behind a link, and returns the nearest one', () => {
    for (const name of [at('above'), at('above', 'middle')]) chmodSync(name, 0o777)
    symlinkSync(at('above', 'middle', 'data'), at('link'))
    expect(changeableParent(at('link'))).toBe(realpathSync(at('above', 'middle')))
  })
})
