import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { QueueLine } from '#shared/bridge/queue-views.ts'
import { heard, nowMs, openDeskWindow, openWindowOf, settle } from '#support/desk-window.ts'
import { sampleVariants } from '#support/memory-desk/catalogue.ts'
import { openLabel } from '#support/memory-desk/labels.ts'
import type { MemoryDesk } from '#support/memory-desk/memory-desk.ts'
import { sampleLocations, sampleModification } from '#support/memory-desk/modifications.ts'
import { outcomeLine, sampleLine, withQueue } from '#support/memory-desk/queue.ts'
import { sampleShipment } from '#support/memory-desk/scans.ts'
import { signedIn } from '#support/memory-desk/station.ts'
import type { ScanLine } from '../../../src/app/scan-line.ts'
import type { DeskWindow } from '../../../src/app/window.svelte.ts'
import { labelIdOf } from '#support/ids.ts'

const oats = '8712345678906'
const drink = '8712345678913'

let desk: MemoryDesk
let sounds: string[]
let window: DeskWindow
let scans: ScanLine

/** Opens the window on the desk, or opens it again on the same desk. */
async function begin(between?: (bridge: ScandeskBridge) => ScandeskBridge): Promise<void> {
  ;({ window, scans, sounds } = await openWindowOf(desk, between))
}

function scan(...codes: string[]): void {
  for (const code of codes) scans.take(heard(code))
}

function lines(): [string, number][] {
  return desk.world.draft.lines.map(({ variant, quantity }) => [variant.articleCode, quantity])
}

/** Returns a bridge that responds to each scan with a delay, which is longest for the first scan. */
function slowFirst(bridge: ScandeskBridge): ScandeskBridge {
  let waitMs = 12
  return {
    ...bridge,
    scan: {
      ...bridge.scan,
      submit: async (args) => {
        waitMs = Math.max(0, waitMs - 4)
        await new Promise((resolve) => setTimeout(resolve, waitMs))
        return bridge.scan.submit(args)
      },
    },
  }
}

beforeEach(async () => {
  ;({ desk, window, scans, sounds } = await openDeskWindow({
    shipments: [{ ...sampleShipment(nowMs), lines: [] }],
    variants: sampleVariants(nowMs),
    locations: sampleLocations(nowMs),
  }))
})

describe('the queue of scans after fast scans', () => {
  it('adds booking lines in the order of the scans, and loses none', async () => {
    await begin(slowFirst)
    scan('SDCMDBOOK', oats, drink, oats, 'SDCMDDEFECTIVE', 'A-03-2', 'SDCMDPRIMARY')
    await vi.waitFor(() => {
      expect(desk.world.modifications).toHaveLength(1)
    })
    expect(desk.world.modifications[0]?.lines.map(({ quantity }) => quantity)).toEqual([-2, -1])
    expect(desk.world.recent.map(({ raw }) => raw).toReversed()).toEqual([
      'SDCMDBOOK',
      oats,
      drink,
      oats,
      'SDCMDDEFECTIVE',
      'A-03-2',
      'SDCMDPRIMARY',
    ])
  })

  it('makes the label of a parcel, and books nothing, if the parcel and then PRIMARY are scanned while a booking is open', async () => {
    desk.world.draft = {
      ...desk.world.draft,
      reason: 'LOST',
      location: sampleLocations(nowMs)[0] ?? null,
      lines: sampleVariants(nowMs).map((variant) => ({ variant, quantity: -1 })),
      missing: [],
    }
    await window.places.modification.load()
    window.openBooking()
    scan('WEB-100412', 'SDCMDPRIMARY')
    await vi.waitFor(() => {
      expect(desk.calls).toContain('returnLabel:make')
    })
    expect(desk.calls).not.toContain('modification:book')
    expect(window.place).toBe('stage')
    expect(lines()).toHaveLength(3)
  })

  it('handles the scans that follow a scan whose handling failed', async () => {
    let calls = 0
    await begin((bridge) => ({
      ...bridge,
      scan: {
        ...bridge.scan,
        submit: (args) => (++calls === 2 ? Promise.reject(new Error('broken')) : bridge.scan.submit(args)),
      },
    }))
    scan('SDCMDBOOK', oats, drink)
    await settle()
    expect(lines()).toEqual([['ISO-LE-500', 1]])
    expect(sounds).toContain('stop')
  })
})

describe('the queue of scans after a slow command', () => {
  beforeEach(() => begin(slowFirst))

  it('opens the stage for a parcel that is scanned before the slow command has opened another place', async () => {
    scan('SDCMDLABELS', 'WEB-100412')
    await settle()
    await settle()
    expect(window.place).toBe('stage')
    expect(window.places.stage.card.kind).toBe('shipment')
  })

  it('adds the article to the booking if a code with two meanings, the digit that chooses the article, and BOOK are scanned one after the other', async () => {
    const [variant] = sampleVariants(nowMs)
    if (!variant) throw new Error('no variant')
    desk.world.variants = [{ ...variant, articleCode: 'WEB-100412' }]
    scan('WEB-100412', 'SDCMDTWO', 'SDCMDBOOK')
    await vi.waitFor(() => {
      expect(lines()).toEqual([['WEB-100412', 1]])
    })
    expect(window.place).toBe('modification')
  })
})

