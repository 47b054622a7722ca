import { beforeEach, describe, expect, it } from 'vitest'
import { SetupState } from '#features/setup/setup.state.svelte.ts'
import { SupportState } from '#features/setup/support.state.svelte.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { MemoryDesk } from '#support/memory-desk/memory-desk.ts'

let desk: MemoryDesk
let support: SupportState

beforeEach(() => {
  desk = new MemoryDesk()
  support = new SupportState(desk.bridge)
})

describe('the support page', () => {
  it('lists the content of the support bundle before it is saved, and then the name of the saved file', async () => {
    await support.open()
    expect([support.view?.files.length, support.view?.saved, support.isSaved]).toEqual([6, null, false])
    await Promise.all([support.save(), support.save()])
    expect(support.view?.saved?.name).toMatch(/^scandesk-support-.*\.zip$/)
    expect([support.isSaved, support.busy]).toEqual([true, null])
    expect(desk.calls).toEqual(['support:contents', 'support:save'])
    await support.open()
    expect(support.isSaved).toBe(false)
  })

  it('keeps the list of files when the bundle cannot be saved, and shows the reason until the operator’s next act', async () => {
    await support.open()
    desk.world.failures['support:save'] = failure('support.not_saved', { cause: 'ENOSPC' })
    await support.save()
    expect([support.failure?.code, support.isSaved, support.view?.files.length]).toEqual([
      ...['support.not_saved', false, 6],
    ])
    await support.show('logs')
    expect([support.failure, support.view?.files.length]).toEqual([null, 6])
  })

  it('asks no question when the operator leaves it', () => {
    const setup = new SetupState(desk.bridge, () => undefined)
    setup.openPart('support')
    let left = 0
    setup.leave(() => left++)
    setup.back(() => left++)
    setup.close(() => left++)
    expect([left, setup.part, setup.isChanged]).toEqual([3, 'support', false])
  })
})
