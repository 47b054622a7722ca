import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { useCommandsOf } from '#place/station-commands.svelte.ts'
import type { QueueLine } from '#shared/bridge/queue-views.ts'
import type { DeskStatus } from '#shared/bridge/views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { heard, nowMs, openDeskWindow, settle } from '#support/desk-window.ts'
import type { MemoryDesk } from '#support/memory-desk/memory-desk.ts'
import { outcomeLine, sampleLine, withQueue } from '#support/memory-desk/queue.ts'
import { productionStation, sampleStatus, sandboxStation, signedIn } from '#support/memory-desk/station.ts'
import type { ScanLine } from '../../../src/app/scan-line.ts'
import type { DeskWindow } from '../../../src/app/window.svelte.ts'

let desk: MemoryDesk
let sounds: string[]
let window: DeskWindow
let scans: ScanLine

async function begin(...lines: QueueLine[]): Promise<void> {
  const queue = { lines, notices: [] }
  ;({ desk, window, scans, sounds } = await openDeskWindow({
    stations: [sandboxStation, productionStation],
    queue,
    status: withQueue(sampleStatus(nowMs), queue),
  }))
  await window.setup.load()
}

function offlineStatus(): DeskStatus {
  const since = new Date(nowMs).toISOString()
  return { ...desk.world.status, line: { state: 'offline', since, failure: failure('network.offline') } }
}

beforeEach(async () => {
  await begin(sampleLine(nowMs))
})

afterEach(() => {
  useCommandsOf(null)
})

describe('leaving a station', () => {
  it('needs no confirmation when there are no unsent writes', async () => {
    await begin()
    scans.take(heard('SDCMDLOGOUT'))
    await settle()
    expect(window.leave.leaving).toBeNull()
    expect(window.app.screen).toBe('login')
  })

  it.each(['signed_in', 'expired'] as const)(
    'by LOGOUT while offline needs a confirmation even without unsent writes, because nobody could log in again (%s)',
    async (state) => {
      await begin()
      desk.world.session = { ...signedIn, state }
      desk.emit('session', desk.world.session)
      desk.emit('status', offlineStatus())
      scans.take(heard('SDCMDLOGOUT'))
      await settle()
      expect([window.leave.leaving, window.leave.locksOut, sounds.at(-1)]).toEqual(['logout', true, 'decide'])
      scans.take(heard('SDCMDNO'))
      await settle()
      expect(window.leave.leaving).toBeNull()
      expect(window.app.screen).toBe('stage')
      expect(desk.calls).not.toContain('session:logout')
      scans.take(heard('SDCMDLOGOUT'))
      await settle()
      scans.take(heard('SDCMDYES'))
      await settle()
      expect(desk.calls).toContain('session:logout')
    },
  )

  it('warns, in the question about a logout while offline, that no login will be possible, even with unsent writes; the question about closing the window has no such warning', () => {
    desk.emit('status', offlineStatus())
    window.run('LOGOUT')
    expect([window.leave.locksOut, window.leave.unsent]).toEqual([true, { waiting: 1, asking: 0 }])
    window.leave.stay()
    desk.emit('closing', { waiting: 1, asking: 0 })
    expect([window.leave.leaving, window.leave.locksOut]).toEqual(['close', false])
    window.leave.stay()
  })

  it.each([
    ['waits to be sent', sampleLine(nowMs)],
    ['asks for a decision', outcomeLine(nowMs, [])],
    [
      'was refused by the service',
      sampleLine(nowMs, { state: 'rejected', waitsFor: 'operator', question: { kind: 'refused' } }),
    ],
  ])('by LOGOUT needs a confirmation of the operator when a write %s', async (_, line) => {
    await begin(line)
    window.run('LOGOUT')
    expect(window.leave.leaving).toBe('logout')
    expect(sounds).toEqual(['decide'])
    expect(desk.calls).not.toContain('session:logout')
    window.leave.stay()
    expect(window.leave.leaving).toBeNull()
    expect(desk.calls).not.toContain('session:logout')
    window.run('LOGOUT')
    await window.leave.leave()
    expect(desk.calls).toContain('session:logout')
  })

  it('with unsent writes asks before another station is used, but not if the station in use is selected again', async () => {
    await window.setup.use(sandboxStation.id)
    expect(window.leave.leaving).toBeNull()
    await window.setup.use(productionStation.id)
    expect(window.leave.leaving).toBe('station')
    expect(desk.world.currentStation).toBe(sandboxStation.id)
    await window.leave.leave()
    await settle()
    expect(desk.world.currentStation).toBe(productionStation.id)
  })

  it('asks before the window closes with unsent writes, shows their number, and closes after a confirmation', async () => {
    desk.emit('closing', { waiting: 3, asking: 1 })
    expect(window.leave.leaving).toBe('close')
    expect(window.leave.unsent).toEqual({ waiting: 3, asking: 1 })
    await window.leave.leave()
    expect(desk.calls).toContain('app:close')
  })
})

