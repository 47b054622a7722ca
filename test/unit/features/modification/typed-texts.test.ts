import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readScan } from '#place/station-commands.svelte.ts'
import type { ScanOutcome } from '#shared/bridge/scan-views.ts'
import type { Command } from '#shared/domain/commands.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { sampleVariants } from '#support/memory-desk/catalogue.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { sampleLocations } from '#support/memory-desk/modifications.ts'
import { sampleShipment } from '#support/memory-desk/scans.ts'
import { signedIn } from '#support/memory-desk/station.ts'
import { ModificationState } from '#features/modification/modification.state.svelte.ts'
import { TypedTexts } from '#features/modification/typed-texts.svelte.ts'

const nowMs = Date.parse('2026-11-21T14:07:00Z')
const oats = '8712345678906'
const drink = '8712345678913'
const oatsId = idOf(oats)
const drinkId = idOf(drink)

function idOf(code: string): string {
  const variant = sampleVariants(nowMs).find(({ ean }) => ean === code)
  if (!variant) throw new Error(`no article has the code ${code}`)
  return variant.id
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
  // in this mode of the fake timers, the next timer runs as soon as nothing else runs
  vi.setTimerTickMode('nextTimerAsync')
})
afterEach(() => {
  vi.useRealTimers()
})

/** Lets more time pass than the window needs to remove the characters of a scan from a field. */
function rest(): void {
  vi.advanceTimersByTime(1_000)
}

describe('a text that is typed into a field of the booking', () => {
  const typed = new TypedTexts()
  beforeEach(() => {
    typed.clear()
  })

  it('is null (no typed text) if the field contains its saved text again', () => {
    typed.type('a', '87', '+1')
    typed.type('a', '+1', '+1')
    expect(typed.of('a')).toBeNull()
  })

  it('counts as settled only after a pause, because a scan that is under way may have typed it', () => {
    typed.type('a', '8', '+1')
    expect([typed.of('a'), typed.settledOf('a')]).toEqual(['8', null])
    rest()
    expect(typed.settledOf('a')).toBe('8')
  })

  it('counts as settled without the characters that a scan adds, also after these characters were removed', () => {
    typed.type('a', '12', '+1')
    rest()
    typed.type('a', '128', '+1')
    typed.type('a', '1287', '+1')
    expect(typed.settledOf('a')).toBe('12')
    typed.type('a', '12', '+1')
    expect([typed.of('a'), typed.settledOf('a')]).toEqual(['12', '12'])
  })

  it('does not keep the characters of a scan if the field is removed during the scan', () => {
    typed.type('a', '12', '+1')
    rest()
    typed.type('a', '128', '+1')
    typed.type('b', '8', '+1')
    typed.removed('a')
    typed.removed('b')
    expect(typed.all).toEqual([{ key: 'a', text: '12' }])
  })

  it('is null (no typed text) if a scan restores the old saved text, and the saved text changed during the scan', () => {
    typed.type('a', '8', '+1')
    typed.changed('a', '+1')
    typed.type('a', '+1', '+2')
    expect(typed.of('a')).toBeNull()
    vi.advanceTimersByTime(5_000)
    typed.type('a', '+1', '+2')
    expect(typed.of('a')).toBe('+1')
  })
})

