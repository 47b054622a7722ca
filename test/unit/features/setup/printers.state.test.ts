import { beforeEach, describe, expect, it } from 'vitest'
import { papers, PrintersState, RoutesDraft } from '#features/setup/printers.state.svelte.ts'
import { paperKinds, paperSizes, type PrintRoute, standardFolderTitle } from '#shared/bridge/printer-views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'
import {
  folderSetup,
  officeEntry,
  receiptEntry,
  severalPrinters,
  severalViews,
  zebraEntry,
} from '#support/memory-desk/printers.ts'
import { printsOf } from '#support/memory-desk/prints.ts'

let desk: MemoryDesk
let printers: PrintersState

beforeEach(async () => {
  desk = new MemoryDesk({
    ...memoryWorld(),
    printerSetup: severalPrinters,
    prints: printsOf([], [], severalViews),
  })
  printers = new PrintersState(desk.bridge, () => 'new-1')
  await printers.load()
})

/** Types a new title for an existing printer. */
function type(title: string): void {
  if (!printers.draft) throw new Error('no printer is open')
  printers.draft.fields.title = title
  printers.changed()
}

function keptIds(): string[] {
  return desk.world.printerSetup.printers.map(({ id }) => id)
}

describe('the printers page of the set-up', () => {
  it('opens with the first printer, and shows the state of each printer', () => {
    expect(printers.entry).toEqual(zebraEntry)
    expect(printers.isFirst).toBe(true)
    expect(printers.list.liveOf('office')?.failure?.params['cause']).toBe('paper_out')
    expect(printers.list.liveOf('nobody')).toBeNull()
  })

  it('shows why the printers cannot be read, until they can be read again', async () => {
    const other = new PrintersState(desk.bridge)
    desk.world.failures['printer:setup'] = failure('store.unavailable')
    await other.load()
    expect([other.list.isRead, other.list.failure?.code]).toEqual([false, 'store.unavailable'])
    delete desk.world.failures['printer:setup']
    await other.load()
    expect([other.list.isRead, other.list.failure]).toEqual([true, null])
  })

  it('keeps showing the states of the printers when the states cannot be read again', async () => {
    desk.world.failures['print:list'] = failure('store.unavailable')
    await printers.list.follow()
    expect(printers.list.liveOf('zebra')?.state).toBe('ready')
    expect(printers.list.failure).toBeNull()
  })

  it('keeps the typed fields when the printers are read again', async () => {
    type('Zebra right')
    await printers.load()
    expect(printers.draft?.fields.title).toBe('Zebra right')
  })

  it('keeps the form for a new printer open if the operator opened it while the printers were read', async () => {
    const reading = printers.load()
    printers.openNew()
    await reading
    expect(printers.draft?.isNew).toBe(true)
  })

  it('shows the first printer when a new read of the list does not contain the open printer', async () => {
    printers.open('office')
    const [zebra = zebraEntry, ...others] = severalPrinters.printers
    desk.world.printerSetup = { printers: [zebra, ...others.filter(({ id }) => id !== 'office')], routes: [] }
    await printers.load()
    expect(printers.entry).toEqual(zebraEntry)
  })
})

describe('saving a printer', () => {
  it('keeps the position of the printer in the list, and is reported as done until the next change of a field', async () => {
    type(' Zebra right ')
    expect(await printers.save()).toBe(true)
    expect(desk.world.printerSetup.printers[0]).toEqual({ ...zebraEntry, title: 'Zebra right' })
    expect(desk.world.printerSetup.routes).toEqual(severalPrinters.routes)
    expect([printers.saved, printers.isChanged]).toEqual([true, false])
    type('Zebra')
    expect(printers.saved).toBe(false)
  })

  it('adds a new printer at the end of the list, and keeps the form of the printer open', async () => {
    printers.openNew()
    Object.assign(printers.draft?.fields ?? {}, { title: 'Dock', host: 'dock.local' })
    expect(printers.entry).toBeNull()
    expect(await printers.save()).toBe(true)
    expect(keptIds()).toEqual(['zebra', 'office', 'receipt', 'Label folder', 'new-1'])
    expect(printers.entry?.title).toBe('Dock')
    expect(printers.list.liveOf('new-1')?.state).toBe('unknown')
  })

  it('is refused for a wrong field, or for the name of another printer', async () => {
    type(' ')
    expect(await printers.save()).toBe(false)
    expect(printers.draft?.isTitleMissing).toBe(true)
    type('office a4')
    expect(printers.isTitleTaken).toBe(true)
    expect(await printers.save()).toBe(false)
    expect(desk.calls).not.toContain('printer:save')
  })

  it('is refused for a network address and port that another printer has, and the typed fields stay', async () => {
    printers.openNew()
    Object.assign(printers.draft?.fields ?? {}, { title: 'Dock', host: 'zebra-left.local' })
    expect(await printers.save()).toBe(false)
    expect(printers.list.failure?.code).toBe('printer.same_twice')
    expect(printers.draft?.fields.host).toBe('zebra-left.local')
    printers.changed()
    expect(printers.list.failure).toBeNull()
    expect(keptIds()).toHaveLength(4)
  })

  it('keeps the standard name of the label folder, which is the same in every language', async () => {
    printers.open('Label folder')
    printers.draft?.choose('ipp', { name: 'x', address: 'ipp://a/b' })
    await printers.save()
    expect(desk.world.printerSetup.printers.at(-1)?.title).toBe(standardFolderTitle)
  })
})

