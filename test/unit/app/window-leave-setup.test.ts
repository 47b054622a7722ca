import { beforeEach, describe, expect, it, vi } from 'vitest'
import { MemoryDesk } from '#support/memory-desk/memory-desk.ts'
import { sampleShipment } from '#support/memory-desk/scans.ts'
import { signedIn } from '#support/memory-desk/station.ts'
import { startKeys } from '../../../src/app/keys.ts'
import { heard } from '#support/desk-window.ts'
import { ScanLine } from '../../../src/app/scan-line.ts'
import { DeskWindow } from '../../../src/app/window.svelte.ts'

let desk: MemoryDesk
let window: DeskWindow

function type(fields: { title: string }): void {
  Object.assign(window.setup.printers.draft?.fields ?? {}, fields)
}

beforeEach(async () => {
  desk = new MemoryDesk()
  window = new DeskWindow(desk.bridge, () => undefined)
  window.start()
  await window.app.load()
  window.app.openSetup()
  window.setup.openPart('printer')
  await window.setup.printers.load()
})

describe('leaving the set-up', () => {
  it('shows the login again, without a question, when the operator typed nothing', () => {
    window.leaveSetup()
    expect(window.app.screen).toBe('login')
  })

  it('asks a question when a printer has unsaved fields; a second attempt closes the question, and the set-up stays open', () => {
    type({ title: 'Dock' })
    window.leaveSetup()
    expect([window.app.screen, window.setup.printers.question]).toEqual(['setup', 'leave'])
    window.leaveSetup()
    expect([window.app.screen, window.setup.printers.question]).toEqual(['setup', null])
  })

  it('asks about unsaved fields also when the operator scans HOME', () => {
    type({ title: 'Dock' })
    new ScanLine(window).take(heard('SDCMDHOME'))
    expect(window.setup.printers.question).toBe('leave')
    window.setup.printers.discard()
    expect(window.app.screen).toBe('login')
  })
})

describe('the set-up after a login', () => {
  const page = new EventTarget()

  function press(key: string): void {
    page.dispatchEvent(Object.assign(new Event('keydown'), { key }))
  }

  beforeEach(async () => {
    desk.world.shipments = [sampleShipment(0)]
    window.app.back()
    window.app.signedIn(signedIn)
    await vi.waitFor(() => {
      expect(window.isReady).toBe(true)
    })
    await window.places.stage.submit('WEB-100412')
    window.app.openSetup()
    return startKeys(Object.assign(page, { document: { activeElement: null, body: null } }), window)
  })

  it('closes when the operator presses Escape, and the stage shows the same card as before', () => {
    press('Escape')
    expect([window.app.screen, window.places.stage.card.kind]).toEqual(['stage', 'shipment'])
    press('Escape')
    expect(window.places.stage.card.kind).toBe('home')
  })

  it('leads back to the login screen at Escape if it was opened there after the login expired; HOME then closes the login screen', () => {
    window.app.back()
    desk.putSession({ ...signedIn, state: 'expired' })
    window.app.openLogin()
    window.app.openSetup()
    press('Escape')
    expect(window.app.screen).toBe('login')
    new ScanLine(window).take(heard('SDCMDHOME'))
    expect([window.app.screen, window.places.stage.card.kind]).toEqual(['stage', 'shipment'])
  })
})

