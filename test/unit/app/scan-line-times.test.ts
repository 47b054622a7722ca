import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { heard, nowMs, openDeskWindow, settle } from '#support/desk-window.ts'
import { sampleVariants } from '#support/memory-desk/catalogue.ts'
import type { MemoryDesk } from '#support/memory-desk/memory-desk.ts'
import { signedIn } from '#support/memory-desk/station.ts'
import { useLanguage } from '../../../src/app/language.svelte.ts'
import type { ScanLine } from '../../../src/app/scan-line.ts'
import type { DeskWindow } from '../../../src/app/window.svelte.ts'

const oats = '8712345678906'

let desk: MemoryDesk
let window: DeskWindow
let scans: ScanLine
/** The measured scans, each with a flag for whether its card was measured. */
let measured: [string, boolean][]
let scan: (...codes: string[]) => void

// the language is reset, because a scanned command changes it and test files of the same worker share it
afterEach(() => useLanguage('en'))

beforeEach(async () => {
  ;({ desk, window, scans } = await openDeskWindow({ variants: sampleVariants(nowMs) }))
  measured = []
  const arrivals = new Map<number, string>()
  vi.spyOn(window.times, 'handled').mockImplementation((arrived, hasCard) => {
    measured.push([arrivals.get(arrived.ticksMs) ?? '', hasCard])
  })
  scan = (...codes) => {
    for (const code of codes) {
      const ticksMs = arrivals.size
      arrivals.set(ticksMs, code)
      scans.take({ ...heard(code), arrived: { ticksMs, wallMs: nowMs + ticksMs } })
    }
  }
})

describe('the measured scans', () => {
  it('include the time to the card for scans on the stage and in a booking, but not for commands', async () => {
    scan('SHP00000000412')
    await settle()
    scan('SDCMDBOOK')
    await settle()
    scan(oats, 'SDCMDPLUS', 'SDCMDHOME')
    await settle()
    expect(measured).toEqual([
      ['SHP00000000412', true],
      ['SDCMDBOOK', false],
      [oats, true],
      ['SDCMDPLUS', false],
      ['SDCMDHOME', false],
    ])
  })

  it('do not include a command that had to wait for the previous scan', async () => {
    scan('SHP00000000412', 'SDCMDPRIMARY')
    await settle()
    expect(desk.calls).toContain('returnLabel:make')
    expect(measured).toEqual([['SHP00000000412', true]])
  })

  it('do not include scans that waited for the answer to a question, but include scans after the answer', async () => {
    desk.world.status = { ...desk.world.status, unsent: { ...desk.world.status.unsent, waiting: 1 } }
    desk.emit('status', desk.world.status)
    window.logout()
    expect(window.isCovered).toBe(true)
    scan(oats)
    await settle()
    window.leave.stay()
    await settle()
    expect(desk.calls).toContain('scan:submit')
    expect(measured).toEqual([])
    scan(oats)
    await settle()
    expect(measured).toEqual([[oats, true]])
  })

  it('do not include scans before a login', async () => {
    desk.putSession({ ...signedIn, state: 'signed_out' })
    await settle()
    scan('SDCMDLANGUAGE', oats)
    await settle()
    expect(measured).toEqual([])
  })
})
