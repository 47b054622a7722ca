import { beforeEach, describe, expect, it } from 'vitest'
import { liveWords, troubleWords, whereWords } from '#features/setup/scanner-words.ts'
import { ScannersState } from '#features/setup/scanners.state.svelte.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'
import {
  beltScanner,
  dockScanner,
  lostScanners,
  openScanners,
  severalPorts,
} from '#support/memory-desk/scanners.ts'

let desk: MemoryDesk
let scanners: ScannersState

beforeEach(async () => {
  desk = new MemoryDesk({ ...memoryWorld(), scanners: openScanners, serialPorts: severalPorts })
  scanners = new ScannersState(desk.bridge, () => 'new-1')
  await scanners.load()
})

function type(title: string): void {
  if (!scanners.draft) throw new Error('no scanner is open')
  scanners.draft.fields.title = title
  scanners.changed()
}

function keptTitles(): string[] {
  return desk.world.scanners.scanners.map(({ title }) => title)
}

describe('the scanners page of the set-up', () => {
  it('opens with the first scanner, or with no scanner if the list is empty', async () => {
    expect(scanners.entry).toEqual(dockScanner)
    const none = new ScannersState(new MemoryDesk().bridge)
    await none.load()
    expect([none.list.isRead, none.draft]).toEqual([true, null])
  })

  it('shows why the scanners cannot be read', async () => {
    const other = new ScannersState(desk.bridge)
    desk.world.failures['scanner:setup'] = failure('store.unavailable')
    await other.load()
    expect([other.list.isRead, other.list.failure?.code]).toEqual([false, 'store.unavailable'])
  })

  it('shows each change of state of a scanner, and keeps the typed fields', () => {
    const stop = scanners.list.start()
    type('Gate')
    expect([scanners.list.lost, scanners.list.open]).toEqual([[], ['Scanner at the dock', 'Belt']])
    desk.emit('scanners', lostScanners)
    expect(scanners.list.open).toEqual([])
    expect(scanners.list.lost.map(({ title, failure: { code } }) => `${title} ${code}`)).toEqual([
      'Scanner at the dock scanner.unplugged',
      'Belt scanner.refused',
    ])
    expect(scanners.draft?.fields.title).toBe('Gate')
    stop()
    desk.emit('scanners', openScanners)
    expect(scanners.list.lost).toHaveLength(2)
  })

  it('saves a new scanner, and reports the success until the next change', async () => {
    scanners.openNew()
    Object.assign(scanners.draft?.fields ?? {}, { title: 'Gate', path: '/dev/ttyS0' })
    expect(await scanners.save()).toBe(true)
    expect(keptTitles()).toEqual(['Scanner at the dock', 'Belt', 'Gate'])
    expect([scanners.entry?.id, scanners.saved, scanners.isChanged]).toEqual(['new-1', true, false])
    type('Gate 2')
    expect(scanners.saved).toBe(false)
  })

  it('refuses to save a port or a name that another scanner of the list has', async () => {
    scanners.openNew()
    Object.assign(scanners.draft?.fields ?? {}, { title: 'belt', path: beltScanner.settings.path })
    expect([scanners.isTitleTaken, await scanners.save()]).toEqual([true, false])
    type('Gate')
    expect([scanners.isTitleTaken, await scanners.save()]).toEqual([false, false])
    expect(scanners.list.failure?.code).toBe('scanner.same_twice')
    expect(keptTitles()).toHaveLength(2)
  })

  it('asks the operator before unsaved fields are left, and before a scanner is removed', async () => {
    type('Gate')
    scanners.open('belt')
    expect([scanners.question, scanners.entry?.id]).toEqual(['leave', 'dock'])
    scanners.stay()
    expect(scanners.question).toBeNull()
    scanners.open('belt')
    await scanners.saveAndGo()
    expect([scanners.entry?.id, keptTitles()]).toEqual(['belt', ['Gate', 'Belt']])
    scanners.askToRemove()
    expect(scanners.question).toBe('remove')
    await scanners.remove()
    expect([scanners.entry?.id, keptTitles()]).toEqual(['dock', ['Gate']])
    type('Other')
    scanners.openNew()
    scanners.discard()
    expect([scanners.draft?.isNew, keptTitles()]).toEqual([true, ['Gate']])
  })

  it('offers the ports of the computer; those that another scanner uses come last', async () => {
    await scanners.list.discover()
    expect(scanners.ports.map(({ path, isListed }) => [path, isListed])).toEqual([
      [dockScanner.settings.path, false],
      ['/dev/ttyS0', false],
      ['/dev/ttyUSB0', true],
    ])
  })
})

describe('the scanner test in the set-up', () => {
  it('takes scans only while it is open, and shows control characters as marks such as <GS>', () => {
    const { test: scannerTest } = scanners
    expect(scannerTest.take({ scannerId: 'dock', raw: 'A' })).toBe(false)
    const close = scannerTest.opened()
    expect(scannerTest.take({ scannerId: 'dock', raw: 'A\u001dB' })).toBe(true)
    expect(scannerTest.arrivals).toMatchObject([
      {
        scannerId: 'dock',
        characters: 3,
        parts: [
          { text: 'A', isMark: false },
          { text: '<GS>', isMark: true },
          { text: 'B', isMark: false },
        ],
      },
    ])
    for (const raw of ['1', '2', '3', '4']) scannerTest.take({ scannerId: 'dock', raw })
    expect(
      scannerTest.arrivals.map(({ number, parts }) => `${String(number)} ${parts[0]?.text ?? ''}`),
    ).toEqual(['5 4', '4 3', '3 2', '2 1'])
    close()
    expect([scannerTest.take({ scannerId: 'dock', raw: 'A' }), scannerTest.arrivals]).toEqual([false, []])
  })
})

describe('the texts of a scanner', () => {
  it('name the port and the state of the scanner, and what to do about a fault', () => {
    expect(whereWords(dockScanner)).toBe('Datalogic_ADC__Inc._Handheld_Scanner_S_N_G18C0412-if00 · 9600 8N1')
    const [dock, belt] = lostScanners.live.map((live) => liveWords(live))
    expect(dock).toEqual({ outcome: 'stop', text: 'The scanner is unplugged or switched off.' })
    expect(belt).toEqual({ outcome: 'stop', text: 'Another program has the scanner’s port.' })
    expect(openScanners.live.map((live) => liveWords(live).text)).toEqual(['Ready', 'Ready · 3 dropped'])
    expect(openScanners.live.map((live) => troubleWords(live)?.outcome)).toEqual([undefined, 'look'])
    expect(troubleWords(lostScanners.live[0] ?? null)?.text).toContain('Plug it in')
  })
})
