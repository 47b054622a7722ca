import { beforeEach, describe, expect, it, vi } from 'vitest'
import { repeatedReadMs } from '#place/repeated-reads.ts'
import { readScan } from '#place/station-commands.svelte.ts'
import { ModificationState } from '#features/modification/modification.state.svelte.ts'
import type { ScanOutcome } from '#shared/bridge/scan-views.ts'
import type { DeskStatus, SessionView } from '#shared/bridge/views.ts'
import type { Command } from '#shared/domain/commands.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { wireRole } from '#shared/wire/roles.ts'
import { sampleVariants } from '#support/memory-desk/catalogue.ts'
import { ago } from '#support/memory-desk/memory-core.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { sampleLocations, sampleModification } from '#support/memory-desk/modifications.ts'
import { sampleShipment } from '#support/memory-desk/scans.ts'
import { sampleStatus, signedIn } from '#support/memory-desk/station.ts'
import { commandIdOf } from '#support/ids.ts'

const nowMs = Date.parse('2026-11-21T14:07:00Z')
const oats = '8712345678906'
const drink = '8712345678913'

let desk: MemoryDesk
let session: SessionView
let sounds: string[]
let commands: Command[]
let refused: Command[]
let elsewhere: ScanOutcome[]
let onRail: string[]
let booking: ModificationState
let stationId: string
let ticksMs: number
/** The calls that change or book the draft, each with its station id. */
let acts: { readonly act: string; readonly station: string | undefined }[]

beforeEach(async () => {
  desk = new MemoryDesk({
    ...memoryWorld(() => nowMs),
    session: signedIn,
    shipments: [sampleShipment(nowMs)],
    variants: sampleVariants(nowMs),
    locations: sampleLocations(nowMs),
  })
  session = signedIn
  sounds = []
  commands = []
  refused = []
  elsewhere = []
  onRail = []
  stationId = 'alder'
  ticksMs = 0
  acts = []
  const { modification } = desk.bridge
  booking = new ModificationState({
    bridge: {
      ...desk.bridge,
      modification: {
        ...modification,
        change: (change, station) => {
          acts.push({ act: change.kind, station })
          return modification.change(change)
        },
        book: (_, station) => {
          acts.push({ act: 'book', station })
          return modification.book()
        },
      },
    },
    session: () => session,
    stationId: () => stationId,
    play: (sound) => sounds.push(sound),
    nowMs: () => ticksMs,
    onCommand: (command) => commands.push(command),
    onRefused: (command) => refused.push(command),
    onElsewhere: (outcome) => elsewhere.push(outcome),
    onScanned: ({ kind }) => onRail.push(kind),
  })
  desk.bridge.on('modification', (one) => {
    booking.booked.onModification(one)
  })
  await booking.load()
})

async function scan(...codes: string[]): Promise<void> {
  for (const code of codes) await booking.scan(readScan(code))
}

function quantities(): [string, number][] {
  return (booking.draft?.lines ?? []).map(({ variant, quantity }) => [variant.articleCode, quantity])
}

/** A draft with everything that a booking needs. */
async function fill(): Promise<void> {
  await scan('SDCMDDEFECTIVE', 'A-03-2', oats)
}