describe('leaving a form of the printers page', () => {
  it('asks the operator first if a field was changed, and keeps the fields if the operator stays', () => {
    type('Zebra right')
    printers.open('office')
    expect([printers.question, printers.entry?.id]).toEqual(['leave', 'zebra'])
    printers.stay()
    expect([printers.question, printers.draft?.fields.title]).toEqual([null, 'Zebra right'])
  })

  it('happens without saving when the operator discards the fields', () => {
    type('Zebra right')
    printers.open('office')
    printers.discard()
    expect([printers.question, printers.entry?.id]).toEqual([null, 'office'])
    expect(desk.world.printerSetup).toEqual(severalPrinters)
  })

  it('happens after the fields were saved when the operator chooses to save', async () => {
    type('Zebra right')
    let gone = false
    printers.leave(() => {
      gone = true
    })
    expect(gone).toBe(false)
    await printers.saveAndGo()
    expect(gone).toBe(true)
    expect(desk.world.printerSetup.printers[0]?.title).toBe('Zebra right')
  })

  it('does not happen when the operator chooses to save and a field is wrong', async () => {
    type(' ')
    let gone = false
    printers.leave(() => {
      gone = true
    })
    await printers.saveAndGo()
    expect([gone, printers.question, printers.draft?.isTitleMissing]).toEqual([false, null, true])
  })

  it('asks no question if no field was changed', () => {
    printers.openNew()
    printers.openRoutes()
    printers.open('receipt')
    expect([printers.question, printers.entry]).toEqual([null, receiptEntry])
  })

  it('asks the operator also when only the routes of paper to printers were changed', () => {
    printers.openRoutes()
    printers.routes?.choose({ paper: 'sheet', size: 'label' }, 'office')
    printers.openNew()
    expect([printers.question, printers.draft]).toEqual(['leave', null])
  })
})

describe('the printers page', () => {
  it('makes the open printer the first of the list, and keeps the typed fields', async () => {
    printers.open('office')
    type('Office')
    await printers.makeFirst()
    expect(keptIds()).toEqual(['office', 'zebra', 'receipt', 'Label folder'])
    expect([printers.isFirst, printers.draft?.fields.title]).toEqual([true, 'Office'])
  })

  it('removes a printer and its routes when the operator has confirmed the removal', async () => {
    printers.open('office')
    printers.askToRemove()
    expect(printers.question).toBe('remove')
    expect(keptIds()).toContain('office')
    await printers.remove()
    expect(keptIds()).toEqual(['zebra', 'receipt', 'Label folder'])
    expect(desk.world.printerSetup.routes).toEqual([])
    expect([printers.question, printers.entry?.id]).toEqual([null, 'zebra'])
  })

  it('keeps a printer whose removal cannot be saved', async () => {
    desk.world.failures['printer:save'] = failure('store.unavailable')
    printers.open('office')
    printers.askToRemove()
    await printers.remove()
    expect([printers.list.failure?.code, printers.entry?.id]).toEqual(['store.unavailable', 'office'])
  })

  it('does not offer to remove the only printer', async () => {
    desk.world.printerSetup = folderSetup
    await printers.load()
    expect(printers.isLast).toBe(true)
    printers.askToRemove()
    expect(printers.question).toBeNull()
  })
})

describe('the routes on the printers page', () => {
  it('are saved, and the printers stay unchanged', async () => {
    printers.openRoutes()
    printers.routes?.choose({ paper: 'return_label', size: 'page' }, 'office')
    expect(await printers.save()).toBe(true)
    expect(desk.world.printerSetup).toEqual({
      printers: severalPrinters.printers,
      routes: [{ paper: 'return_label', size: 'page', printerId: 'office' }, ...severalPrinters.routes],
    })
    expect([printers.saved, printers.routes?.isChanged]).toEqual([true, false])
  })

  it('are not saved if they name a printer that was removed, and stay selected in the form', async () => {
    printers.openRoutes()
    printers.routes?.choose({ paper: 'return_label', size: 'page' }, 'gone')
    expect(await printers.save()).toBe(false)
    expect(printers.list.failure?.code).toBe('printer.route_unknown')
    expect(printers.routes?.isChanged).toBe(true)
  })
})

