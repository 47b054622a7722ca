import { beforeEach, describe, expect, it } from 'vitest'
import { heard, nowMs, openDeskWindow, settle } from '#support/desk-window.ts'
import { sampleLots, sampleVariants } from '#support/memory-desk/catalogue.ts'
import { ago } from '#support/memory-desk/memory-core.ts'
import { sampleEntries } from '#support/memory-desk/labels.ts'
import type { MemoryDesk } from '#support/memory-desk/memory-desk.ts'
import type { ScanLine } from '../../../src/app/scan-line.ts'
import type { DeskWindow } from '../../../src/app/window.svelte.ts'

let desk: MemoryDesk
let window: DeskWindow
let scans: ScanLine

async function scan(code: string): Promise<void> {
  scans.take(heard(code))
  await settle()
}

beforeEach(async () => {
  ;({ desk, window, scans } = await openDeskWindow({
    variants: sampleVariants(nowMs),
    lots: { 'va-1': sampleLots(nowMs) },
  }))
})

describe('the list of labels in the window', () => {
  it('does not replace the card of a parcel that was scanned while a label of another desk was read', async () => {
    let end = (): void => undefined
    ;({ desk, window, scans } = await openDeskWindow({ serviceLabels: sampleEntries(nowMs, 1) }, (bridge) => {
      const { returnLabel } = bridge
      const open: typeof returnLabel.open = async (args) => {
        await new Promise<void>((resolve) => (end = resolve))
        return returnLabel.open(args)
      }
      return { ...bridge, returnLabel: { ...returnLabel, open } }
    }))
    await scan('SDCMDLABELS')
    await window.places.labels.load()
    await scan('SDCMDNEXT')
    await scan('SDCMDPRIMARY')
    expect(window.places.labels.opening).not.toBeNull()
    await scan('SHP00000000412')
    end()
    await settle()
    expect([window.place, window.places.stage.card.kind]).toEqual(['stage', 'shipment'])
    expect(window.places.stage.card).toMatchObject({ outcome: { raw: 'SHP00000000412' } })
  })
})

describe('the search in the window', () => {
  it('opens by its command, and shows the chosen article on the stage without recording a scan', async () => {
    await scan('SDCMDSEARCH')
    expect(window.place).toBe('search')
    window.places.search.type('oat')
    await settle()
    window.places.search.enter()
    expect(window.place).toBe('stage')
    expect(window.places.stage.card).toMatchObject({ kind: 'article', outcome: { variant: { id: 'va-1' } } })
    expect(window.places.stage.recent).toEqual([])
    expect(desk.calls.filter((call) => call === 'scan:submit')).toHaveLength(1)
  })

  it('lets PRIMARY start a booking with the chosen article as its first line', async () => {
    window.openSearch('oat')
    await settle()
    window.places.search.enter()
    window.runPrimary()
    await settle()
    expect(window.place).toBe('modification')
    expect(desk.world.draft.lines.map(({ variant }) => variant.id)).toEqual(['va-1'])
  })

  it('closes when a parcel is scanned, and keeps the typed text', async () => {
    window.openSearch('oat')
    await scan('SHP00000000412')
    expect(window.place).toBe('stage')
    expect(window.places.stage.card.kind).toBe('shipment')
    expect(window.places.search.text).toBe('oat')
    window.openSearch(null)
    expect(window.places.search.text).toBe('oat')
  })

  it('looks up a typed text as a code on Enter if no article matches the text', async () => {
    window.openSearch('WEB-100412')
    await settle()
    window.places.search.enter()
    await settle()
    expect(window.places.stage.card.kind).toBe('shipment')
  })

  it('shows the previous card of the stage when the operator goes back', async () => {
    await scan('SHP00000000412')
    window.openSearch(null)
    window.goBack()
    expect(window.places.stage.card.kind).toBe('shipment')
  })
})

describe('the lists in the window', () => {
  it('make the stage show the card of an article when the operator opens an expiring lot of this article', async () => {
    await scan('SDCMDEXPIRING')
    expect(window.place).toBe('expiring')
    await window.places.expiring.load()
    const [first] = window.places.expiring.list?.lots ?? []
    if (first) await window.places.expiring.open(first)
    expect(window.places.stage.card).toMatchObject({ kind: 'article', outcome: { variant: { id: 'va-1' } } })
  })

  it('read the catalogue again each time the desk sends its status while the catalogue is open', async () => {
    const close = window.places.catalogue.open()
    await settle()
    desk.calls.length = 0
    window.onStatus(desk.world.status)
    await settle()
    expect(desk.calls).toContain('catalogue:overview')
    close()
  })
})

describe('the window after another operator logs in or another station opens', () => {
  it('reads the notice about restored data, and removes the search of the previous operator', async () => {
    desk.world.storage = {
      ...desk.world.storage,
      recovery: { at: ago(nowMs, 4), backupAt: null, replayed: 2, putAside: '/x', wholeSince: null },
    }
    window.openSearch('oat')
    await settle()
    void window.beginAnew()
    await settle()
    expect(window.places.storage.view?.recovery?.replayed).toBe(2)
    expect([window.place, window.places.search.text, window.places.search.list]).toEqual(['stage', '', null])
  })
})

describe('input that is not saved yet', () => {
  it('is saved at its station before another station is used', async () => {
    window.openForm({ kind: 'hand' })
    await window.arrived()
    window.places.label_form.type('addressed_to', 'Anna')
    window.places.modification.typeNote('wet')
    const at = desk.calls.length
    await window.setup.use('another')
    expect(desk.calls.slice(at, at + 3)).toEqual([
      'returnLabel:writeDraft',
      'modification:change',
      'station:use',
    ])
    expect(desk.world.labelDraft?.sender['addressed_to']).toBe('Anna')
    expect(desk.world.draft.note).toBe('wet')
  })
})