describe('a scan while the booking is open', () => {
  it('adds a piece, sets the location or the reason, or selects removal, and plays the sound `done`', async () => {
    await scan(oats, oats, drink, 'A-03-2', 'SDCMDCORRECTION', 'SDCMDMINUS', drink, drink)
    expect(quantities()).toEqual([
      ['BAR-HZ-12', 2],
      ['ISO-LE-500', -1],
    ])
    expect(booking.draft).toMatchObject({ reason: 'CORRECTION', step: -1, location: { code: 'A-03-2' } })
    expect(sounds).toEqual(Array.from({ length: 8 }, () => 'done'))
    expect(onRail).toEqual(['article', 'article', 'article', 'location', 'article', 'article'])
  })

  it('subtracts a piece of the scanned article when the reason is defective', async () => {
    await scan('SDCMDDEFECTIVE', oats)
    expect(quantities()).toEqual([['BAR-HZ-12', -1]])
  })

  it('shows a code that is unknown and whether the service was asked, and leaves the draft unchanged', async () => {
    await scan(oats)
    const before = desk.world.draft
    await scan('8719327004429')
    expect(desk.world.draft).toBe(before)
    const echo = { kind: 'unknown', raw: '8719327004429', misread: false } as const
    expect(booking.echo).toEqual({ ...echo, askedService: true })
    expect(sounds.at(-1)).toBe('look')
    const { status } = desk.world
    desk.world.status = { ...status, line: { ...status.line, state: 'offline' } }
    await scan('8719327004429')
    expect(booking.echo).toEqual({ ...echo, askedService: false })
  })

  it('is passed to the stage if its code belongs to a shipment, and the draft stays unchanged', async () => {
    await scan(oats, 'WEB-100412')
    expect(elsewhere.map(({ kind }) => kind)).toEqual(['shipment'])
    expect(quantities()).toHaveLength(1)
    expect(booking.begun).toBe(true)
  })

  it('is refused if it is REPRINT, a command for labels', async () => {
    await scan('SDCMDREPRINT')
    expect(refused).toEqual(['REPRINT'])
    expect(quantities()).toEqual([])
  })

  it.each(['SDCMDCANCEL', 'SDCMDADDRESS', 'SDCMDMETHOD'])(
    'is refused, and not passed to the card on the stage, if it is the command %s',
    async (code) => {
      await scan(code)
      expect(commands).toEqual([])
      expect(refused).toHaveLength(1)
    },
  )

  it('is passed to the window if it is a command that opens another place', async () => {
    await scan('SDCMDHOME', 'SDCMDLABELS')
    expect(commands).toEqual(['HOME', 'LABELS'])
  })

  it('plays the sound `stop` if the scan cannot be saved', async () => {
    desk.world.failures['scan:submit'] = failure('store.full')
    await scan(oats)
    expect(booking.echo).toMatchObject({ kind: 'failed', failure: { code: 'store.full' } })
    expect(sounds).toEqual(['stop'])
  })

  it('plays the sound `stop` if the scan is saved but its article cannot be added to the draft', async () => {
    desk.world.failures['modification:change'] = failure('article.unknown')
    await scan(oats)
    expect(sounds).toEqual(['stop'])
  })
})

describe('the draft of a booking', () => {
  it('loses its last change at each UNDO, and an UNDO without a change plays the sound `look`', async () => {
    await scan(oats, oats, 'SDCMDUNDO')
    expect(quantities()).toEqual([['BAR-HZ-12', 1]])
    await scan('SDCMDUNDO', 'SDCMDUNDO')
    expect(quantities()).toEqual([])
    expect(sounds.at(-1)).toBe('look')
  })

  it('is restored by undo after it was emptied', async () => {
    await fill()
    await booking.change({ kind: 'clear' })
    expect(booking.begun).toBe(false)
    await booking.undo()
    expect(booking.draft?.missing).toEqual([])
  })

  it('saves the note shortly after typing, without a sound', async () => {
    vi.useFakeTimers()
    booking.typeNote('fell')
    booking.typeNote('fell off the cart')
    expect(booking.note).toBe('fell off the cart')
    await vi.runAllTimersAsync()
    vi.useRealTimers()
    expect(desk.world.draft.note).toBe('fell off the cart')
    expect(sounds).toEqual([])
  })

  it('saves the note and each act at the station at which they were made, also after the window shows another station', async () => {
    vi.useFakeTimers()
    booking.typeNote('of Alder')
    stationId = 'birch'
    await vi.runAllTimersAsync()
    vi.useRealTimers()
    expect(acts).toEqual([{ act: 'note', station: 'alder' }])
    await fill()
    acts.length = 0
    const scanned = scan(oats)
    const booked = booking.book()
    stationId = 'alder'
    await Promise.all([scanned, booked])
    expect(acts).toEqual([
      { act: 'add', station: 'birch' },
      { act: 'book', station: 'birch' },
    ])
  })

  it('applies its changes in the order in which they were requested', async () => {
    await scan(oats)
    const id = sampleVariants(nowMs)[0]?.id ?? ''
    await Promise.all([
      booking.change({ kind: 'quantity', variantId: id, quantity: 5 }),
      booking.change({ kind: 'add', variantId: id }),
      booking.change({ kind: 'step', step: -1 }),
      booking.change({ kind: 'add', variantId: id }),
      booking.change({ kind: 'add', variantId: id }),
    ])
    expect(quantities()).toEqual([['BAR-HZ-12', 4]])
  })

  it('is read again when the booking is next opened, if it could not be read before', async () => {
    desk.world.failures['modification:draft'] = failure('store.unavailable')
    await booking.load()
    expect(booking.loadFailure?.code).toBe('store.unavailable')
    desk.world.failures = {}
    await booking.visit()
    expect(booking.draft).not.toBeNull()
  })
})

