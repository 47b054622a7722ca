import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { useCommandsOf } from '#place/station-commands.svelte.ts'
import type { SessionView } from '#shared/bridge/views.ts'
import { type Command, commandBarcode, methodKey, namedBarcode } from '#shared/domain/commands.ts'
import type { MemoryDesk } from '#support/memory-desk/memory-desk.ts'
import { outcomeLine, withQueue } from '#support/memory-desk/queue.ts'
import { sampleShipment } from '#support/memory-desk/scans.ts'
import {
  productionStation,
  sampleStatus,
  sandboxStation,
  signedIn,
  signedOut,
} from '#support/memory-desk/station.ts'
import { noticeText } from '../../../src/app/notices.svelte.ts'
import { heard, nowMs, openDeskWindow, settle } from '#support/desk-window.ts'
import type { ScanLine } from '../../../src/app/scan-line.ts'
import type { DeskWindow } from '../../../src/app/window.svelte.ts'

const secret = productionStation.commandSecret?.text ?? null

let desk: MemoryDesk
let window: DeskWindow
let scans: ScanLine
let sounds: string[]

async function begin(station = sandboxStation, session: SessionView = signedIn): Promise<void> {
  ;({ desk, window, scans, sounds } = await openDeskWindow({
    session,
    stations: [station],
    currentStation: station.id,
    shipments: [{ ...sampleShipment(nowMs), reference: 'SHP00000000400' }],
  }))
}

async function scan(raw: string, inBurst = false): Promise<void> {
  scans.take(heard(raw, inBurst))
  await settle()
}

const made = (): boolean => desk.calls.includes('returnLabel:make')

beforeEach(() => begin())
afterEach(() => {
  useCommandsOf(null)
})

describe('a scan that follows the code of a parcel without a pause', () => {
  it('is not obeyed if it is a command: a notice is shown, and the parcel is handled as usual', async () => {
    scans.take(heard('SHP00000000400', false))
    scans.take(heard('SDCMDPRIMARY', true))
    await settle()
    expect(window.places.stage.card).toMatchObject({ kind: 'shipment' })
    expect([made(), window.notices.now, sounds.at(-1)]).toEqual([false, { kind: 'burst' }, 'look'])
    expect(noticeText({ kind: 'burst' })).toContain('It was not obeyed.')
    await scan('SDCMDPRIMARY')
    expect(made()).toBe(true)
  })

  it('is saved in the journal even if it is a command', async () => {
    await scan('SDCMDPRIMARY', true)
    expect(desk.world.recent[0]?.raw).toBe('SDCMDPRIMARY')
  })

  it('is not obeyed if it is a command on the login screen, a command in a booking, or a command that selects a shipping method', async () => {
    const [method] = desk.world.methods.methods
    if (!method) throw new Error('no method')
    await scan('SHP00000000400')
    await scan(namedBarcode('VIA', methodKey(method)), true)
    expect([window.place, window.notices.now]).toEqual(['stage', { kind: 'burst' }])
    await scan('SDCMDBOOK')
    await scan('SDCMDDEFECTIVE', true)
    expect([desk.world.draft.reason, window.notices.now]).toEqual([null, { kind: 'burst' }])
    await begin(sandboxStation, signedOut)
    await scan('SDCMDPRIMARY', true)
    expect([window.app.screen, window.notices.now]).toEqual(['login', { kind: 'burst' }])
  })

  it('is not taken as the answer to the question about the logout if it is the command YES; a notice appears after this question is closed', async () => {
    const queue = { lines: [outcomeLine(nowMs, [])], notices: [] }
    desk.world.queue = queue
    desk.world.status = withQueue(sampleStatus(nowMs), queue)
    await window.app.load()
    await scan('SDCMDLOGOUT')
    expect(window.leave.leaving).toBe('logout')
    await scan('SDCMDYES', true)
    expect([window.leave.leaving, window.app.screen]).toEqual(['logout', 'stage'])
    await scan('SDCMDNO')
    expect([window.leave.leaving, window.notices.now]).toEqual([null, { kind: 'burst' }])
  })

  it('is handled as usual if it is not a command', async () => {
    await scan('SHP00000000400', true)
    expect([window.places.stage.card.kind, window.notices.now]).toEqual(['shipment', null])
  })
})

describe('a scanned command', () => {
  const all: readonly Command[] = ['PRIMARY', 'REPRINT', 'LOGOUT', 'BOOK', 'SEARCH', 'ONE', 'HOME', 'DUTCH']
  beforeEach(() => begin(productionStation))

  it('is refused at a real station if its barcode contains no secret or a wrong secret', async () => {
    await scan('SHP00000000400')
    for (const command of all)
      for (const other of [null, '7K2QY', '00000']) {
        await scan(commandBarcode(command, other))
        expect([window.notices.now, sounds.at(-1)]).toEqual([{ kind: 'foreign' }, 'look'])
        expect([window.place, window.places.stage.card.kind]).toEqual(['stage', 'shipment'])
      }
    expect([made(), window.app.screen, desk.world.info.settings.language]).toEqual([false, 'stage', 'en'])
    expect(noticeText({ kind: 'foreign' })).toContain('Print the command sheet again.')
  })

  it('runs at a real station if its barcode contains the secret of the station', async () => {
    await scan('SHP00000000400')
    await scan(commandBarcode('PRIMARY', secret).toLowerCase())
    expect(made()).toBe(true)
  })

  it('is refused on the login screen of a real station if its barcode does not contain the secret of the station', async () => {
    await begin(productionStation, signedOut)
    for (const command of ['DUTCH', 'PRIMARY'] as const) {
      await scan(commandBarcode(command))
      expect(window.notices.now).toEqual({ kind: 'foreign' })
    }
    expect([desk.calls.includes('session:login'), desk.world.info.settings.language]).toEqual([false, 'en'])
    await scan(commandBarcode('DUTCH', secret))
    expect(desk.world.info.settings.language).toBe('nl')
    await window.app.speak('en')
  })

  it('is refused with the old secret of a station after a new secret was created', async () => {
    await scan(commandBarcode('SHEETS', secret))
    expect(window.place).toBe('sheets')
    window.places.sheets.askToRenew()
    await window.places.sheets.renewSecret()
    await scan(commandBarcode('HOME', secret))
    expect([window.place, window.notices.now]).toEqual(['sheets', { kind: 'foreign' }])
    await scan(commandBarcode('HOME', '3W8ZT'))
    expect(window.place).toBe('stage')
  })

  it('is refused at the sandbox if its barcode contains the secret of a real station', async () => {
    await begin(sandboxStation)
    await scan(commandBarcode('SEARCH', secret))
    expect([window.place, window.notices.now]).toEqual(['stage', { kind: 'foreign' }])
  })
})
