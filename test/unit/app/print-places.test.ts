import { beforeEach, describe, expect, it } from 'vitest'
import { MemoryDesk } from '#bridge/memory-bridge.ts'
import { memoryWorld } from '#bridge/memory-world.ts'
import { openLabel } from '#bridge/sample-labels.ts'
import { paperPrint, printsOf, unknownPrint, withPrints } from '#bridge/sample-prints.ts'
import { sampleShipment, signedIn } from '#bridge/sample-views.ts'
import { ScanRouter } from '../../../src/app/scan-router.ts'
import { WindowState } from '../../../src/app/window-state.svelte.ts'

const nowMs = Date.parse('2026-11-21T14:07:00Z')

let desk: MemoryDesk
let sounds: string[]
let window: WindowState
let router: ScanRouter

async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20))
}

function scan(...codes: string[]): void {
  for (const code of codes) router.route(code)
}

beforeEach(async () => {
  desk = new MemoryDesk({
    ...memoryWorld(() => nowMs),
    session: signedIn,
    shipments: [sampleShipment(nowMs)],
  })
  sounds = []
  window = new WindowState(desk.bridge, (sound) => sounds.push(sound))
  router = new ScanRouter(window)
  window.start()
  await window.app.load()
  void window.beginAnew()
  await settle()
})

describe('the paper', () => {
  beforeEach(async () => {
    desk.world.labels = [{ ...openLabel(nowMs), trackingCode: '3SRETR7654321' }]
    desk.world.prints = printsOf([unknownPrint(nowMs)], [paperPrint(nowMs)])
    desk.world.status = withPrints(desk.world.status, desk.world.prints)
    desk.emit('status', desk.world.status)
    scan('SDCMDPRINTS')
    await settle()
    window.prints.open('pj-unknown')
  })

  it('NO read twice prints once, and leaves the list open', async () => {
    scan('SDCMDNO', 'SDCMDNO')
    await settle()
    scan('SDCMDNO')
    await settle()
    expect(desk.world.printsDecided).toEqual([
      { jobId: 'pj-unknown', decision: { kind: 'print_again', reason: 'not_out' } },
    ])
    expect(window.place.kind).toBe('prints')
    expect(sounds.at(-1)).toBe('look')
  })

  it('opens the question about a paper by NO scanned in the list, which a second reading does not answer', async () => {
    window.prints.close()
    scan('SDCMDNO', 'SDCMDNO')
    await settle()
    expect([window.prints.opened?.jobId, desk.world.printsDecided]).toEqual(['pj-unknown', []])
    expect(window.notices.now).toBeNull()
  })

  it('a sentence about a scan goes when another screen is shown', async () => {
    window.prints.close()
    scan('SDCMDLOST')
    await settle()
    expect(window.notices.now).toMatchObject({ kind: 'not_here' })
    window.prints.open('pj-paper')
    expect(window.notices.now).toBeNull()
    scan('SDCMDLOST')
    await settle()
    expect(window.notices.now).toMatchObject({ kind: 'not_here' })
    window.places.go({ kind: 'labels' })
    expect(window.notices.now).toBeNull()
  })

  it('takes REPRINT for the job that is open, and a label that is scanned to the stage', async () => {
    window.prints.open('pj-paper')
    scan('SDCMDREPRINT')
    await settle()
    expect(window.prints.step).toBe('again')
    expect(desk.calls).not.toContain('returnLabel:reprint')
    scan('3SRETR7654321')
    await settle()
    expect(window.place.kind).toBe('stage')
    expect(window.stage.card.kind).toBe('label')
    expect(desk.world.printsDecided).toEqual([])
  })

  it('HOME and Escape go back one step at a time', async () => {
    window.prints.open('pj-paper')
    window.prints.ask('again')
    const steps: string[] = []
    for (let i = 0; i < 3; i++) {
      scan('SDCMDHOME')
      await settle()
      steps.push(`${window.prints.step} ${window.prints.opened?.jobId ?? 'list'} ${window.place.kind}`)
    }
    expect(steps).toEqual(['choose pj-paper prints', 'choose list prints', 'choose list stage'])
  })

  it('Enter answers nothing', async () => {
    window.runPrimary()
    scan('SDCMDPRIMARY')
    await settle()
    expect(desk.world.printsDecided).toEqual([])
  })

  it('is read again with each status while it is open, and only then', async () => {
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

  it('opens that job also before the status of the desk has told of it', async () => {
    desk.emit('status', { ...desk.world.status, waitingPrints: [] })
    window.prints.close()
    window.showLabel('lb-1')
    await settle()
    scan('SDCMDPRINTS')
    await settle()
    expect(window.prints.opened?.jobId).toBe('pj-unknown')
  })

  it('opens the job that the card in front of the operator asks about', async () => {
    window.showLabel('lb-1')
    await settle()
    scan('SDCMDPRINTS')
    await settle()
    expect(window.prints.opened?.jobId).toBe('pj-unknown')
    scan('SDCMDHOME', 'SDCMDHOME')
    await settle()
    scan('SDCMDHOME')
    await settle()
    scan('SDCMDPRINTS')
    await settle()
    expect(window.prints.opened).toBeNull()
  })
})