describe('making a booking from the draft', () => {
  it('sends nothing and names the missing parts if the draft is not complete', async () => {
    await scan(oats, 'SDCMDPRIMARY')
    expect(booking.draft?.missing).toEqual(['reason', 'location'])
    expect(desk.calls).not.toContain('modification:book')
    expect(sounds.at(-1)).toBe('look')
  })

  it('saves the typed note, then empties the draft and shows the booking', async () => {
    await fill()
    booking.typeNote('wet')
    await scan('SDCMDPRIMARY')
    expect(booking.shown).toMatchObject({ note: 'wet', reason: 'DEFECTIVE', create: 'queued' })
    expect(booking.draft?.lines).toEqual([])
    expect(booking.begun).toBe(false)
    expect(sounds.at(-1)).toBe('done')
  })

  it('makes only one booking when PRIMARY is scanned twice', async () => {
    await fill()
    await scan('SDCMDPRIMARY', 'SDCMDPRIMARY')
    expect(desk.world.modifications).toHaveLength(1)
    expect(sounds.at(-1)).toBe('look')
  })

  it('shows the booking only until the next change of the draft', async () => {
    await fill()
    await scan('SDCMDPRIMARY', oats)
    expect(booking.shown).toBeNull()
    expect(quantities()).toEqual([['BAR-HZ-12', 1]])
  })

  it('keeps every line of the draft if the booking cannot be saved', async () => {
    await fill()
    desk.world.failures['modification:book'] = failure('store.full')
    await scan('SDCMDPRIMARY')
    expect(quantities()).toHaveLength(1)
    expect(booking.echo).toMatchObject({ kind: 'failed', failure: { code: 'store.full' } })
    expect(sounds.at(-1)).toBe('stop')
  })

  it('is refused if the login lacks the role for bookings, but is possible after the login has expired', async () => {
    await fill()
    session = { ...signedIn, roles: [wireRole('ARTICLES_READ')] }
    expect(booking.canBook).toBe(false)
    await booking.book()
    expect(desk.calls).not.toContain('modification:book')
    session = { ...session, state: 'expired' }
    expect(booking.canBook).toBe(true)
  })
})

