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
  // a usual umask: with it, every account can read a new file unless the program sets another mode
  umask = process.umask(0o022)
  folder = mkdtempSync(join(tmpdir(), 'scandesk-private-'))
})
afterEach(() => {
  process.umask(umask)
  rmSync(folder, { recursive: true, force: true })
})

const at = (...names: string[]): string => join(folder, ...names)
const modeOf = (path: string): string => (lstatSync(path).mode & 0o7777).toString(8)
/** Returns the names and modes of all files in a folder. */
function modesIn(path: string): Record<string, string> {
  return Object.fromEntries(readdirSync(path).map((name) => [name, modeOf(join(path, name))]))
}
/**
 * Tries to read a file as another account. Returns `read`, `denied`, or the text of another error. It uses a program of
 * the system, because the other account may have no access to the Node of this checkout.
 */
function readAsNobody(path: string): string {
  const { status, stderr } = spawnSync('/bin/cat', [path], {
    uid: 65_534,
    gid: 65_534,
    cwd: '/',
    env: { LC_ALL: 'C' },
    encoding: 'utf8',
  })
  if (status === 0) return 'read'
  return stderr.includes('Permission denied') ? 'denied' : stderr
}

describe.skipIf(!isPosix)('the files that this account creates', () => {
  it('are private if they are a database and its write-ahead log', () => {
    const database = openSqlite(at('a.db'), 'precious')
    database.exec('CREATE TABLE t (x); INSERT INTO t VALUES (1)')
    expect(modesIn(folder)).toEqual({ 'a.db': '600', 'a.db-wal': '600', 'a.db-shm': '600' })
    database.close()
  })

  it('become private when a database that other accounts could read is opened', () => {
    // 0644 is the mode that SQLite sets by default
    const maker = openSqlite(at('a.db'), 'precious')
    maker.exec('CREATE TABLE t (x)')
    for (const name of readdirSync(folder)) chmodSync(at(name), 0o644)
    const database = openSqlite(at('a.db'), 'precious')
    database.exec('INSERT INTO t VALUES (1)')
    expect(modesIn(folder)).toEqual({ 'a.db': '600', 'a.db-wal': '600', 'a.db-shm': '600' })
    database.close()
    maker.close()
  })

  it('stay locked by an open database connection after makePrivateDatabase() has run for the database', () => {
    const first = openSqlite(at('a.db'), 'precious')
    first.exec('CREATE TABLE t (x); BEGIN IMMEDIATE')
    makePrivateDatabase(at('a.db'))
    const writing = `const D = require('better-sqlite3'); const d = new D(${JSON.stringify(at('a.db'))}, { timeout: 1 }); try { d.exec('BEGIN IMMEDIATE'); console.log('taken') } catch (error) { console.log(error.code) }`
    const other = spawnSync(process.execPath, ['-e', writing], { encoding: 'utf8' })
    expect(other.stdout.trim()).toBe('SQLITE_BUSY')
    first.close()
  })

  it('are private if they are folders, or files that are written durably', async () => {
    makeFolder(at('sub', 'below'))
    await writeDurably(at('sub', 'durable'), Buffer.from('x'))
    writeNow(at('sub', 'now'), 'x')
    // a temporary file that an interrupted write of an earlier version left
    writeFileSync(at('sub', 'again.tmp'), 'x')
    writeNow(at('sub', 'again'), 'x')
    expect(modeOf(at('sub'))).toBe('700')
    expect(modesIn(at('sub'))).toEqual({ below: '700', durable: '600', now: '600', again: '600' })
  })
})

describe.skipIf(!isPosix)('takeDataFolder()', () => {
  const isOurs = (name: string): boolean => name.startsWith('ours')

  it('creates a missing data folder with a private mode', () => {
    expect(takeDataFolder(at('new', 'data'), isOurs)).toEqual({ mended: 0, left: [] })
    expect(modeOf(at('new', 'data'))).toBe('700')
  })

  it('removes the access of other accounts to an existing data folder, and to the files and folders of Scandesk in it', () => {
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

  it('makes the files private even if the folder is already private', () => {
    writeFileSync(at('ours.db'), '')
    chmodSync(folder, 0o700)
    expect(takeDataFolder(folder, isOurs)).toEqual({ mended: 1, left: [] })
  })

  it('leaves the target of a link in the folder unchanged', () => {
    mkdirSync(at('elsewhere'))
    writeFileSync(at('elsewhere', 'file'), '')
    mkdirSync(at('data'))
    symlinkSync(at('elsewhere'), at('data', 'ours'))
    symlinkSync(at('nowhere'), at('data', 'ours too'))
    expect(takeDataFolder(at('data'), isOurs)).toEqual({ mended: 1, left: [] })
    expect(modeOf(at('elsewhere'))).toBe('755')
    expect(modesIn(at('elsewhere'))).toEqual({ file: '644' })
  })

  it('reports a folder that other accounts can write to and leaves its mode unchanged, but makes the files of Scandesk in it private', () => {
    writeFileSync(at('ours.db'), '')
    chmodSync(folder, 0o1777)
    expect(takeDataFolder(folder, isOurs)).toEqual({
      mended: 1,
      left: [{ path: folder, cause: 'shared_folder' }],
    })
    expect(modeOf(folder)).toBe('1777')
  })

  it.skipIf(!isRoot)(
    'reports files of another account and leaves them unchanged, and makes the remaining files private',
    () => {
      writeFileSync(at('ours.db'), '')
      writeFileSync(at('ours of nobody'), '')
      chownSync(at('ours of nobody'), 65_534, 65_534)
      expect(takeDataFolder(folder, isOurs)).toEqual({
        mended: 1,
        left: [{ path: at('ours of nobody'), cause: 'not_owned' }],
      })
      expect(modesIn(folder)).toEqual({ 'ours.db': '600', 'ours of nobody': '644' })
    },
  )

  it.skipIf(!isRoot)('makes the files unreadable for another account', () => {
    writeFileSync(at('ours.db'), 'secret')
    chmodSync(folder, 0o755)
    expect(readAsNobody(at('ours.db'))).toBe('read')
    takeDataFolder(folder, isOurs)
    expect(readAsNobody(at('ours.db'))).toBe('denied')
    // even in a readable folder, the mode of the file excludes other accounts
    chmodSync(folder, 0o755)
    expect(readAsNobody(at('ours.db'))).toBe('denied')
    expect(existsSync(at('ours.db'))).toBe(true)
  })
})

describe.skipIf(!isPosix)('changeableParent()', () => {
  beforeEach(() => {
    mkdirSync(at('above', 'middle', 'data'), { recursive: true })
  })

  it.each([
    ['nobody else can change', 0o755, false],
    ['is sticky, so that only owners can rename their files', 0o1777, false],
    ['everybody can change', 0o777, true],
  ])(
    'returns a folder above the data folder only if others can change it: a folder that %s',
    (_, mode, isNamed) => {
      chmodSync(at('above'), mode)
      expect(changeableParent(at('above', 'middle', 'data'))).toBe(isNamed ? realpathSync(at('above')) : null)
    },
  )

  it.skipIf(!isRoot)(
    'returns a folder above the data folder if that folder belongs to another account, or if another group can change it',
    () => {
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
    },
  )

  it('follows a link to the data folder, and returns the nearest parent of its target that others can change', () => {
    for (const name of [at('above'), at('above', 'middle')]) chmodSync(name, 0o777)
    symlinkSync(at('above', 'middle', 'data'), at('link'))
    expect(changeableParent(at('link'))).toBe(realpathSync(at('above', 'middle')))
  })
})
