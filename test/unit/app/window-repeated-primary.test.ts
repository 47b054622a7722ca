import { beforeEach, describe, expect, it, vi } from 'vitest'
import { repeatedReadMs } from '#place/repeated-reads.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { heard, openWindowOf, settle } from '#support/desk-window.ts'
import { sampleVariants } from '#support/memory-desk/catalogue.ts'
import { openLabel } from '#support/memory-desk/labels.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { sampleLocations, sampleModification } from '#support/memory-desk/modifications.ts'
import { sampleShipment } from '#support/memory-desk/scans.ts'
import { signedIn } from '#support/memory-desk/station.ts'
import type { ScanLine } from '../../../src/app/scan-line.ts'
import type { DeskWindow } from '../../../src/app/window.svelte.ts'

/** The acts at the service that no operator can take back. */
const finalCalls = ['returnLabel:make', 'returnLabel:request', 'returnLabel:cancel', 'modification:book']

let nowMs: number
let desk: MemoryDesk
let window: DeskWindow
let scans: ScanLine
let sounds: string[]

async function scan(...codes: string[]): Promise<void> {
  for (const code of codes) {
    scans.take(heard(code))
    await settle()
  }
}

const done = (): string[] => desk.calls.filter((call) => finalCalls.includes(call))

beforeEach(async () => {
  nowMs = Date.parse('2026-11-21T14:07:00Z')
  const shipment = sampleShipment(nowMs)
  desk = new MemoryDesk({
    ...memoryWorld(() => nowMs),
    session: signedIn,
    shipments: [shipment, { ...shipment, id: 'sh-2', reference: 'SHP00000000413', orderReference: 'WEB-2' }],
    variants: sampleVariants(nowMs),
    locations: sampleLocations(nowMs),
  })
  ;({ window, scans, sounds } = await openWindowOf(desk))
})

/**
 * Expects that PRIMARY does nothing within the time in which a scanner may read the same barcode a second time, and
 * that PRIMARY does `act` after this time.
 */
async function expectOnce(act: string): Promise<void> {
  const before = done()
  nowMs += repeatedReadMs - 1
  await scan('SDCMDPRIMARY')
  expect(done()).toEqual(before)
  expect([window.notices.now?.kind, sounds.at(-1)]).toEqual(['too_soon', 'look'])
  nowMs += 1
  await scan('SDCMDPRIMARY')
  expect(done()).toEqual([...before, act])
}

describe('PRIMARY that the scanner reads twice', () => {
  it('opens a booking with the article of the card, and does not book it', async () => {
    await scan('SDCMDBOOK', 'SDCMDDEFECTIVE', 'A-03-2', 'SDCMDHOME', '8712345678906', 'SDCMDPRIMARY')
    expect(window.place).toBe('modification')
    expect(window.places.modification.canBook).toBe(true)
    await expectOnce('modification:book')
  })

  it('turns a refused booking back into the draft, and does not book it again', async () => {
    desk.putModification({ ...sampleModification(nowMs), create: 'rejected' })
    window.showModification('mo-1')
    await scan('SDCMDPRIMARY')
    expect(window.places.modification.canBook).toBe(true)
    await expectOnce('modification:book')
  })

  it('opens the selected label of the list, and does not request it', async () => {
    desk.world.labels = [openLabel(nowMs)]
    await scan('SDCMDLABELS')
    await window.places.labels.load()
    await scan('SDCMDNEXT', 'SDCMDPRIMARY')
    expect(window.places.stage.phase).toBe('unrequested')
    await expectOnce('returnLabel:request')
  })

  it('saves the form of a change, and does not request the label', async () => {
    desk.world.labels = [openLabel(nowMs)]
    await scan('SHP00000000412', 'SDCMDADDRESS', 'SDCMDPRIMARY')
    expect([window.place, window.places.stage.phase]).toEqual(['stage', 'unrequested'])
    await expectOnce('returnLabel:request')
  })

  it('opens the form for a refused address, and does not send it', async () => {
    const refused = { code: 'return_label.address_invalid' as const, params: {} }
    desk.world.labels = [{ ...openLabel(nowMs), serverId: null, create: 'rejected', failure: refused }]
    await scan('SHP00000000412', 'SDCMDPRIMARY')
    expect(window.place).toBe('label_form')
    await expectOnce('returnLabel:make')
  })

  it('looks up a failed scan again, and makes no label', async () => {
    desk.world.failures['scan:submit'] = failure('store.full')
    await scan('SHP00000000412')
    desk.world.failures = {}
    await scan('SDCMDPRIMARY')
    expect(window.places.stage.card.kind).toBe('shipment')
    await expectOnce('returnLabel:make')
  })

  it('is recognised by the times at which the two scans arrived, and not by the times at which they are handled', async () => {
    await scan('SHP00000000412')
    const codes = ['SDCMDPRIMARY', 'SDCMDPRIMARY']
    for (const [index, code] of codes.entries())
      scans.take({ ...heard(code), arrived: { ticksMs: index * 1_000, wallMs: 0 } })
    await settle()
    expect(window.notices.now?.kind).toBe('not_here')
  })

  it('does not replace the notice that its first reading caused', async () => {
    await scan('SDCMDPRIMARY', 'SDCMDPRIMARY')
    expect([window.notices.now?.kind, sounds]).toEqual(['not_here', ['look', 'look']])
  })
})

