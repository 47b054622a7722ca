import { labelIdOf } from '#support/ids.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { heard, nowMs, openDeskWindow, settle } from '#support/desk-window.ts'
import { openLabel } from '#support/memory-desk/labels.ts'
import type { MemoryDesk } from '#support/memory-desk/memory-desk.ts'
import { paperPrint, printsOf, unknownPrint, withPrints } from '#support/memory-desk/prints.ts'
import type { ScanLine } from '../../../src/app/scan-line.ts'
import type { DeskWindow } from '../../../src/app/window.svelte.ts'

let desk: MemoryDesk
let sounds: string[]
let window: DeskWindow
let scans: ScanLine

function scan(...codes: string[]): void {
  for (const code of codes) scans.take(heard(code))
}

beforeEach(async () => {
  ;({ desk, window, scans, sounds } = await openDeskWindow())
})

describe('the print list in the window', () => {
  beforeEach(async () => {
    desk.world.labels = [{ ...openLabel(nowMs), trackingCode: '3SRETR7654321' }]
    desk.world.prints = printsOf([unknownPrint(nowMs)], [paperPrint(nowMs)])
    desk.world.status = withPrints(desk.world.status, desk.world.prints)
    desk.emit('status', desk.world.status)
    scan('SDCMDPRINTS')
    await settle()
    window.places.prints.open('pj-unknown')
  })

  it('prints the open job only once more, and stays open, when NO is scanned three times', async () => {
    scan('SDCMDNO', 'SDCMDNO')
    await settle()
    scan('SDCMDNO')
    await settle()
    expect(desk.world.printsDecided).toEqual([
      { jobId: 'pj-unknown', decision: { kind: 'print_again', reason: 'not_out' } },
    ])
    expect(window.place).toBe('prints')
    expect(sounds.at(-1)).toBe('look')
  })

  it('asks, when NO is scanned, whether a paper came out, and does not take a second NO directly after the first as the answer', async () => {
    window.places.prints.close()
    scan('SDCMDNO', 'SDCMDNO')
    await settle()
    expect([window.places.prints.opened?.jobId, desk.world.printsDecided]).toEqual(['pj-unknown', []])
    expect(window.notices.now).toBeNull()
  })

  it('hides the notice about a scan when another job or another place is opened', async () => {
    window.places.prints.close()
    scan('SDCMDLOST')
    await settle()
    expect(window.notices.now).toMatchObject({ kind: 'not_here' })
    window.places.prints.open('pj-paper')
    expect(window.notices.now).toBeNull()
    scan('SDCMDLOST')
    await settle()
    expect(window.notices.now).toMatchObject({ kind: 'not_here' })
    window.open('labels')
    expect(window.notices.now).toBeNull()
  })

  it('asks at REPRINT why to print the open job again, without a reprint of the label on the stage, and shows a scanned label on the stage', async () => {
    window.places.prints.open('pj-paper')
    scan('SDCMDREPRINT')
    await settle()
    expect(window.places.prints.step).toBe('again')
    expect(desk.calls).not.toContain('returnLabel:reprint')
    scan('3SRETR7654321')
    await settle()
    expect(window.place).toBe('stage')
    expect(window.places.stage.card.kind).toBe('label')
    expect(desk.world.printsDecided).toEqual([])
  })

  it('is closed by three scans of HOME: the first closes the question, the second the job, the third the list', async () => {
    window.places.prints.open('pj-paper')
    window.places.prints.ask('again')
    const steps: string[] = []
    for (let i = 0; i < 3; i++) {
      scan('SDCMDHOME')
      await settle()
      steps.push(
        `${window.places.prints.step} ${window.places.prints.opened?.jobId ?? 'list'} ${window.place}`,
      )
    }
    expect(steps).toEqual(['choose pj-paper prints', 'choose list prints', 'choose list stage'])
  })

  it('takes neither Enter nor PRIMARY as the answer to the question whether a paper came out', async () => {
    window.runPrimary()
    scan('SDCMDPRIMARY')
    await settle()
    expect(desk.world.printsDecided).toEqual([])
  })

  it('is read again each time the desk sends its status, but not after the list is closed', async () => {
    desk.calls.length = 0
    window.onStatus(desk.world.status)
    await settle()
    expect(desk.calls).toContain('print:list')
    window.goHome()
    desk.calls.length = 0
    window.onStatus(desk.world.status)
    await settle()
    expect(desk.calls).not.toContain('print:list')
  })

  it('opens the job of the label on the stage even before the status of the desk contains this job', async () => {
    desk.emit('status', { ...desk.world.status, waitingPrints: [] })
    window.places.prints.close()
    window.showLabel(labelIdOf('lb-1'))
    await settle()
    scan('SDCMDPRINTS')
    await settle()
    expect(window.places.prints.opened?.jobId).toBe('pj-unknown')
  })

  it('opens the job that the card on the stage asks about, or the whole list if the card asks about no job', async () => {
    window.showLabel(labelIdOf('lb-1'))
    await settle()
    scan('SDCMDPRINTS')
    await settle()
    expect(window.places.prints.opened?.jobId).toBe('pj-unknown')
    scan('SDCMDHOME', 'SDCMDHOME')
    await settle()
    scan('SDCMDHOME')
    await settle()
    scan('SDCMDPRINTS')
    await settle()
    expect(window.places.prints.opened).toBeNull()
  })
})