describe('a saved booking', () => {
  it('plays one further sound if the service refuses it, and none while it waits for the connection', async () => {
    await fill()
    await scan('SDCMDPRIMARY')
    sounds = []
    const [made] = desk.world.modifications
    if (!made) throw new Error('nothing was booked')
    desk.putModification({ ...made, failure: failure('network.offline') })
    expect(booking.shown && booking.booked.phaseOf(booking.shown)).toBe('waiting')
    desk.putModification({ ...made, create: 'rejected', failure: failure('api.rejected') })
    desk.putModification({ ...made, create: 'rejected', failure: failure('api.rejected') })
    expect(sounds).toEqual(['stop'])
  })

  it('replaces the draft if the service refused the booking and the operator wants to edit it again', async () => {
    desk.putModification({ ...sampleModification(nowMs), create: 'rejected' })
    await scan(drink)
    expect(await booking.takeBack('mo-1')).toBe(true)
    expect(booking.booked.of('mo-1')?.create).toBe('discarded')
    expect(quantities()).toEqual([['BAR-HZ-12', -2]])
    await booking.undo()
    expect(quantities()).toEqual([['ISO-LE-500', 1]])
  })

  it('cannot become the draft again while it waits to be sent', async () => {
    desk.putModification(sampleModification(nowMs))
    expect(await booking.takeBack('mo-1')).toBe(false)
    expect(sounds.at(-1)).toBe('stop')
  })

  it('needs a decision of the operator if its outcome is unknown; PRIMARY makes no decision', async () => {
    const asked: DeskStatus = {
      ...sampleStatus(nowMs),
      waitingWrites: [
        {
          commandId: commandIdOf('c1'),
          subject: { kind: 'modification', id: 'mo-1' },
          type: 'modification.create',
          state: 'unknown',
          since: sampleShipment(nowMs).asOf,
          title: 'A-03-2',
          brief: null,
          needsOperator: true,
          question: null,
          certainAt: null,
          failure: null,
        },
      ],
    }
    desk.world.status = asked
    desk.putModification({ ...sampleModification(nowMs), create: 'unknown' })
    desk.bridge.on('status', (status) => {
      booking.booked.onStatus(status)
    })
    booking.booked.onStatus(asked)
    booking.booked.onStatus(asked)
    expect(sounds).toEqual(['decide'])
    expect(booking.booked.writeWithQuestion('mo-1')?.commandId).toBe('c1')
    const asks = booking.booked.of('mo-1')
    expect(asks && booking.booked.phaseOf(asks)).toBe('decide')
    await booking.primary()
    expect(desk.calls).not.toContain('queue:decide')
  })
})

describe('the short barcode of a location, scanned in the booking', () => {
  it.each(['96385074', '0142', '142', '7', '12345'])(
    'is read as a code and never as a number of pieces: %s',
    async (code) => {
      await scan(oats)
      const changes = vi.spyOn(desk.bridge.modification, 'change')
      desk.world.locations = [
        ...desk.world.locations,
        { id: 'lc-short', code, source: 'scan', seenAt: ago(nowMs, 1) },
      ]
      await scan(code)
      expect(changes.mock.calls.map(([{ kind }]) => kind)).toEqual(['location'])
      desk.world.locations = []
      await scan(code)
      expect(changes).toHaveBeenCalledTimes(1)
      expect(quantities()).toEqual([['BAR-HZ-12', 1]])
    },
  )
})

