import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isWords, StageState } from '#features/stage/stage.state.svelte.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { DeskStatus, SessionView } from '#shared/bridge/views.ts'
import type { Command } from '#shared/domain/commands.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { wireRole } from '#shared/wire/roles.ts'
import { sampleVariants } from '#support/memory-desk/catalogue.ts'
import { printedLabel, sampleLabel } from '#support/memory-desk/labels.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { sampleModification } from '#support/memory-desk/modifications.ts'
import { sampleShipment } from '#support/memory-desk/scans.ts'
import { sampleStatus, signedIn } from '#support/memory-desk/station.ts'
import { commandIdOf, labelIdOf } from '#support/ids.ts'

const nowMs = Date.parse('2026-11-21T14:07:00Z')
const shipment = sampleShipment(nowMs)

let desk: MemoryDesk
let session: SessionView
let sounds: string[]
let commands: Command[]
let forms: string[]
let bookings: string[]
let stage: StageState
let isShown: boolean

function begin(bridge: ScandeskBridge = desk.bridge): StageState {
  stage = new StageState({
    bridge,
    session: () => session,
    play: (sound) => sounds.push(sound),
    onCommand: (command) => commands.push(command),
    onRefused: () => sounds.push('look'),
    onTooSoon: () => sounds.push('look'),
    nowMs: () => performance.now(),
    isShown: () => isShown,
    openForm: ({ kind }) => forms.push(kind),
    onBooking: (id) => bookings.push(id),
  })
  desk.bridge.on('returnLabel', (label) => {
    stage.onLabel(label)
  })
  return stage
}

function waitingWrite(needsOperator: boolean): DeskStatus {
  const subject = { kind: 'return_label' as const, id: labelIdOf('lb-1') }
  const write = {
    commandId: commandIdOf('c1'),
    subject,
    type: 'return_label.create',
    state: 'unknown' as const,
  }
  return {
    ...sampleStatus(nowMs),
    waitingWrites: [
      {
        ...write,
        ...{ since: shipment.asOf, title: '', brief: null, needsOperator },
        ...{ question: null, certainAt: null, failure: null },
      },
    ],
  }
}

beforeEach(() => {
  desk = new MemoryDesk({ ...memoryWorld(() => nowMs), shipments: [shipment] })
  session = signedIn
  isShown = true
  sounds = []
  commands = []
  forms = []
  bookings = []
  begin()
})

describe('a scan on the stage', () => {
  it('opens the card of the scanned shipment, and plays a sound after the scan was saved', async () => {
    const submitted = stage.submit('WEB-100412')
    expect(sounds).toEqual([])
    await submitted
    expect(stage.card).toMatchObject({ kind: 'shipment', labelId: null, outcome: { raw: 'WEB-100412' } })
    expect(sounds).toEqual(['done'])
    expect(stage.primaryAction).toBe('make')
    expect(stage.recent.map(({ title }) => title)).toEqual(['J. de Vries'])
  })

  it('plays the sound `look` when its code is unknown', async () => {
    await stage.submit('8719327004429')
    expect(stage.card).toMatchObject({ kind: 'unknown', outcome: { askedService: true } })
    expect(sounds).toEqual(['look'])
    expect(stage.primaryAction).toBeNull()
  })

  it('plays the sound `stop` when it cannot be saved, and PRIMARY then submits the scan again', async () => {
    desk.world.failures['scan:submit'] = failure('store.full')
    await stage.submit('WEB-100412')
    expect(stage.card).toMatchObject({ kind: 'failed', saved: false, failure: { code: 'store.full' } })
    expect(sounds).toEqual(['stop'])
    desk.world.failures = {}
    await stage.primary()
    expect(stage.card.kind).toBe('shipment')
  })

  it('does not replace the card of a later scan if its own response arrives after that card', async () => {
    let answerFirst = (): void => undefined
    const { submit } = desk.bridge.scan
    begin({
      ...desk.bridge,
      scan: {
        ...desk.bridge.scan,
        submit: async (args) => {
          if (args.raw === 'slow') await new Promise<void>((resolve) => (answerFirst = resolve))
          return submit(args)
        },
      },
    })
    const first = stage.submit('slow')
    await stage.submit('WEB-100412')
    answerFirst()
    await first
    expect(stage.card.kind).toBe('shipment')
    expect(stage.recent.map(({ kind }) => kind)).toEqual(['unknown', 'shipment'])
  })
})