describe('a request to close the window during the set-up', () => {
  const nothing = { waiting: 0, asking: 0 }

  it('closes the window without a question when the operator typed nothing', () => {
    expect(window.holdsUnsaved).toBe(false)
    desk.emit('closing', nothing)
    expect(desk.calls).toContain('app:close')
  })

  it('causes a question when a printer has unsaved fields, and the window stays open when the operator stays', () => {
    type({ title: 'Dock' })
    expect(window.holdsUnsaved).toBe(true)
    desk.emit('closing', nothing)
    expect(window.setup.printers.question).toBe('leave')
    window.setup.printers.stay()
    expect(desk.calls).not.toContain('app:close')
  })

  it('closes the window after the unsaved fields are saved, and keeps it open when they cannot be saved', async () => {
    type({ title: '' })
    desk.emit('closing', nothing)
    await window.setup.printers.saveAndGo()
    expect(desk.calls).not.toContain('app:close')
    type({ title: 'Dock' })
    desk.emit('closing', nothing)
    await window.setup.printers.saveAndGo()
    expect(desk.calls).toContain('printer:save')
    expect(desk.calls.at(-1)).toBe('app:close')
  })

  it('causes a question about waiting writes after the operator has discarded the unsaved fields', async () => {
    type({ title: 'Dock' })
    desk.emit('closing', { waiting: 2, asking: 0 })
    expect(window.leave.leaving).toBeNull()
    window.setup.printers.discard()
    expect(window.leave.leaving).toBe('close')
    await window.leave.leave()
    expect(desk.calls).toContain('app:close')
  })

  it('causes a question when a scanner has unsaved fields', () => {
    window.setup.openPart('scanner')
    window.setup.scanners.openNew()
    Object.assign(window.setup.scanners.draft?.fields ?? {}, { title: 'Belt' })
    expect(window.holdsUnsaved).toBe(true)
    desk.emit('closing', nothing)
    expect(window.setup.scanners.question).toBe('leave')
  })
})

describe('the unsaved fields of a new station', () => {
  const nothing = { waiting: 0, asking: 0 }
  const whole = {
    name: 'Dock 4',
    baseUrl: 'https://wms.example.com',
    wmsCode: 'dev',
    customerCode: 'ZILVER',
  }

  beforeEach(() => {
    window.setup.openPart('server')
  })

  it('cause a question when the operator closes the window; the window stays open if the operator stays, and closes if the operator discards the fields', () => {
    expect(window.holdsUnsaved).toBe(false)
    window.setup.server.draft.name = 'Dock 4'
    expect(window.holdsUnsaved).toBe(true)
    desk.emit('closing', nothing)
    expect(window.setup.server.question).toBe('leave')
    window.leaveSetup()
    expect([window.app.screen, window.setup.server.question]).toEqual(['setup', null])
    expect(desk.calls).not.toContain('app:close')
    desk.emit('closing', nothing)
    window.setup.server.discard()
    expect(desk.calls).toContain('app:close')
    expect(window.holdsUnsaved).toBe(false)
  })

  it('are saved before the window closes if the operator chooses this, without a change of the station in use; the window stays open if a required field is empty', async () => {
    Object.assign(window.setup.server.draft, { ...whole, wmsCode: '' })
    desk.emit('closing', nothing)
    await window.setup.server.saveAndGo()
    expect(window.setup.server.faultOf('wmsCode')).toBe('missing')
    expect(desk.calls).not.toContain('app:close')
    Object.assign(window.setup.server.draft, whole)
    desk.emit('closing', nothing)
    await window.setup.server.saveAndGo()
    expect(desk.world.stations.map(({ name }) => name)).toContain('Dock 4')
    expect(desk.calls).not.toContain('station:use')
    expect(desk.calls.at(-1)).toBe('app:close')
  })

  it('cause a question of their own after the question about the unsaved fields of a printer', () => {
    window.setup.server.draft.name = 'Dock 4'
    window.setup.openPart('printer')
    type({ title: 'Dock' })
    desk.emit('closing', nothing)
    expect([window.setup.printers.question, window.setup.server.question]).toEqual(['leave', null])
    window.setup.printers.discard()
    expect([window.setup.part, window.setup.server.question]).toEqual(['server', 'leave'])
  })

  it('are kept, without a question, if another page of the set-up is open when the operator leaves the set-up', () => {
    window.setup.server.draft.name = 'Dock 4'
    window.setup.openPart('scanner')
    window.leaveSetup()
    expect(window.app.screen).toBe('login')
    expect(window.holdsUnsaved).toBe(false)
    window.app.openSetup()
    expect(window.setup.server.draft.name).toBe('Dock 4')
  })

  it('no longer count as unsaved after they were saved; fields from the command line never count as unsaved', async () => {
    window.setup.suggest('https://one.example.com')
    expect(window.holdsUnsaved).toBe(false)
    Object.assign(window.setup.server.draft, whole)
    await window.setup.server.saveAndUse()
    window.app.openSetup()
    expect(window.holdsUnsaved).toBe(false)
  })
})

describe('the printers page of the set-up while it is open', () => {
  it('shows each new state of a printer that main reports', async () => {
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
})