describe('an ambiguous code in the booking', () => {
  beforeEach(() => {
    const [first] = sampleLocations(nowMs)
    if (!first) throw new Error('no location')
    desk.world.locations = [...sampleLocations(nowMs), { ...first, id: 'lc-drink', code: drink }]
  })

  it('leads to a question at its first scan only, and each scan adds the chosen article to the draft', async () => {
    await scan(oats, drink)
    expect(booking.scanQuestion.asked?.candidates.map(({ kind }) => kind)).toEqual(['location', 'article'])
    expect(sounds.at(-1)).toBe('decide')
    expect(elsewhere).toEqual([])
    const article = booking.scanQuestion.asked?.candidates[1]
    if (!article) throw new Error('no article')
    await booking.choose(article)
    expect(booking.scanQuestion.asked).toBeNull()
    expect(quantities()).toEqual([
      ['BAR-HZ-12', 1],
      ['ISO-LE-500', 1],
    ])
    // a second scan of the same code leads to no question
    await scan(drink)
    expect(booking.scanQuestion.asked).toBeNull()
    expect(quantities()[1]).toEqual(['ISO-LE-500', 2])
  })

  it('makes the next scanned digit the choice of a meaning, and not a number of pieces', async () => {
    await scan(oats, drink, 'SDCMDTHREE')
    expect(refused).toEqual(['THREE'])
    expect(booking.scanQuestion.asked).not.toBeNull()
    await scan('SDCMDTWO')
    expect(booking.scanQuestion.asked).toBeNull()
    expect(quantities()).toEqual([
      ['BAR-HZ-12', 1],
      ['ISO-LE-500', 1],
    ])
    // after the operator has chosen a meaning, a scanned digit is a number of pieces again
    await scan('SDCMDFIVE', 'SDCMDENTER')
    expect(quantities()[1]).toEqual(['ISO-LE-500', 5])
  })

  it('leads to a question that the next scan closes unless that scan is a command', async () => {
    await scan(drink, oats)
    expect(booking.scanQuestion.asked).toBeNull()
    expect(quantities()).toEqual([['BAR-HZ-12', 1]])
  })

  it('must be answered before PRIMARY, Enter or the button can make the booking', async () => {
    await fill()
    await scan(drink)
    sounds = []
    await scan('SDCMDPRIMARY')
    await booking.primary()
    await booking.book()
    expect([desk.world.modifications, booking.canBook, sounds]).toEqual([[], false, ['look', 'look', 'look']])
    await scan('SDCMDTWO', 'SDCMDPRIMARY')
    expect(desk.world.modifications.map(({ lines }) => lines.length)).toEqual([2])
  })

  it.each(['PRIMARY', 'the button'])(
    'is contained, with its chosen meaning, in the booking that %s makes directly after the choice',
    async (by) => {
      await fill()
      await scan(drink)
      const article = booking.scanQuestion.asked?.candidates[1]
      if (!article) throw new Error('no article')
      await Promise.all([booking.choose(article), by === 'PRIMARY' ? scan('SDCMDPRIMARY') : booking.book()])
      expect(desk.world.modifications.map(({ lines }) => lines.length)).toEqual([2])
    },
  )

  it('is contained, with its chosen meaning, in the booking that PRIMARY makes if the meaning is clicked while the scan of PRIMARY is saved', async () => {
    await fill()
    await scan(drink)
    const article = booking.scanQuestion.asked?.candidates[1]
    if (!article) throw new Error('no article')
    const { submit, choose } = desk.bridge.scan
    vi.spyOn(desk.bridge.scan, 'choose').mockImplementationOnce(async (request) => {
      await new Promise((resolve) => setTimeout(resolve))
      return choose(request)
    })
    vi.spyOn(desk.bridge.scan, 'submit').mockImplementationOnce(async (request) => {
      const saved = await submit(request)
      void booking.choose(article)
      return saved
    })
    await scan('SDCMDPRIMARY')
    expect(desk.world.modifications.map(({ lines }) => lines.length)).toEqual([2])
  })

  it.each([
    ['the scan', 'PRIMARY', 'scan:choose'],
    ['the scan', 'the button', 'scan:choose'],
    ['the draft', 'PRIMARY', 'modification:change'],
    ['the draft', 'the button', 'modification:change'],
  ] as const)(
    'prevents the booking if its chosen meaning cannot be saved in %s while %s waits for the choice',
    async (_, by, call) => {
      await fill()
      await scan(drink)
      const article = booking.scanQuestion.asked?.candidates[1]
      if (!article) throw new Error('no article')
      const primary = (): Promise<void> => (by === 'PRIMARY' ? scan('SDCMDPRIMARY') : booking.book())
      desk.world.failures[call] = failure('store.full')
      await Promise.all([booking.choose(article), primary()])
      expect(desk.world.modifications).toEqual([])
      expect(booking.echo).toMatchObject({ kind: 'failed', failure: { code: 'store.full' } })
      desk.world.failures = {}
      ticksMs += repeatedReadMs
      await primary()
      expect(desk.world.modifications).toHaveLength(1)
    },
  )

  it('prevents the booking by a PRIMARY that directly follows the scan of a choice which cannot be saved', async () => {
    await fill()
    desk.world.failures['scan:choose'] = failure('store.full')
    await scan(drink, 'SDCMDTWO')
    ticksMs += repeatedReadMs - 1
    await scan('SDCMDPRIMARY')
    expect([desk.world.modifications, sounds.at(-1)]).toEqual([[], 'look'])
    expect(booking.echo).toMatchObject({ kind: 'failed', failure: { code: 'store.full' } })
    ticksMs += 1
    await scan('SDCMDPRIMARY')
    expect(desk.world.modifications).toHaveLength(1)
  })

  it('lets PRIMARY book the draft after the operator chose a meaning that opens the stage', async () => {
    await fill()
    const [shipment = sampleShipment(nowMs)] = desk.world.shipments
    desk.world.shipments = [shipment, { ...shipment, id: 'sh-2', reference: 'SHP00000000413' }]
    await scan('WEB-100412', 'SDCMDTWO')
    expect(elsewhere).toMatchObject([{ kind: 'shipment', shipment: { id: 'sh-2' } }])
    await scan('SDCMDPRIMARY')
    expect(desk.world.modifications).toHaveLength(1)
  })

  it('lets PRIMARY of the next operator book the draft after the choice of a meaning could not be saved', async () => {
    await fill()
    desk.world.failures['scan:choose'] = failure('store.full')
    await scan(drink, 'SDCMDTWO')
    await booking.load()
    await scan('SDCMDPRIMARY')
    expect(desk.world.modifications).toHaveLength(1)
  })

  it('leads to a question that Escape closes, and then the draft can be booked', async () => {
    await fill()
    await scan(drink)
    expect([booking.back(), booking.scanQuestion.asked, booking.canBook]).toEqual([true, null, true])
    expect([booking.echo, sounds.at(-1)]).toEqual([{ kind: 'question_closed' }, 'done'])
    expect(booking.back()).toBe(false)
    await booking.book()
    expect(desk.world.modifications.map(({ lines }) => lines.length)).toEqual([1])
  })

  it('leads to a question that a scanned CLEAR closes, also while scanned digits wait', async () => {
    await fill()
    await scan('SDCMDFIVE', drink, 'SDCMDCLEAR')
    expect([booking.scanQuestion.asked, booking.canBook]).toEqual([null, true])
    expect(booking.echo).toEqual({ kind: 'question_closed', lost: '5' })
    await scan('SDCMDPRIMARY')
    expect(desk.world.modifications.map(({ lines }) => lines.length)).toEqual([1])
  })

  it('does not let PRIMARY turn a refused booking back into the draft', async () => {
    await refuse()
    await scan(drink, 'SDCMDPRIMARY')
    expect([booking.draft?.lines, booking.scanQuestion.asked?.raw]).toEqual([[], drink])
  })

  it('leads to no question any more after the stage turned a refused booking back into the draft', async () => {
    const id = await refuse()
    await scan(drink)
    expect([await booking.takeBack(id), booking.scanQuestion.asked]).toEqual([true, null])
  })

  /** Books a draft that the service then refuses. Returns the id of the booking. */
  async function refuse(): Promise<string> {
    await fill()
    await scan('SDCMDPRIMARY')
    const [made] = desk.world.modifications
    if (!made) throw new Error('nothing was booked')
    desk.putModification({ ...made, create: 'rejected', failure: failure('api.rejected') })
    return made.id
  }
})

