import { execFileSync, spawnSync } from 'node:child_process'
import {
  closeSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { canMount } from '#support/small-disk.ts'
import type { SettingsStore } from '../../../electron/main/settings.ts'

// Outside Electron the module `electron` exports a path. So electron-store finds no app and uses the given folder.
process.env['ELECTRON_OVERRIDE_DIST_PATH'] ??= new URL('../../electron-stand-in', import.meta.url).pathname

let folder: string
let faults: unknown[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'scandesk-settings-'))
  faults = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function open(): Promise<SettingsStore> {
  const { openSettings } = await import('../../../electron/main/settings.ts')
  return openSettings(folder, (error) => faults.push(error))
}

/** Returns `count` secrets of `length` characters. Each character has two bytes in UTF-8. */
function secretsOf(count: number, length: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`refresh ${at}`, 'é'.repeat(length)]))
}

describe('openSettings()', () => {
  it.each([1_000, 10_000, 40_000, 50_000, 65_000, 200_000])(
    'reads at the next start all settings that `update()` accepted: 40 secrets of %i characters',
    async (length) => {
      const settings = await open()
      settings.update({ sandboxPort: 4010 })
      settings.update({ secrets: secretsOf(40, length) })
      settings.update({ sandboxPort: 4011 })
      const again = await open()
      expect(again.read()).toEqual(settings.read())
      expect(again.read()).toMatchObject({ sandboxPort: 4011, lost: null })
      expect(readdirSync(folder)).toEqual(['settings.json'])
    },
  )

  it('does not write settings that do not change, neither before nor after a restart', async () => {
    const file = join(folder, 'settings.json')
    /** Makes a change of the settings. Returns whether the store writes its settings file. */
    const writes = (settings: SettingsStore, change: Parameters<SettingsStore['update']>[0]): boolean => {
      utimesSync(file, 0, 0)
      settings.update(change)
      return statSync(file).mtimeMs > 0
    }
    for (let start = 0; start < 2; start++) {
      const settings = await open()
      const secrets = { refresh: `of start ${start}` }
      expect(writes(settings, { sandboxPort: null, lost: null })).toBe(false)
      expect(writes(settings, { secrets })).toBe(true)
      expect(writes(settings, { secrets: { ...secrets } })).toBe(false)
      expect(writes(settings, { secrets: {} })).toBe(true)
    }
  })

  it('writes a change when `update()` is called with it again after its first write failed', async () => {
    const settings = await open()
    const trial = join(folder, 'settings.json.trial')
    mkdirSync(trial)
    settings.update({ sandboxPort: 4010 })
    expect(faults).toHaveLength(1)
    rmdirSync(trial)
    settings.update({ sandboxPort: 4010 })
    expect((await open()).read()).toMatchObject({ sandboxPort: 4010 })
  })

  describe.skipIf(!canMount())('openSettings() on a full disk', () => {
    beforeEach(() => void spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]))
    afterEach(() => void spawnSync('umount', [folder]))

    it.each([0, 4_096, 8_192])(
      'keeps the previous file if only %i bytes are free, and writes the change together with the next one',
      async (freeBytes) => {
        const settings = await open()
        settings.update({ sandboxPort: 4010, secrets: secretsOf(4, 2_000) })
        const before = readFileSync(join(folder, 'settings.json'))
        const filler = join(folder, 'filler')
        const { bavail, bsize } = statfsSync(folder)
        writeFileSync(filler, Buffer.alloc(bavail * bsize - freeBytes))
        settings.update({ sandboxPort: 4011 })
        expect(faults).toMatchObject([{ code: 'ENOSPC' }])
        expect(readFileSync(join(folder, 'settings.json'))).toEqual(before)
        expect(readdirSync(folder).sort()).toEqual(['filler', 'settings.json'])
        rmSync(filler)
        settings.update({ currentStationId: null })
        expect((await open()).read()).toMatchObject({ sandboxPort: 4011, lost: null })
      },
    )
  })

  it('refuses a write to a locked file before electron-store begins it, because electron-store would repeat the write for a second', async ({
    skip,
  }) => {
    const settings = await open()
    settings.update({ sandboxPort: 4010 })
    const file = join(folder, 'settings.json')
    if (spawnSync('chattr', ['+i', file]).status !== 0)
      skip('this file system has no locks that the test can set')
    try {
      settings.update({ sandboxPort: 4011 })
    } finally {
      spawnSync('chattr', ['-i', file])
    }
    // this error comes from the check before the write; an error of electron-store would come from the call `rename`
    expect(faults).toMatchObject([{ code: 'EPERM', syscall: 'open', path: file }])
    settings.update({ sandboxPort: 4012 })
    expect((await open()).read()).toMatchObject({ sandboxPort: 4012 })
  })

  describe.skipIf(process.platform === 'win32')('openSettings() with a link as settings.json', () => {
    const target = (): string => join(folder, 'target')
    const link = (): string => join(folder, 'settings.json')

    it('reads the file behind the link', async () => {
      writeFileSync(target(), JSON.stringify({ sandboxPort: 4012 }))
      symlinkSync('target', link())
      expect((await open()).read()).toMatchObject({ sandboxPort: 4012, lost: null })
      expect(faults).toEqual([])
    })

    it.each(['a pipe', 'a large file', 'a folder'])(
      'renames the link and writes a new file if the target is %s',
      async (kind) => {
        if (kind === 'a pipe') execFileSync('mkfifo', [target()])
        else if (kind === 'a large file') {
          closeSync(openSync(target(), 'w'))
          truncateSync(target(), 64 * 1024 * 1024)
        }
        symlinkSync(kind === 'a folder' ? '.' : 'target', link())
        const settings = (await open()).read()
        expect(settings.lost).toMatchObject({ extent: 'all', copy: 'settings.json.1.bak' })
        expect(faults.map(String)).toEqual([`Error: ${link()} is no settings file`])
        expect(readlinkSync(`${link()}.1.bak`)).toBe(kind === 'a folder' ? '.' : 'target')
        expect(lstatSync(link()).isFile()).toBe(true)
      },
    )
  })

  it('drops and reports a change that would make the file too large', async () => {
    const settings = await open()
    settings.update({ secrets: secretsOf(1, 1_000) })
    settings.update({ secrets: secretsOf(40, 60_000), sandboxPort: 4010 })
    expect(Object.keys(settings.read().secrets)).toEqual(['refresh 0'])
    expect([settings.read().sandboxPort, faults.length]).toEqual([null, 1])
  })
})
