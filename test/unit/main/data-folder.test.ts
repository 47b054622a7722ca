import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { foreignDeskFile, reportReaders, takeDeskFolder } from '../../../electron/main/data-folder.ts'
import { type AskedRights, parseSddl } from '../../../electron/main/windows-rights.ts'

// these tests run on any system, because each test supplies the rights that Windows would report for the folder

const user = 'S-1-5-21-1-2-3-1001'

async function logged(sddl: string | null): Promise<unknown[]> {
  const lines: unknown[] = []
  const asked: AskedRights | null = sddl === null ? null : { user, rights: [parseSddl(sddl)] }
  const logger = { warn: (what: unknown): void => void lines.push(what) }
  await reportReaders('C:\\Data', logger, () => Promise.resolve(asked))
  return lines
}

describe('reportReaders()', () => {
  it('logs on Windows the other accounts that may read the data, and logs nothing if there are none', async () => {
    const own = `O:${user}D:(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIID;FA;;;${user})`
    expect(await logged(own)).toEqual([])
    expect(await logged(`${own}(A;OICIID;0x1200a9;;;BU)(A;ID;0x1301bf;;;AU)`)).toEqual([
      { dataDir: 'C:\\Data', readers: ['BU', 'AU'] },
    ])
  })

  it('logs a warning if Windows returns no readable rights of the data folder', async () => {
    expect([await logged(null), await logged('odd')]).toEqual([
      [{ dataDir: 'C:\\Data' }],
      [{ dataDir: 'C:\\Data' }],
    ])
  })
})

describe.skipIf(process.getuid?.() !== 0)('a data folder with a file of another account', () => {
  const folders: string[] = []
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  })
  const logger: Parameters<typeof takeDeskFolder>[1] = {
    info: () => undefined,
    warn: () => undefined,
  } as never
  function folderWith(...paths: readonly string[]): string {
    const folder = mkdtempSync(join(tmpdir(), 'scandesk-foreign-'))
    folders.push(folder)
    for (const path of paths) {
      const file = join(folder, path)
      mkdirSync(dirname(file), { recursive: true })
      if (path !== '.') writeFileSync(file, 'DELETE FROM scans')
      chownSync(file, 65_534, 65_534)
    }
    return folder
  }

  it.each(['.', 'settings.json', 'desk.db', 'recent.db-wal', 'journal/1.jsonl', 'backups/old.db', 'labels'])(
    'takeDeskFolder() refuses a data folder with a file of another account before it reads or changes anything: %s',
    (path) => {
      const folder = folderWith(path)
      const before = readdirSync(folder, { recursive: true })
      const sentence = `${join(folder, path)} belongs to another account of this computer: use a folder of your own.`
      expect(() => {
        takeDeskFolder(folder, logger)
      }).toThrow(sentence)
      expect(readdirSync(folder, { recursive: true })).toEqual(before)
    },
  )

  it('takeDeskFolder() accepts a data folder with a file of another account if the file is not one of the desk, or if `labels` is a link to a folder that the operator chose', () => {
    const chosen = folderWith('.')
    const folder = folderWith('notes.txt')
    symlinkSync(chosen, join(folder, 'labels'))
    expect(foreignDeskFile(folder)).toBeNull()
    takeDeskFolder(folder, logger)
    symlinkSync(chosen, join(folder, 'journal'))
    expect(foreignDeskFile(folder)).toContain('journal belongs to another account')
  })
})