describe('a scan while the desk asks whether to log out', () => {
  it('is handled, if it is a parcel, only after the operator decides to stay', async () => {
    window.run('LOGOUT')
    scans.take(heard('WEB-100412'))
    expect(window.leave.heldScans).toBe(1)
    expect(desk.calls).not.toContain('scan:submit')
    window.leave.stay()
    await settle()
    expect(window.places.stage.card.kind).toBe('shipment')
    expect(window.leave.heldScans).toBe(0)
  })

  it('is saved in the journal before the logout if it is a parcel and the operator confirms the logout', async () => {
    window.run('LOGOUT')
    scans.take(heard('WEB-100412'))
    scans.take(heard('SHP00000000412'))
    await window.leave.leave()
    expect(desk.world.recent.map(({ raw }) => raw)).toEqual(['SHP00000000412', 'WEB-100412'])
    expect(desk.calls.indexOf('scan:submit')).toBeLessThan(desk.calls.indexOf('session:logout'))
  })

  it('stays in the window if it cannot be saved; the window gives the reason, and the operator is not logged out', async () => {
    window.run('LOGOUT')
    scans.take(heard('WEB-100412'))
    scans.take(heard('SHP00000000412'))
    desk.world.failures['scan:submit'] = failure('store.full')
    sounds.length = 0
    await window.leave.leave()
    expect(window.leave.failure?.code).toBe('store.full')
    expect([window.leave.leaving, window.leave.heldScans, sounds]).toEqual(['logout', 2, ['stop']])
    expect(desk.calls).not.toContain('session:logout')
    desk.world.failures = {}
    await window.leave.leave()
    expect(desk.world.recent.map(({ raw }) => raw)).toEqual(['SHP00000000412', 'WEB-100412'])
    expect(window.leave.failure).toBeNull()
    expect(desk.calls).toContain('session:logout')
  })

  it('is handled if the logout failed because the scan could not be saved, and the operator then decides to stay', async () => {
    window.run('LOGOUT')
    scans.take(heard('WEB-100412'))
    desk.world.failures['scan:submit'] = failure('store.full')
    await window.leave.leave()
    desk.world.failures = {}
    window.leave.stay()
    await settle()
    expect(window.places.stage.card.kind).toBe('shipment')
    window.run('LOGOUT')
    expect(window.leave.failure).toBeNull()
  })

  it('closes the question when the scan is HOME, and leaves it open when the scan is a second LOGOUT', async () => {
    window.run('LOGOUT')
    scans.take(heard('SDCMDLOGOUT'))
    expect(window.leave.leaving).toBe('logout')
    scans.take(heard('SDCMDHOME'))
    await settle()
    expect(window.leave.leaving).toBeNull()
    expect(desk.calls).not.toContain('session:logout')
  })
})