describe('a slow look-up that is shown on a card while it runs', () => {
  /** For each code, the function that ends its look-up. */
  let answers: Map<string, () => void>

  beforeEach(() => {
    vi.useFakeTimers()
    answers = new Map()
    const { scan } = desk.bridge
    const submit: typeof scan.submit = async (args) => {
      if (!args.raw.startsWith('SDCMD')) await new Promise<void>((end) => answers.set(args.raw, end))
      return scan.submit(args)
    }
    begin({ ...desk.bridge, scan: { ...scan, submit } })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  async function answer(raw: string): Promise<void> {
    answers.get(raw)?.()
    await vi.advanceTimersByTimeAsync(0)
  }

  it('keeps its card when the response to an earlier scan arrives', async () => {
    void stage.submit(shipment.reference)
    await vi.advanceTimersByTimeAsync(500)
    expect(stage.card).toEqual({ kind: 'looking', raw: shipment.reference })
    void stage.submit('second')
    await vi.advanceTimersByTimeAsync(500)
    expect(stage.card).toEqual({ kind: 'looking', raw: 'second' })
    await answer(shipment.reference)
    expect(stage.card).toEqual({ kind: 'looking', raw: 'second' })
    expect(stage.primaryAction).toBeNull()
    await answer('second')
    expect(stage.card.kind).toBe('unknown')
    expect(stage.recent.map(({ kind }) => kind)).toEqual(['unknown', 'shipment'])
  })

  it('removes the failure of an act on the previous card', async () => {
    desk.world.failures['returnLabel:make'] = failure('api.unavailable')
    void stage.submit(shipment.reference)
    await answer(shipment.reference)
    await stage.primary()
    expect(stage.actionFailure).not.toBeNull()
    void stage.submit('second')
    await vi.advanceTimersByTimeAsync(500)
    expect([stage.card.kind, stage.actionFailure]).toEqual(['looking', null])
  })

  it('shows its card only after a command that was scanned for the card of an earlier scan has run', async () => {
    void stage.submit(shipment.reference)
    void stage.submit('SDCMDPRIMARY')
    void stage.submit('second')
    await vi.advanceTimersByTimeAsync(500)
    expect(stage.card).toEqual({ kind: 'looking', raw: shipment.reference })
    await answer(shipment.reference)
    expect(desk.calls.filter((call) => call === 'returnLabel:make')).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(500)
    expect(stage.card).toEqual({ kind: 'looking', raw: 'second' })
    expect(sounds).not.toContain('look')
  })

  it('opens a card on which PRIMARY does the primary act at once, although an act on the previous card was done just now', async () => {
    desk.world.shipments = [shipment, { ...shipment, id: 'sh-2', reference: 'SHP00000000413' }]
    for (const raw of [shipment.reference, 'SDCMDPRIMARY', 'SHP00000000413']) void stage.submit(raw)
    await answer(shipment.reference)
    void stage.submit('SDCMDPRIMARY')
    await answer('SHP00000000413')
    expect(desk.calls.filter((call) => call === 'returnLabel:make')).toHaveLength(2)
  })
})

describe('the input field of the stage', () => {
  it('contains an unknown code for correction until the next card opens', async () => {
    await stage.submit('8719327004429')
    expect(stage.typed).toBe('8719327004429')
    await stage.submit('8719327004436')
    expect(stage.typed).toBe('8719327004436')
    await stage.submit(shipment.reference)
    expect(stage.typed).toBe('')
  })

  it('keeps the typed text while cards change', async () => {
    stage.typed = 'WEB-10'
    await stage.submit('8719327004429')
    expect(stage.typed).toBe('WEB-10')
    stage.home()
    expect(stage.typed).toBe('WEB-10')
  })
})

describe('a command scanned on the stage', () => {
  it('makes a label for the previously scanned shipment if the command is PRIMARY, even before the card of this shipment is open', async () => {
    await Promise.all([stage.submit(shipment.reference), stage.submit('SDCMDPRIMARY')])
    expect(desk.calls.filter((call) => call === 'returnLabel:make')).toHaveLength(1)
    expect(stage.phase).toBe('working')
  })

  it('makes only one label if it is PRIMARY and is scanned twice', async () => {
    await Promise.all(
      ['SDCMDHOME', shipment.reference, 'SDCMDPRIMARY', 'SDCMDPRIMARY'].map((raw) => stage.submit(raw)),
    )
    expect(desk.calls.filter((call) => call === 'returnLabel:make')).toHaveLength(1)
  })

  it('has no effect on a card that opened after the command was scanned', async () => {
    let answer = (): void => undefined
    const { submit } = desk.bridge.scan
    begin({
      ...desk.bridge,
      scan: {
        ...desk.bridge.scan,
        submit: async (args) => {
          if (args.raw === 'slow') await new Promise<void>((resolve) => (answer = resolve))
          return submit(args)
        },
      },
    })
    const slow = stage.submit('slow')
    const primary = stage.submit('SDCMDPRIMARY')
    await stage.submit(shipment.reference)
    answer()
    await Promise.all([slow, primary])
    expect(desk.calls).not.toContain('returnLabel:make')
    expect(stage.card.kind).toBe('shipment')
  })

  it('opens the help (HELP), the empty stage (HOME), or is passed to the window (LANGUAGE)', async () => {
    await stage.submit('SDCMDHELP')
    expect(stage.card.kind).toBe('help')
    await stage.submit('sdcmdhome')
    expect(stage.card.kind).toBe('home')
    await stage.submit('SDCMDLANGUAGE')
    expect(commands).toEqual(['LANGUAGE'])
    expect(stage.recent).toEqual([])
  })
})

describe('a label on the stage', () => {
  it('is shown as printed, and one sound is played, even if main reports the print twice', async () => {
    await stage.submit(shipment.reference)
    await stage.runAct('make')
    const made = desk.world.labels[0]
    expect(made).toBeDefined()
    sounds = []
    desk.putLabel({ ...printedLabel(nowMs), id: labelIdOf(made?.id ?? '') })
    desk.putLabel({ ...printedLabel(nowMs), id: labelIdOf(made?.id ?? '') })
    expect(stage.phase).toBe('printed')
    expect(stage.primaryAction).toBeNull()
    expect(sounds).toEqual(['done'])
  })

  it('is not shown again when main reports its new state after the operator has emptied the stage', async () => {
    await stage.submit(shipment.reference)
    stage.home()
    desk.putLabel(sampleLabel(nowMs))
    expect(stage.card.kind).toBe('home')
    expect(stage.label).toBeNull()
  })

  it('is not made when the login lacks a role, and the card names the role', async () => {
    session = { ...signedIn, roles: [wireRole('RETURN_LABELS_CREATE')] }
    await stage.submit(shipment.reference)
    expect(stage.missingRoles).toEqual(['RETURN_LABELS_REQUEST'])
    await stage.submit('SDCMDPRIMARY')
    expect(desk.calls).not.toContain('returnLabel:make')
  })

  it('has a card that stays open and shows the failure if the label cannot be made', async () => {
    desk.world.failures['returnLabel:make'] = failure('api.unavailable')
    await stage.submit(shipment.reference)
    await stage.primary()
    expect(stage.actionFailure?.code).toBe('api.unavailable')
    expect(stage.primaryAction).toBe('make')
    await stage.submit(shipment.reference)
    expect(stage.actionFailure).toBeNull()
  })

  it.each([
    ['return_label.method_unsupported', 'method'],
    ['return_label.already_requested', null],
    ['api.role_missing', null],
    ['api.rejected', null],
    ['document.host_refused', null],
    ['document.not_a_pdf', 'make'],
    ['session.unknown_customer', 'make'],
  ] as const)('that was stopped by %s offers as its primary act: %s', async (code, primary) => {
    desk.world.labels = [{ ...sampleLabel(nowMs), create: 'rejected', failure: failure(code) }]
    await stage.submit(shipment.reference)
    expect(stage.phase).toBe('stopped')
    expect(stage.primaryAction).toBe(primary)
    await stage.submit('SDCMDPRIMARY')
    expect(desk.calls.includes('returnLabel:make')).toBe(primary === 'make')
    expect(forms).toEqual(primary === 'method' ? ['shipment'] : [])
  })

  it('can be printed again only after its PDF is stored', async () => {
    desk.world.labels = [sampleLabel(nowMs)]
    await stage.submit(shipment.reference)
    await stage.submit('SDCMDREPRINT')
    expect(desk.calls).not.toContain('returnLabel:reprint')
    desk.putLabel(printedLabel(nowMs))
    await stage.submit('SDCMDREPRINT')
    await stage.submit('SDCMDDAMAGED')
    expect(desk.calls).toContain('returnLabel:reprint')
  })

  it('needs a decision of the operator if the outcome of its creation is unknown, and Enter makes no decision', async () => {
    desk.world.labels = [{ ...sampleLabel(nowMs), create: 'unknown' }]
    await stage.submit(shipment.reference)
    expect(stage.phase).toBe('checking')
    desk.world.status = waitingWrite(true)
    for (const label of [...desk.world.labels, ...desk.world.labels]) desk.putLabel(label)
    expect(stage.phase).toBe('decide')
    expect(sounds).toEqual(['done', 'decide'])
    expect(stage.primaryAction).toBeNull()
    await stage.primary()
    expect(desk.calls).not.toContain('queue:decide')
  })
})

describe('the labels that main had before the window opened', () => {
  it('lead to exactly one sound if one of them waits for a decision, even if they are loaded twice', async () => {
    desk.world.labels = [
      { ...sampleLabel(nowMs), create: 'unknown' },
      { ...printedLabel(nowMs), id: labelIdOf('lb-2') },
    ]
    desk.world.status = waitingWrite(true)
    await stage.load()
    await stage.load()
    expect(sounds).toEqual(['decide'])
  })
})

describe('the card of a booking on the stage', () => {
  it('passes the id of its booking to the window when PRIMARY is scanned', async () => {
    stage.showModification('mo-1')
    await stage.submit('SDCMDPRIMARY')
    expect(bookings).toEqual(['mo-1'])
  })
})

describe('the rail of the stage', () => {
  it('shows the card of an earlier scan again without a new look-up; the card has the label that was made since the scan', async () => {
    await stage.submit(shipment.reference)
    await stage.runAct('make')
    stage.home()
    const before = desk.calls.length
    const [entry] = stage.recent
    if (!entry) throw new Error('the rail is empty')
    await stage.bringBack(entry)
    expect(desk.calls).toHaveLength(before)
    expect(stage.card).toMatchObject({ kind: 'shipment', labelId: desk.world.labels[0]?.id })
  })

  it('lists the scans by their times, even if the look-up of a later scan ends first', () => {
    for (const second of [1, 3, 2]) {
      const at = new Date(nowMs + second * 1_000).toISOString()
      const scan = { scanId: `s-${second}`, raw: `scan ${second}`, at }
      stage.note({ ...scan, kind: 'failed', failure: failure('internal.unexpected') })
    }
    expect(stage.recent.map(({ raw }) => raw)).toEqual(['scan 3', 'scan 2', 'scan 1'])
  })

  it('keeps the last ten scans; the card of a label that is opened without a scan has no scanned text', async () => {
    for (let i = 0; i < 12; i++) await stage.submit(`unknown ${String(i)}`)
    expect(stage.recent).toHaveLength(10)
    desk.world.labels = [sampleLabel(nowMs)]
    await stage.showLabel(labelIdOf('lb-1'))
    expect(stage.card).toEqual({ kind: 'label', raw: null, labelId: 'lb-1', swap: null })
  })
})

describe('an article on the stage', () => {
  beforeEach(() => {
    desk.world.variants = sampleVariants(nowMs)
  })

  it('offers to book stock, and PRIMARY then passes the command BOOK to the window', async () => {
    await stage.submit('8712345678906')
    expect(stage.card).toMatchObject({ kind: 'article', outcome: { variant: { id: 'va-1' } } })
    expect(stage.recent.map(({ title }) => title)).toEqual(['Oat bar hazelnut 12 pcs'])
    await stage.submit('SDCMDPRIMARY')
    expect(commands).toEqual(['BOOK'])
  })

  it('offers no booking when the login lacks the role for bookings', async () => {
    session = { ...signedIn, roles: [] }
    await stage.submit('8712345678906')
    await stage.primary()
    expect(stage.missingRoles).toEqual(['MODIFICATIONS_CREATE'])
    expect(commands).toEqual([])
    expect(sounds).toEqual(['done', 'look'])
  })
})

describe('the outcome of a scan that another screen passes to the stage', () => {
  it('opens a card, plays a sound, and is added once to the list of recent scans', async () => {
    const result = await desk.bridge.scan.submit({ raw: shipment.reference, expect: 'stock' })
    if (!result.ok) throw new Error(result.error.code)
    stage.showOutcome(result.value)
    expect(stage.card.kind).toBe('shipment')
    expect(stage.recent).toHaveLength(1)
    expect(sounds).toEqual(['done'])
  })

  it('is added to the list of recent scans and opens no card if the other screen has handled the scan', async () => {
    desk.world.modifications = [{ ...sampleModification(nowMs), reference: 'MOD00000000123' }]
    const result = await desk.bridge.scan.submit({ raw: 'MOD00000000123', expect: 'stock' })
    if (!result.ok) throw new Error(result.error.code)
    stage.note(result.value)
    expect(stage.card.kind).toBe('home')
    expect(stage.recent.map(({ kind, title }) => [kind, title])).toEqual([['modification', 'MOD00000000123']])
  })
})

describe('input on the stage that is not a code', () => {
  it('opens, if it is a badge, a card with the user name on the badge, and plays the sound `look`', async () => {
    await stage.submit('SDUSRjansen')
    expect(stage.card).toEqual({ kind: 'badge', username: 'jansen' })
    expect(sounds).toEqual(['look'])
  })

  it.each([
    ['linen shirt', true],
    ['crème', true],
    ['8712345678906', false],
    ['WEB-100412', false],
    ['A-03-2', false],
    ['SDCMDHELP', false],
  ])('“%s” is recognised as words to search for: %s', (text, words) => {
    expect(isWords(text)).toBe(words)
  })
})