describe('Enter that is pressed twice', () => {
  it('opens a booking with the article of the card, and does not book it', async () => {
    await scan('SDCMDBOOK', 'SDCMDDEFECTIVE', 'A-03-2', 'SDCMDHOME', '8712345678906')
    window.runPrimary()
    await settle()
    window.runPrimary()
    await settle()
    expect([window.place, done(), window.notices.now?.kind]).toEqual(['modification', [], 'too_soon'])
    nowMs += repeatedReadMs
    window.runPrimary()
    await settle()
    expect(done()).toEqual(['modification:book'])
  })

  it('does not request a label after the first press saved the form of a change in a field', async () => {
    desk.world.labels = [openLabel(nowMs)]
    await scan('SHP00000000412', 'SDCMDADDRESS')
    await window.places.label_form.submit(false)
    expect([window.place, window.places.stage.phase]).toEqual(['stage', 'unrequested'])
    window.runPrimary()
    await settle()
    expect([done(), window.notices.now?.kind]).toEqual([[], 'too_soon'])
  })

  it('does not request a label that the list opened 0.9 s after the first press in its field', async () => {
    desk.world.labels = [openLabel(nowMs)]
    await scan('SDCMDLABELS')
    await window.places.labels.load()
    const [entry] = window.places.labels.lines
    if (!entry) throw new Error('the list is empty')
    window.heard('ENTER')
    void window.places.labels.open(entry)
    nowMs += 900
    await settle()
    expect(window.places.stage.phase).toBe('unrequested')
    nowMs += 50
    window.runPrimary()
    await settle()
    expect([done(), window.notices.now?.kind]).toEqual([[], 'too_soon'])
    nowMs += repeatedReadMs
    window.runPrimary()
    await settle()
    expect(done()).toEqual(['returnLabel:request'])
  })

  it('makes no label for a typed code whose card appears 0.9 s after the first press in the field', async () => {
    window.heard('ENTER')
    window.lookUp('SHP00000000412')
    nowMs += 900
    await settle()
    expect(window.places.stage.card.kind).toBe('shipment')
    nowMs += 50
    window.runPrimary()
    await settle()
    expect([done(), window.notices.now?.kind]).toEqual([[], 'too_soon'])
    nowMs += repeatedReadMs
    window.runPrimary()
    await settle()
    expect(done()).toEqual(['returnLabel:make'])
  })

  it.each(['a repeated look-up', 'a choice', 'a choice after a forgotten answer'])(
    'makes no label for a card that %s shows 0.9 s after the first press',
    async (of) => {
      const { stage } = window.places
      const [shipment] = desk.world.shipments
      if (!shipment) throw new Error('no shipment')
      if (of === 'a repeated look-up') {
        desk.world.failures['scan:submit'] = failure('store.full')
        await scan('SHP00000000412')
        desk.world.failures = {}
        window.runPrimary()
      } else {
        desk.world.locations = [
          ...desk.world.locations,
          ...desk.world.locations.slice(0, 1).map((one) => ({ ...one, id: 'lc-9', code: 'WEB-100412' })),
        ]
        await scan('WEB-100412')
        if (stage.card.kind !== 'ambiguous') throw new Error('the code has one meaning')
        const candidate = stage.card.outcome.candidates.find(({ kind }) => kind === 'shipment')
        if (!candidate) throw new Error('no shipment to choose')
        if (of === 'a choice') {
          window.heard('ENTER')
          void stage.choose(candidate)
        } else {
          await stage.choose(candidate)
          desk.world.locations = []
          window.heard('ENTER')
          void stage.forget()
        }
      }
      nowMs += 900
      await settle()
      expect(stage.card.kind).toBe('shipment')
      nowMs += 50
      window.runPrimary()
      await settle()
      expect([done(), window.notices.now?.kind]).toEqual([[], 'too_soon'])
      nowMs += repeatedReadMs
      window.runPrimary()
      await settle()
      expect(done()).toEqual(['returnLabel:make'])
    },
  )
})

describe('an operator who works fast', () => {
  it.each(['before', 'after'])(
    'makes the label of a typed code when PRIMARY is scanned before the late card of the code is shown, although PRIMARY is saved %s the code',
    async (when) => {
      const { submit } = desk.bridge.scan
      const saves = new Map<string, () => void>()
      vi.spyOn(desk.bridge.scan, 'submit').mockImplementation(async (request) => {
        await new Promise<void>((resolve) => {
          saves.set(request.raw, resolve)
        })
        return submit(request)
      })
      const codes = ['SHP00000000412', 'SDCMDPRIMARY'] as const
      window.heard('ENTER')
      window.lookUp(codes[0])
      nowMs += 900
      scans.take(heard(codes[1]))
      for (const code of when === 'before' ? codes.toReversed() : codes) {
        expect(done()).toEqual([])
        await settle()
        saves.get(code)?.()
      }
      await settle()
      expect([done(), window.notices.now]).toEqual([['returnLabel:make'], null])
    },
  )

  it('makes the labels of two parcels with PRIMARY in between', async () => {
    await scan('SHP00000000412', 'SDCMDPRIMARY', 'SHP00000000413', 'SDCMDPRIMARY')
    expect(done()).toEqual(['returnLabel:make', 'returnLabel:make'])
  })

  it('cancels a label right after another act on it', async () => {
    desk.world.labels = [openLabel(nowMs)]
    await scan('SHP00000000412', 'SDCMDADDRESS', 'SDCMDPRIMARY', 'SDCMDCANCEL', 'SDCMDPRIMARY')
    expect(done()).toEqual(['returnLabel:cancel'])
  })

  it('requests a label right after it was made without printing', async () => {
    await scan('SHP00000000412', 'SDCMDMETHOD', 'SDCMDMAKEONLY')
    const [made] = desk.world.labels
    if (!made) throw new Error('no label was made')
    desk.putLabel({ ...openLabel(nowMs), id: made.id })
    await scan('SDCMDPRIMARY')
    expect(done()).toEqual(['returnLabel:make', 'returnLabel:request'])
  })
})
