import { beforeEach, expect, it } from 'vitest'
import { MemoryDesk } from '#bridge/memory-bridge.ts'
import { ScanRouter } from '../../../src/app/scan-router.ts'
import { WindowState } from '../../../src/app/window-state.svelte.ts'

let desk: MemoryDesk
let window: WindowState

beforeEach(async () => {
  desk = new MemoryDesk()
  window = new WindowState(desk.bridge, () => undefined)
  await window.app.load()
  window.app.openSetup()
  window.setup.openPart('printer')
  await window.setup.printers.load()
})

it('goes back from the set-up where nothing was typed', () => {
  window.leaveSetup()
  expect(window.app.screen).toBe('login')
})

it('asks where something was typed about a printer; to ask again is to stay', () => {
  Object.assign(window.setup.printers.draft?.fields ?? {}, { title: 'Dock' })
  window.leaveSetup()
  expect([window.app.screen, window.setup.printers.question]).toEqual(['setup', 'leave'])
  window.leaveSetup()
  expect([window.app.screen, window.setup.printers.question]).toEqual(['setup', null])
})

it('asks as well where somebody scans the way home', () => {
  Object.assign(window.setup.printers.draft?.fields ?? {}, { title: 'Dock' })
  new ScanRouter(window).route('SDCMDHOME')
  expect(window.setup.printers.question).toBe('leave')
  window.setup.printers.discard()
  expect(window.app.screen).toBe('login')
})

it('follows the printers as main tells of them, while their page is open', async () => {
  const [folder] = desk.world.prints.printers.slice(-1)
  expect(folder?.name).toBe('Label folder')
  desk.world.prints = {
    ...desk.world.prints,
    printers: desk.world.prints.printers.map((view) => ({ ...view, state: 'refused' as const })),
  }
  window.onStatus(desk.world.status)
  await Promise.resolve()
  await Promise.resolve()
  expect(window.setup.printers.list.liveOf('Label folder')?.state).toBe('refused')
})
