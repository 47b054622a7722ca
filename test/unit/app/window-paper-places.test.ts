import { beforeEach, describe, expect, it } from 'vitest'
import { heard, openDeskWindow, settle } from '#support/desk-window.ts'
import type { MemoryDesk } from '#support/memory-desk/memory-desk.ts'
import { memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { signedIn } from '#support/memory-desk/station.ts'
import type { ScanLine } from '../../../src/app/scan-line.ts'
import type { DeskWindow } from '../../../src/app/window.svelte.ts'

let desk: MemoryDesk
let sounds: string[]
let window: DeskWindow
let scans: ScanLine

async function begin(session = signedIn): Promise<void> {
  ;({ desk, window, scans, sounds } = await openDeskWindow({ session }))
}

async function scan(...codes: string[]): Promise<void> {
  for (const code of codes) scans.take(heard(code))
  await settle()
}

describe('the place of the command sheets', () => {
  beforeEach(() => begin())

  it('is opened by the command SHEETS, prints the sheets at PRIMARY, and is closed by HOME', async () => {
    await scan('SDCMDSHEETS')
    expect(window.place).toBe('sheets')
    await scan('SDCMDPRIMARY')
    expect(desk.world.sheets.map(({ kind }) => kind)).toEqual(['commands'])
    await scan('SDCMDHOME')
    expect(window.place).toBe('stage')
  })
})

describe('the window before a login', () => {
  beforeEach(() => begin(memoryWorld().session))

  it('fills in the user name of a scanned badge, and sends nothing to the service', async () => {
    await scan('SDUSRkees')
    expect(window.login).toMatchObject({ username: 'kees', hasBadge: true, scanned: false })
    expect(sounds).toEqual(['done'])
    expect(desk.calls).toEqual([])
    await scan('8712345678906')
    expect(window.login).toMatchObject({ username: 'kees', hasBadge: false, scanned: true })
  })

  it('passes scans of a printed test page to the open test of its printer, and still obeys the command HOME', async () => {
    window.app.openSetup()
    const close = window.setup.testPage.opened()
    await scan('SDTSTKMB')
    await window.setup.testPage.print(null)
    await scan('SDTSTKMB', 'SDTSTKML', 'SDUSRkees')
    expect(sounds).toEqual(['look', 'done', 'done', 'look'])
    expect(window.setup.testPage.verdict?.outcome).toBe('ok')
    expect(window.login.username).not.toBe('kees')
    await scan('SDCMDHOME')
    expect(window.app.screen).toBe('login')
    close()
  })
})