describe('the lot, expiry date and serial number in a scanned barcode', () => {
  const said = { lot: 'L-7', expiry: '2026-12-31', serial: 'S-1', problems: [], lotId: null }
  const variant = sampleVariants(nowMs)[0]
  const outcome = (over: Partial<typeof variant>): ScanOutcome => {
    if (!variant) throw new Error('no variant')
    const scanned = { scanId: 's', raw: oats, at: variant.asOf }
    return { ...scanned, kind: 'article', variant: { ...variant, ...over }, said }
  }

  it('are added to the note of the booking once, after the typed text, and are removed by undo', async () => {
    booking.typeNote('dented')
    await booking.begin(outcome({}))
    await booking.begin(outcome({}))
    const note = booking.draft?.note ?? ''
    expect(note.split('\n')).toHaveLength(2)
    expect(note).toMatch(/^dented\n.*L-7.*BAR-HZ-12.*2026/)
    await booking.undo()
    await booking.undo()
    expect(booking.note).toBe('dented')
  })

  it('are added to the note only if the article is expirable (lot, expiry date) or has serial numbers (serial number)', async () => {
    await booking.begin(outcome({ expirable: false, usingSerialNumbers: false }))
    expect(booking.note).toBe('')
    await booking.begin(outcome({ expirable: false, usingSerialNumbers: true }))
    expect(booking.note).toMatch(/S-1/)
    expect(booking.note).not.toMatch(/L-7/)
  })
})