describe('the command to book (BOOK, or PRIMARY on a card)', () => {
  it('adds the article on the stage to the booking, even before the look-up of the article has ended', async () => {
    await begin(slowFirst)
    scan(oats, 'SDCMDBOOK', drink)
    await vi.waitFor(() => {
      expect(lines()).toHaveLength(2)
    })
    expect(lines()).toEqual([
      ['BAR-HZ-12', 1],
      ['ISO-LE-500', 1],
    ])
  })

  it('opens the booking with the location on the stage when PRIMARY is scanned while the card of a location is shown', async () => {
    scan('A-03-2')
    await settle()
    scan('SDCMDPRIMARY')
    await settle()
    expect(window.place).toBe('modification')
    expect(desk.world.draft.location?.code).toBe('A-03-2')
  })

  it('adds nothing when it is scanned again in the booking, or without an article on the stage', async () => {
    scan(oats, 'SDCMDBOOK', 'SDCMDBOOK')
    await settle()
    scan('SDCMDHOME', 'SDCMDBOOK')
    await settle()
    expect(lines()).toEqual([['BAR-HZ-12', 1]])
  })

  it('is refused on the card of an article when the operator lacks the role', async () => {
    desk.putSession({ ...signedIn, roles: [] })
    scan(oats)
    await settle()
    sounds.length = 0
    window.runPrimary()
    await settle()
    expect(window.place).toBe('stage')
    expect(sounds).toEqual(['look'])
  })
})

describe('leaving a booking with HOME', () => {
  it('keeps the draft, and lets the next scan be shown on the stage', async () => {
    scan('SDCMDBOOK', oats, 'SDCMDHOME', drink)
    await settle()
    expect(window.place).toBe('stage')
    expect(window.places.stage.card.kind).toBe('article')
    expect(lines()).toEqual([['BAR-HZ-12', 1]])
    expect(window.places.modification.begun).toBe(true)
  })
})

describe('the places other than the stage and the booking', () => {
  it.each([
    ['SDCMDLABELS', 'labels'],
    ['SDCMDHAND', 'label_form'],
    ['SDCMDLOCATIONS', 'locations'],
    ['SDCMDQUEUE', 'queue'],
    ['SDCMDPRINTS', 'prints'],
  ] as const)('open by a command (%s: %s), and close at the scan of a parcel', async (command, kind) => {
    scan(command)
    await settle()
    expect(window.place).toBe(kind)
    scan('SDCMDREPRINT')
    await settle()
    expect(sounds.at(-1)).toBe('look')
    scan('WEB-100412')
    await settle()
    expect(window.place).toBe('stage')
    expect(window.places.stage.card.kind).toBe('shipment')
  })

  it('do not let scanned commands act on the card that the place covers', async () => {
    scan('WEB-100412')
    await settle()
    scan('SDCMDLOCATIONS')
    await settle()
    scan('SDCMDPRIMARY')
    await settle()
    expect(desk.calls).not.toContain('returnLabel:make')
    scan('SDCMDHOME')
    await settle()
    expect(window.places.stage.card.kind).toBe('home')
  })

  it('are closed by a command for another place, and can be opened by a command while the booking is open', async () => {
    scan('SDCMDLOCATIONS')
    await settle()
    scan('SDCMDBOOK')
    await settle()
    expect(window.place).toBe('modification')
    scan('SDCMDLABELS')
    await settle()
    expect(window.place).toBe('labels')
  })
})

describe('the queue of writes while it is open', () => {
  beforeEach(async () => {
    desk.world.queue = { lines: [outcomeLine(nowMs, [])], notices: [] }
    scan('SDCMDQUEUE')
    await settle()
    window.places.queue.open('q-outcome')
  })

  it('takes the scan that confirms a decision, and passes a scan to the stage when no decision is open', async () => {
    scan('SDCMDRESEND')
    await settle()
    scan(drink)
    await settle()
    expect(window.place).toBe('queue')
    expect(desk.calls).not.toContain('queue:decide')
    expect(window.places.stage.recent[0]?.raw).toBe(drink)
    scan(oats)
    await settle()
    expect(desk.world.decided.map(({ decision }) => decision.kind)).toEqual(['send_again'])
    scan(oats)
    await settle()
    expect(window.place).toBe('stage')
    expect(window.places.stage.card.kind).toBe('article')
  })

  it('is closed by three scans of HOME: the first closes the decision, the second the write, the third the queue', async () => {
    scan('SDCMDRESEND')
    await settle()
    const steps: string[] = []
    for (let i = 0; i < 3; i++) {
      scan('SDCMDHOME')
      await settle()
      steps.push(
        `${window.places.queue.step.kind} ${window.places.queue.opened?.key ?? 'list'} ${window.place}`,
      )
    }
    expect(steps).toEqual(['choose q-outcome queue', 'choose list queue', 'choose list stage'])
  })

  it('is read again each time the desk sends its status, but not after the queue is closed', async () => {
    desk.calls.length = 0
    window.onStatus(desk.world.status)
    await settle()
    expect(desk.calls).toContain('queue:list')
    window.goHome()
    desk.calls.length = 0
    window.onStatus(desk.world.status)
    await settle()
    expect(desk.calls).not.toContain('queue:list')
  })
})

