import { beforeEach, describe, expect, it } from 'vitest'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import { heard, nowMs, openDeskWindow, settle } from '#support/desk-window.ts'
import { sampleVariants } from '#support/memory-desk/catalogue.ts'
import type { MemoryDesk } from '#support/memory-desk/memory-desk.ts'
import type { ScanLine } from '../../../src/app/scan-line.ts'
import type { DeskWindow } from '../../../src/app/window.svelte.ts'

const drink = '8712345678913'

let desk: MemoryDesk
let window: DeskWindow
let scans: ScanLine
let answer: () => void

/** Main returns from `scan.choose`, which stores the operator’s choice, only after the test has called `answer`. */
function held(bridge: ScandeskBridge): ScandeskBridge {
  const gate = new Promise<void>((resolve) => (answer = resolve))
  const choose: ScandeskBridge['scan']['choose'] = async (args) => {
    await gate
    return bridge.scan.choose(args)
  }
  return { ...bridge, scan: { ...bridge.scan, choose } }
}

function scan(...codes: string[]): void {
  for (const code of codes) scans.take(heard(code))
}

beforeEach(async () => {
  const variants = sampleVariants(nowMs)
  ;({ desk, window, scans } = await openDeskWindow(
    { variants: variants.map((one, i) => (i === 0 ? { ...one, articleCode: 'WEB-100412' } : one)) },
    held,
  ))
  scan('WEB-100412')
  await settle()
})

describe('a digit that chooses between several meanings of a scan', () => {
  it('does not delay the article that is scanned next, and the card of the chosen meaning does not replace the card of this article', async () => {
    scan('SDCMDTWO', drink)
    await settle()
    expect(window.places.stage.card).toMatchObject({ kind: 'article', outcome: { raw: drink } })
    answer()
    await settle()
    expect(window.places.stage.card).toMatchObject({ kind: 'article', outcome: { raw: drink } })
    expect(window.places.stage.recent.map(({ raw, kind }) => [raw, kind])).toEqual([
      [drink, 'article'],
      ['WEB-100412', 'article'],
    ])
  })

  it('is stored as the answer before the next command barcode runs, and this command applies to the chosen card', async () => {
    scan('SDCMDONE', 'SDCMDPRIMARY')
    await settle()
    expect(desk.calls).not.toContain('returnLabel:make')
    answer()
    await settle()
    expect(desk.calls).toContain('returnLabel:make')
  })
})