describe('the printer test on the printers page', () => {
  it('shows its result until the next change of a field', async () => {
    await printers.runTest()
    expect(printers.check.test?.state).toBe('ready')
    type('Zebra')
    expect(printers.check.test).toBeNull()
  })

  it('does not start while the address of the printer is missing', async () => {
    printers.openNew()
    await printers.runTest()
    expect(desk.calls).not.toContain('printer:test')
    expect(printers.draft?.faultOf('host')).toBe('missing')
  })

  it('shows why it could not be run', async () => {
    desk.world.failures['printer:test'] = failure('internal.unexpected')
    await printers.runTest()
    expect([printers.check.failure?.code, printers.check.busy]).toEqual(['internal.unexpected', false])
  })

  it('drops its result if the settings were changed before the result arrived', async () => {
    const running = printers.runTest()
    expect(printers.check.busy).toBe(true)
    printers.changed()
    await running
    expect([printers.check.test, printers.check.busy]).toEqual([null, false])
  })
})

describe('the printers and queues that this computer has found', () => {
  const queue = { makeAndModel: 'Zebra', state: 'idle' } as const
  const labels = { ...queue, name: 'labels', uri: 'ipp://localhost/printers/labels' }
  const office = { ...queue, name: 'office', uri: 'ipp://localhost/printers/office' }

  it('are offered in the form; those that another printer of the list uses come last', async () => {
    desk.world.printQueues = { isThere: true, queues: [office, labels] }
    expect(printers.foundOf('ipp')).toBeNull()
    await printers.list.discover()
    const seen = (): [string, boolean][] =>
      (printers.foundOf('ipp') ?? []).map(({ name, isListed }) => [name, isListed])
    expect(seen()).toEqual([
      ['labels', false],
      ['office', true],
    ])
    printers.open(officeEntry.id)
    expect(seen()).toEqual([
      ['office', false],
      ['labels', false],
    ])
  })

  it('can be chosen for several entries of the printer list, with different paper for each', async () => {
    printers.openNew()
    printers.draft?.choose('ipp', { name: office.name, address: office.uri })
    Object.assign(printers.draft?.fields ?? {}, { title: 'Office A6' })
    Object.assign(printers.draft?.forms.ipp ?? {}, { media: 'iso_a6_105x148mm' })
    expect(await printers.save()).toBe(true)
  })

  it('include the printers of Windows; the chosen one gives its name to a new printer, but not to a saved printer', async () => {
    expect(printers.foundOf('windows')).toBeNull()
    const windows = ['Dymo', 'Zebra'].map((name) => ({ name, makeAndModel: 'ZPL', isReady: true }))
    desk.world.printQueues = { isThere: false, queues: [], windows }
    await printers.list.discover()
    printers.openNew()
    printers.draft?.choose('windows', { name: 'Dymo', address: 'Dymo' })
    expect(printers.draft?.fields).toMatchObject({ kind: 'windows', title: 'Dymo' })
    expect(printers.draft?.entryToSave()?.settings).toMatchObject({ kind: 'windows', queue: 'Dymo' })
    expect(await printers.save()).toBe(true)
    printers.open(zebraEntry.id)
    expect(printers.foundOf('windows')?.map(({ name, isListed }) => [name, isListed])).toEqual([
      ['Zebra', false],
      ['Dymo', true],
    ])
    const { title } = zebraEntry
    printers.draft?.choose('windows', { name: 'Zebra', address: 'Zebra' })
    expect(printers.draft?.fields).toMatchObject({ kind: 'windows', title })
  })

  it('are an empty list when the computer cannot list them', async () => {
    desk.world.failures['printer:discover'] = failure('internal.unexpected')
    await printers.list.discover()
    expect(printers.list.queues).toEqual({ isThere: false, queues: [] })
  })
})

const sheets: PrintRoute = { paper: 'sheet', size: 'page', printerId: 'office' }

describe('RoutesDraft', () => {
  it('has an entry for every kind of paper in the contract', () => {
    const all = paperKinds.flatMap((paper) => paperSizes.map((size) => ({ paper, size })))
    expect(papers).toEqual(all)
  })

  it('returns the saved routes unchanged until the operator chooses another printer for a kind of paper', () => {
    const draft = new RoutesDraft([sheets])
    expect(draft.routes()).toEqual([sheets])
    expect(draft.isChanged).toBe(false)
    draft.choose({ paper: 'return_label', size: 'label' }, 'zebra')
    expect(draft.isChanged).toBe(true)
    expect(draft.routes()).toEqual([{ paper: 'return_label', size: 'label', printerId: 'zebra' }, sheets])
    draft.choose({ paper: 'return_label', size: 'label' }, null)
    expect(draft.isChanged).toBe(false)
  })

  it('names no printer for a kind of paper without a route, so that the first printer is used', () => {
    const draft = new RoutesDraft([sheets])
    expect(draft.printerOf({ paper: 'sheet', size: 'page' })).toBe('office')
    expect(draft.printerOf({ paper: 'sheet', size: 'label' })).toBeNull()
    draft.choose({ paper: 'sheet', size: 'page' }, null)
    expect(draft.routes()).toEqual([])
  })
})
