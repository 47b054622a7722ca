import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStore } from '#local/open-store.ts'
import { scopeKeyOf } from '#support/ids.ts'
import { countLost, doDeed, upTo } from '../faults/storage/deeds.ts'
import { canRecord } from '../faults/power-loss.ts'

const child = join(import.meta.dirname, '../support/bad-sector-child.ts')
const deeds = 40
const scope = scopeKeyOf('scope')

/** Data of a desk that was closed, and of a desk that was killed. */
let closed: string
let killed: string
let copies: string
beforeAll(async () => {
  closed = mkdtempSync(join(tmpdir(), 'closed-'))
  killed = mkdtempSync(join(tmpdir(), 'killed-'))
  copies = mkdtempSync(join(tmpdir(), 'bad-sectors-'))
  const store = await openStore(closed, scope, () => undefined)
  for (let deed = 1; deed <= deeds; deed++) {
    await doDeed(store, deed)
    if (deed === deeds / 2) await store.storage.backUp(2_000_000)
  }
  // the files of an open desk are those of a killed desk
  cpSync(closed, killed, { recursive: true })
  store.close()
})
afterAll(() => {
  for (const folder of [closed, killed, copies]) rmSync(folder, { recursive: true })
})

/** The system calls that read or copy a part of a file. */
const reading = 'pread64,copy_file_range,sendfile'

/**
 * Opens a copy of the data while the first `reads` reads of a file fail with EIO, as for a bad sector. Returns the exit
 * code, the caches that were lost, and the number of actions whose effect is missing afterwards.
 */
async function openWithBadReads(data: string, file: string, reads: number) {
  const copy = mkdtempSync(join(copies, 'copy-'))
  cpSync(data, copy, { recursive: true })
  const { status, stdout, stderr } = spawnSync(
    'strace',
    [
      ...['-f', '-qq', '-o', '/dev/null', '-P', join(copy, file), '-e', `trace=${reading}`],
      ...['-e', `inject=${reading}:error=EIO:when=1..${reads}`, process.execPath, child, copy],
    ],
    { encoding: 'utf8' },
  )
  if (status !== 0) return { status, said: stderr.slice(-500) }
  const store = await openStore(copy, scope, () => undefined)
  const missing = await countLost(store, upTo(deeds))
  store.close()
  return { status, lost: JSON.parse(stdout) as unknown, missing }
}

const journal = (): string => join('journal', readdirSync(join(closed, 'journal')).toSorted().at(-1) ?? '')

describe.skipIf(!canRecord())('a desk with a bad sector on its disk', () => {
  // the first read of a closed desk.db computes its checksum, the second one is SQLite's; a third one would be of the
  // rebuilt file, which has the same path
  it.each([1, 2])(
    'opens desk.db with all data if this number of its first reads fails: %s',
    async (reads) => {
      expect(await openWithBadReads(closed, 'desk.db', reads)).toEqual({ status: 0, lost: [], missing: 0 })
    },
  )

  it('opens desk.db of a killed desk with all data if its first read fails', async () => {
    expect(await openWithBadReads(killed, 'desk.db', 1)).toEqual({ status: 0, lost: [], missing: 0 })
  })

  it('opens desk.db of a killed desk with all data if its log cannot be read', async () => {
    expect(await openWithBadReads(killed, 'desk.db-wal', 1)).toEqual({ status: 0, lost: [], missing: 0 })
  })

  it('opens desk.db with all data if a part of the newest file of the journal cannot be read', async () => {
    expect(await openWithBadReads(closed, journal(), 2)).toEqual({ status: 0, lost: [], missing: 0 })
  })

  it('opens desk.db with all data if a backup cannot be read', async () => {
    const [backup = ''] = readdirSync(join(closed, 'backups')).filter((name) => name.endsWith('.db'))
    const data = mkdtempSync(join(copies, 'damaged-'))
    cpSync(closed, data, { recursive: true })
    rmSync(join(data, 'desk.db'))
    expect(await openWithBadReads(data, join('backups', backup), 4)).toEqual({
      status: 0,
      lost: [],
      missing: 0,
    })
  })

  it('opens an empty recent.db if its file cannot be read', async () => {
    const opened = await openWithBadReads(closed, 'recent.db', 1)
    expect(opened).toEqual({ status: 0, lost: ['recent'], missing: 0 })
  })
})