describe('a write that needs a decision', () => {
  const asking = async (...lines: QueueLine[]): Promise<void> => {
    desk.world.queue = { lines, notices: [] }
    desk.world.status = withQueue(desk.world.status, desk.world.queue)
    desk.emit('status', desk.world.status)
    window.onStatus(desk.world.status)
    await settle()
  }

  it('opens when QUEUE is scanned while the card of its booking is shown, but not when QUEUE is scanned elsewhere', async () => {
    desk.putModification({ ...sampleModification(nowMs), create: 'unknown' })
    await asking(outcomeLine(nowMs, []))
    scan('SDCMDQUEUE')
    await settle()
    expect(window.place).toBe('queue')
    expect(window.places.queue.opened).toBeNull()
    window.showModification('mo-1')
    scan('SDCMDQUEUE')
    await settle()
    expect(window.places.queue.opened?.key).toBe('q-outcome')
  })

  it('opens when QUEUE is scanned while the card of its booking is shown, even before the status of the desk contains the write', async () => {
    desk.putModification({ ...sampleModification(nowMs), create: 'unknown' })
    desk.world.queue = { lines: [outcomeLine(nowMs, [])], notices: [] }
    window.showModification('mo-1')
    scan('SDCMDQUEUE')
    await settle()
    expect(window.places.queue.opened?.key).toBe('q-outcome')
  })

  it('becomes the draft again when PRIMARY is scanned while its card is shown, if the write is a booking that the service refused', async () => {
    desk.putModification({ ...sampleModification(nowMs), create: 'rejected' })
    const question = { kind: 'refused' } as const
    await asking(sampleLine(nowMs, { state: 'rejected', waitsFor: 'operator', question }))
    window.showModification('mo-1')
    scan('SDCMDPRIMARY')
    await settle()
    expect(window.place).toBe('modification')
    expect(lines()).toEqual([['BAR-HZ-12', -2]])
    expect(desk.world.status.unsent.asking).toBe(0)
    // the barcode PRIMARY has no effect on the card of a booking that the service accepted, because only a refused
    // booking can be edited again
    desk.putModification({ ...sampleModification(nowMs), id: 'mo-2', create: 'done' })
    window.showModification('mo-2')
    scan('SDCMDPRIMARY')
    await settle()
    expect(window.place).toBe('stage')
    expect(sounds.at(-1)).toBe('look')
  })
})

describe('a write that the operator edits', () => {
  it('opens the place where the operator made the write', async () => {
    desk.world.labels = [openLabel(nowMs)]
    window.openEdit({ place: 'modification' })
    expect(window.place).toBe('modification')
    window.openEdit({ place: 'label', labelId: labelIdOf('lb-1') })
    await settle()
    expect(window.places.stage.card).toMatchObject({ kind: 'label', labelId: 'lb-1' })
    desk.world.labelDraft = { shippingMethodId: null, externalReference: 'RL-1', sender: {} }
    window.openEdit({ place: 'label_form' })
    await settle()
    expect(window.place).toBe('label_form')
    expect(window.places.label_form.reference).toBe('RL-1')
  })
})

describe('the list of the last scans', () => {
  it('shows the card of an old scan that the operator chooses, without a new entry in the journal', async () => {
    desk.world.recent = [
      {
        scanId: 'old',
        raw: 'WEB-100412',
        at: '2026-11-21T08:00:00Z',
        kind: 'shipment',
        title: 'J. de Vries',
      },
    ]
    await begin()
    window.openLocations()
    const [entry] = window.places.stage.recent
    if (!entry) throw new Error('the rail is empty')
    window.bringBack(entry)
    await settle()
    expect(window.places.stage.card.kind).toBe('shipment')
    expect(desk.calls).toContain('scan:lookup')
    expect(desk.calls).not.toContain('scan:submit')
    expect(desk.world.recent).toHaveLength(1)
    expect(window.places.stage.recent.map(({ scanId }) => scanId)).toEqual(['old'])
  })

  it('shows the failure when an old scan cannot be looked up', async () => {
    desk.world.recent = [
      { scanId: 'old', raw: 'WEB-1', at: '2026-11-21T08:00:00Z', kind: 'failed', title: null },
    ]
    await begin()
    desk.world.failures['scan:lookup'] = { code: 'network.offline', params: {} }
    const [entry] = window.places.stage.recent
    if (entry) window.bringBack(entry)
    await settle()
    expect(window.places.stage.card).toMatchObject({ kind: 'failed', saved: true })
  })
})
