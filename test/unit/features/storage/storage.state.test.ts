import { beforeEach, describe, expect, it } from 'vitest'
import { StorageState } from '#features/storage/storage.state.svelte.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'

const nowMs = Date.parse('2026-11-21T14:07:00Z')

let desk: MemoryDesk
let storage: StorageState

beforeEach(async () => {
  desk = new MemoryDesk(memoryWorld(() => nowMs))
  storage = new StorageState(desk.bridge)
  await storage.open()
})

describe('the backups of StorageState', () => {
  it('grow by one when the operator asks for a backup twice at the same time', async () => {
    const before = storage.view?.backups.length ?? 0
    await Promise.all([storage.backUp(), storage.backUp()])
    expect(storage.view?.backups).toHaveLength(before + 1)
    expect([storage.done, storage.busy]).toEqual(['back_up', null])
  })

  it('stay listed when a new backup failed, and the reason is shown', async () => {
    desk.world.failures['storage:backUp'] = failure('store.full')
    await storage.backUp()
    expect([storage.failure?.code, storage.done]).toEqual(['store.full', null])
    expect(storage.view?.backups).toHaveLength(12)
  })
})

describe('the number of days for which the desk keeps data', () => {
  it.each([
    ['14', 14],
    [' 730 ', 730],
    ['6', null],
    ['731', null],
    ['9.5', null],
    ['1e2', null],
    ['', null],
    ['ninety', null],
  ])('is read from the text %j as %s', (text, wanted) => {
    storage.days = text
    expect(storage.wanted).toBe(wanted)
  })

  it('is saved only if the operator changed it', async () => {
    storage.days = '90'
    await storage.keep()
    expect(desk.calls).not.toContain('storage:keep')
    storage.days = '30'
    await storage.keep()
    expect([desk.world.storage.keepDays, storage.days, storage.done]).toEqual([30, '30', 'keep'])
  })

  it('leads to a warning about the deletion of data if the number becomes smaller', () => {
    storage.days = '120'
    expect([storage.isChanged, storage.purges]).toEqual([true, false])
    storage.days = '89'
    expect([storage.isChanged, storage.purges]).toEqual([true, true])
  })

  it('stays as typed if it could not be saved; the saved number is shown when the screen is opened again', async () => {
    desk.world.failures['storage:keep'] = failure('store.full')
    storage.days = '30'
    await storage.keep()
    expect([storage.days, storage.failure?.code]).toEqual(['30', 'store.full'])
    await storage.open()
    expect([storage.days, storage.failure]).toEqual(['90', null])
  })
})

describe('the notice about restored data', () => {
  it('is removed once the operator has read it', async () => {
    desk.world.storage = {
      ...desk.world.storage,
      recovery: {
        at: '2026-11-21T14:03:00Z',
        backupAt: null,
        replayed: 3,
        putAside: '/x',
        wholeSince: null,
      },
    }
    await storage.load()
    expect(storage.view?.recovery?.replayed).toBe(3)
    await storage.recoveryRead()
    expect(storage.view?.recovery).toBeNull()
  })
})