describe('a booking with a typed text that was not saved', () => {
  let desk: MemoryDesk
  let sounds: string[]
  let commands: Command[]
  let elsewhere: ScanOutcome[]
  let booking: ModificationState
  let stationId: string
  /** The changes of the draft, each with its station id. */
  let changes: (readonly [kind: string, station: string | undefined])[]

  beforeEach(async () => {
    desk = new MemoryDesk({
      ...memoryWorld(() => nowMs),
      session: signedIn,
      shipments: [sampleShipment(nowMs)],
      variants: sampleVariants(nowMs),
      locations: sampleLocations(nowMs),
    })
    sounds = []
    commands = []
    elsewhere = []
    stationId = 'alder'
    changes = []
    const { modification } = desk.bridge
    const change: typeof modification.change = (one, station) => {
      changes.push([one.kind, station])
      return modification.change(one)
    }
    booking = new ModificationState({
      bridge: { ...desk.bridge, modification: { ...modification, change } },
      session: () => signedIn,
      stationId: () => stationId,
      play: (sound) => sounds.push(sound),
      nowMs: () => nowMs,
      onCommand: (command) => commands.push(command),
      onRefused: (command) => commands.push(command),
      onElsewhere: (outcome) => elsewhere.push(outcome),
      onScanned: () => undefined,
    })
    await booking.load()
    await scan('SDCMDCORRECTION', 'A-03-2', oats)
    sounds = []
    changes = []
  })

  async function scan(...codes: string[]): Promise<void> {
    for (const code of codes) await booking.scan(readScan(code))
  }

  /** Types into the quantity field of a line, without Enter. */
  function type(text: string, variantId = oatsId): void {
    booking.fields.typeQuantity(variantId, text)
    rest()
  }

  const quantities = (): number[] => desk.world.draft.lines.map(({ quantity }) => quantity)
  const booked = (): number[][] =>
    desk.world.modifications.map(({ lines }) => lines.map(({ quantity }) => quantity))

  it('books the typed number when PRIMARY is scanned', async () => {
    type('12')
    await scan('SDCMDPRIMARY')
    expect(booked()).toEqual([[12]])
    expect(sounds).toEqual(['done'])
    expect(booking.fields.quantityOf(oatsId)).toBeNull()
  })

  it('books the typed numbers of several lines when the button is pressed', async () => {
    await scan(drink)
    type('12')
    type('-3', drinkId)
    await booking.book()
    expect(booked()).toEqual([[12, -3]])
  })

  it.each(['1x', '', '-', '8712345678906', '123456'])(
    'is not booked while the text is “%s”, which is no number of pieces',
    async (text) => {
      type(text)
      await scan('SDCMDPRIMARY')
      await booking.book()
      expect(booked()).toEqual([])
      expect(booking.echo).toEqual({ kind: 'typed_waits', field: 'quantity', text })
      expect(sounds).toEqual(['look', 'look'])
      expect(booking.fields.quantityOf(oatsId)).toBe(text)
    },
  )

  it('is booked with its saved number after CLEAR dropped the text', async () => {
    type('1x')
    await scan('SDCMDPRIMARY', 'SDCMDCLEAR')
    expect(booking.echo?.kind).toBe('typed_cleared')
    await scan('SDCMDPRIMARY')
    expect(booked()).toEqual([[1]])
  })

  it('drops the text at Escape after the field has lost the focus, and is left by the next Escape', async () => {
    type('1x')
    booking.fields.typeLocation('dock')
    await booking.fields.keepQuantity(oatsId)
    expect(booking.back()).toBe(true)
    expect([booking.fields.quantityOf(oatsId), booking.fields.location]).toEqual([null, null])
    expect([booking.echo?.kind, sounds.at(-1)]).toEqual(['typed_cleared', 'done'])
    expect(booking.back()).toBe(false)
    await booking.book()
    expect(booked()).toEqual([[1]])
  })

  it('loses its typed number at UNDO, and has the saved number again', async () => {
    type('12')
    await scan('SDCMDUNDO')
    expect(quantities()).toEqual([1])
    expect(booking.fields.quantityOf(oatsId)).toBeNull()
  })

  it.each(['SDCMDHOME', 'WEB-100412'])(
    'saves the typed number before %s opens another place',
    async (code) => {
      type('12')
      await scan(code)
      expect(quantities()).toEqual([12])
      expect([...commands, ...elsewhere.map(({ kind }) => kind)]).toHaveLength(1)
    },
  )

  it.each(['SDCMDHOME', 'WEB-100412'])(
    'can be left by %s while the text is no number, and then still has the text',
    async (code) => {
      type('1x')
      await scan(code)
      booking.fields.removed(oatsId)
      expect([...commands, ...elsewhere.map(({ kind }) => kind)]).toHaveLength(1)
      expect(booking.fields.quantityOf(oatsId)).toBe('1x')
      await booking.visit()
      await scan('SDCMDPRIMARY')
      expect(booked()).toEqual([])
      type('15')
      await scan('SDCMDPRIMARY')
      expect(booked()).toEqual([[15]])
    },
  )

  it('adds a scanned piece to the typed number of its line, and leaves the text of another line', async () => {
    type('12')
    await scan(drink)
    expect([quantities(), booking.fields.quantityOf(oatsId)]).toEqual([[1, 1], '12'])
    await scan(oats)
    expect(quantities()).toEqual([13, 1])
  })

  it('adds a piece to a number that was typed directly before the scan', async () => {
    booking.fields.typeQuantity(oatsId, '12')
    await scan(oats)
    expect([quantities(), booking.fields.quantityOf(oatsId)]).toEqual([[13], null])
  })

  it('books a number that was typed directly before PRIMARY', async () => {
    booking.fields.typeQuantity(oatsId, '12')
    await scan('SDCMDPRIMARY')
    expect([booked(), sounds]).toEqual([[[12]], ['done']])
  })

  describe('the booking with the typed text', () => {
    beforeEach(() => {
      const [first, ...others] = sampleLocations(nowMs)
      if (!first) throw new Error('no location')
      desk.world.locations = [first, ...others, { ...first, id: 'lc-drink', code: drink }]
      booking.fields.typeQuantity(oatsId, '12')
    })

    it('saves the typed number when a code with several meanings is scanned, because the question about the meaning removes the field', async () => {
      await scan(drink)
      expect(booking.scanQuestion.asked?.raw).toBe(drink)
      booking.fields.removed(oatsId)
      expect([quantities(), booking.fields.quantityOf(oatsId), sounds]).toEqual([[12], null, ['decide']])
      await scan('SDCMDTWO', 'SDCMDPRIMARY')
      expect(booked()).toEqual([[12, 1]])
    })

    it('shows the reason, and not the question about the meaning of a scanned code, if the typed number cannot be saved', async () => {
      desk.world.failures['modification:change'] = failure('store.full')
      await scan(drink)
      expect(booking.scanQuestion.asked).toBeNull()
      expect(booking.echo).toMatchObject({ kind: 'failed', failure: { code: 'store.full' } })
      expect([booking.fields.quantityOf(oatsId), sounds]).toEqual(['12', ['stop']])
    })

    it('shows no question about the meaning of a scanned code if the window shows another station once the typed number is saved', async () => {
      vi.spyOn(booking.fields, 'save').mockImplementation(() => {
        stationId = 'birch'
        return Promise.resolve(true)
      })
      await scan(drink)
      expect([booking.scanQuestion.asked, sounds]).toEqual([null, []])
    })
  })

  it('saves and books no characters of a barcode that another scanner is typing into a field', async () => {
    booking.fields.typeQuantity(oatsId, '87')
    const work = scan('SDCMDPRIMARY')
    booking.fields.typeQuantity(oatsId, '871')
    booking.fields.typeQuantity(oatsId, '+1')
    await work
    expect([booked(), sounds]).toEqual([[[1]], ['done']])
  })

  it.each([[oats], ['SDCMDUNDO']])(
    'is not changed by %s if the typed number cannot be saved',
    async (code) => {
      type('12')
      desk.world.failures['modification:change'] = failure('store.full')
      await scan(code)
      expect([quantities(), booking.fields.quantityOf(oatsId), sounds]).toEqual([[1], '12', ['stop']])
    },
  )

  it('gets one piece more or less for each press of “+” or “−”, counted from the typed number', async () => {
    await Promise.all([booking.addPieces(oatsId, 1), booking.addPieces(oatsId, 1)])
    expect(quantities()).toEqual([3])
    booking.fields.typeQuantity(oatsId, '12')
    const changesBefore = changes.length
    // a press of “−” takes the focus from the field, and the field then saves its text
    await Promise.all([booking.fields.keepQuantity(oatsId), booking.addPieces(oatsId, -1)])
    expect([quantities(), changes.length - changesBefore]).toEqual([[11], 2])
    type('20')
    await booking.addPieces(oatsId, 1)
    expect([quantities(), booking.fields.quantityOf(oatsId)]).toEqual([[21], null])
  })

  it('gets no piece by “+” if the line was removed meanwhile', async () => {
    await Promise.all([booking.change({ kind: 'remove', variantId: oatsId }), booking.addPieces(oatsId, 1)])
    expect([quantities(), sounds]).toEqual([[], ['done', 'look']])
  })

  it('is saved if a key leaves the booking directly after the typing, and a text that is no number is kept', async () => {
    booking.fields.typeQuantity(oatsId, '12')
    booking.fields.typeLocation('dock')
    booking.fields.settle()
    booking.fields.removed(oatsId)
    booking.fields.removed()
    await booking.saveInput()
    expect([quantities(), booking.fields.quantityOf(oatsId)]).toEqual([[12], null])
    expect(booking.fields.location).toBe('dock')
  })

  it('is not booked if the typed number cannot be saved', async () => {
    type('12')
    desk.world.failures['modification:change'] = failure('store.full')
    await scan('SDCMDPRIMARY')
    expect(booking.echo).toMatchObject({ kind: 'failed', failure: { code: 'store.full' } })
    expect([booked(), booking.fields.quantityOf(oatsId)]).toEqual([[], '12'])
    desk.world.failures = {}
    await scan('SDCMDPRIMARY')
    expect(booked()).toEqual([[12]])
  })

  it('saves the typed number at the station at which it was typed', async () => {
    type('12')
    stationId = 'birch'
    await booking.saveInput()
    expect(changes).toEqual([['quantity', 'alder']])
  })

  it('forgets the text of another operator or station, of a removed line, and after “Start over”', async () => {
    type('1x')
    await booking.change({ kind: 'remove', variantId: oatsId })
    await booking.undo()
    expect(booking.fields.quantityOf(oatsId)).toBeNull()
    type('1x')
    booking.fields.typeLocation('dock')
    await booking.change({ kind: 'clear' })
    await booking.undo()
    expect([booking.fields.quantityOf(oatsId), booking.fields.location]).toEqual([null, null])
    type('1x')
    await booking.load()
    expect(booking.fields.quantityOf(oatsId)).toBeNull()
  })

  it('saves the number at the end of the typing, and refuses a text that is no number', async () => {
    type('7')
    await booking.fields.keepQuantity(oatsId)
    expect([quantities(), sounds]).toEqual([[7], ['done']])
    type('7x')
    await booking.fields.keepQuantity(oatsId)
    expect([quantities(), booking.echo?.kind, sounds.at(-1)]).toEqual([[7], 'typed_waits', 'look'])
    type(' ')
    await booking.fields.keepQuantity(oatsId)
    expect([quantities(), booking.fields.quantityOf(oatsId)]).toEqual([[7], null])
  })

  it('is not booked at the earlier location while the name of another location is typed', async () => {
    booking.fields.typeLocation('A-03-3')
    rest()
    await scan('SDCMDPRIMARY')
    expect(booked()).toEqual([])
    expect(booking.echo).toEqual({ kind: 'typed_waits', field: 'location', text: 'A-03-3' })
    await scan('SDCMDHOME')
    expect(booking.fields.location).toBe('A-03-3')
    await scan('A-03-2')
    expect(booking.fields.location).toBeNull()
    await scan('SDCMDPRIMARY')
    expect(desk.world.modifications.map(({ location }) => location.code)).toEqual(['A-03-2'])
  })
})
