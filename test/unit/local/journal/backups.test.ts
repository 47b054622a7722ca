import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listBackups, makeBackup, pruneBackups } from '#local/journal/backups.ts'
import { timeFromName, timeInName } from '#local/desk-paths.ts'
import { openDeskFile } from '#local/desk-database.ts'
import type { SpaceLimits } from '#kit/disk-space.ts'
import { limitsOf } from '#shared/domain/keep-limits.ts'
import { StoreBench } from '#support/store-bench.ts'

let bench: StoreBench
beforeEach(async () => {
  bench = await StoreBench.create()
})
afterEach(() => bench.dispose())

const folder = (): string => join(bench.dataDir, 'backups')
const hourMs = 3600_000
const dayMs = 24 * hourMs
const start = Date.parse('2026-03-01T00:00:00Z')

describe('a backup', () => {
  it('contains a write that was made while the backup was running', async () => {
    const { file, database } = await openDeskFile(bench.dataDir)
    const write = database.prepare(`INSERT INTO settings (scope, key, value) VALUES ('s', ?, ?)`)
    for (let n = 0; n < 1_000; n++) write.run(String(n), 'x'.repeat(4_000))
    const made = makeBackup(file, folder(), start)
    write.run('while', 'it was made')
    const backup = await made
    expect(backup.bytes).toBeGreaterThan(3_000_000)
    expect(backup.examined?.seq).toBe(1_002)
    expect(listBackups(folder())).toEqual([backup])
    database.close()
  })

  it('is removed if its copy is damaged, and the call for the backup rejects', async () => {
    const { file, database } = await openDeskFile(bench.dataDir)
    const copy = file.backup.bind(file)
    file.backup = async (name, options) => {
      const progress = await copy(name, options)
      const bytes = readFileSync(name)
      bytes.fill(0xff, 4_096, 3 * 4_096)
      writeFileSync(name, bytes)
      return progress
    }
    await expect(makeBackup(file, folder(), start)).rejects.toThrow()
    expect(readdirSync(folder())).toEqual([])
    database.close()
  })

  it('is kept if it is within the age limit and is one of the newest 24 or the newest of its day; the newest one is always kept', async () => {
    const { file, database } = await openDeskFile(bench.dataDir)
    await makeBackup(file, folder(), start)
    const [first] = listBackups(folder())
    for (let hour = 1; hour <= 5 * 24; hour++) {
      const name = join(folder(), `desk-${timeInName(start + hour * hourMs)}`)
      writeFileSync(`${name}.db`, readFileSync(first?.file ?? ''))
      writeFileSync(`${name}.json`, JSON.stringify(first?.examined))
    }
    const now = start + 5 * dayMs
    pruneBackups(folder(), now, 3)
    const kept = listBackups(folder()).map(({ at }) => (now - at) / hourMs)
    expect(kept.slice(0, 24)).toEqual(Array.from({ length: 24 }, (_, hour) => hour))
    expect(kept.slice(24)).toEqual([25, 49])
    expect(readdirSync(folder())).toHaveLength(2 * kept.length)
    pruneBackups(folder(), now + 400 * dayMs, 3)
    expect(listBackups(folder()).map(({ at }) => at)).toEqual([now])
    database.close()
  })

  it('is removed if a wrong clock dated it a year ahead, and does not count as the newest', async () => {
    const { file, database } = await openDeskFile(bench.dataDir)
    const ahead = await makeBackup(file, folder(), start + 365 * dayMs)
    database.prepare(`INSERT INTO settings (scope, key, value) VALUES ('s', 'a', 'b')`).run()
    const newest = await makeBackup(file, folder(), start)
    expect(listBackups(folder())).toEqual([newest, ahead])
    pruneBackups(folder(), start, 3)
    expect(listBackups(folder())).toEqual([newest])
    database.close()
  })

  it('has a file name from which its time can be read', () => {
    for (const at of [0, start, start + 123]) expect(timeFromName(`desk-${timeInName(at)}.db`)).toBe(at)
    expect(timeFromName('desk-old.db')).toBeNull()
  })
})

describe('a backup on a disk with little space', () => {
  const gib = 1024 ** 3
  const mib = 1024 ** 2
  const taken = (): number => listBackups(folder()).reduce((sum, { bytes }) => sum + bytes, 0)
  const times = (): number[] => listBackups(folder()).map(({ at }) => (at - start) / hourMs)

  /** Opens a desk.db and makes three backups of equal size. */
  async function withThree(): Promise<{
    bytes: number
    backUp: (hour: number, space?: SpaceLimits) => Promise<unknown>
    close: () => void
  }> {
    const { file, database } = await openDeskFile(bench.dataDir)
    const write = database.prepare(`INSERT INTO settings (scope, key, value) VALUES ('s', ?, '')`)
    const backUp = (hour: number, space?: SpaceLimits): Promise<unknown> => {
      write.run(String(hour))
      return makeBackup(file, folder(), start + hour * hourMs, space)
    }
    for (let hour = 0; hour < 3; hour++) await backUp(hour)
    return { bytes: listBackups(folder())[0]?.bytes ?? 0, backUp, close: () => database.close() }
  }

  it('replaces the oldest backups, so that the space for scans stays free', async () => {
    const { backUp, close } = await withThree()
    const all = gib + taken() + mib
    const space = { mostBytes: gib, leastFree: gib, freeBytes: () => all - taken() }
    for (let hour = 3; hour < 9; hour++) {
      await backUp(hour, space)
      expect(times()).toEqual([hour, hour - 1, hour - 2])
      expect(space.freeBytes()).toBeGreaterThanOrEqual(gib)
    }
    close()
  })

  it('fails without removing old backups if their removal would not free enough space', async () => {
    const { backUp, close } = await withThree()
    const space = { mostBytes: gib, leastFree: gib, freeBytes: () => gib }
    await expect(backUp(3, space)).rejects.toMatchObject({ failure: { code: 'backup.low_disk' } })
    expect(times()).toEqual([2, 1, 0])
    expect(readdirSync(folder())).toHaveLength(6)
    close()
  })

  it('removes the oldest backups while their total size is above the maximum, but keeps the newest two', async () => {
    const { bytes, backUp, close } = await withThree()
    const free = { leastFree: gib, freeBytes: () => 2 * gib }
    await backUp(3, { ...free, mostBytes: 3 * bytes + mib })
    expect(times()).toEqual([3, 2, 1])
    await backUp(4, { ...free, mostBytes: 1 })
    expect(times()).toEqual([4, 3])
    close()
  })
})

describe('limitsOf()', () => {
  it('divides the days of retention, except two, between the age limit of rows in desk.db and the age limit of backups', () => {
    for (let days = 7; days <= 730; days++) {
      const { desk, backups } = limitsOf(days)
      expect(desk + backups + 2).toBe(days)
      expect(desk).toBeGreaterThan(0)
      expect(backups).toBeGreaterThan(0)
    }
    expect(existsSync(folder())).toBe(false)
  })
})
