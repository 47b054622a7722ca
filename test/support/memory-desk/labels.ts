import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type {
  LabelEntry,
  LabelList,
  LabelLook,
  LabelMode,
  ReturnLabelView,
} from '#shared/bridge/label-views.ts'
import { listedLabelState } from '#shared/domain/label-phase.ts'
import { foldText } from '#shared/domain/text-forms.ts'
import { isOnPaper } from '#shared/domain/print-job.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import type { SenderAddress, SenderAddressPatch } from '#shared/wire/address.ts'
import { ago, factsOf, type MemoryCore, withState } from './memory-core.ts'
import { labelIdOf, serverLabelIdOf } from '../ids.ts'

/** An empty address, to which known fields are added. */
export const noSender: SenderAddress = {
  addressed_to: null,
  contact_person: null,
  street: null,
  street2: null,
  street_number: null,
  street_number_addition: null,
  zipcode: null,
  city: null,
  country: null,
  state: null,
  phone_number: null,
  mobile_number: null,
  fax_number: null,
  email_address: null,
}

/** A full address of a person who returns a parcel. */
export const sampleSender: SenderAddress = {
  ...noSender,
  addressed_to: 'Zoë Ångström',
  street: 'Lange Voorhout',
  street_number: '8',
  street_number_addition: 'bis',
  zipcode: '2514 ED',
  city: 'Den Haag',
  country: 'NL',
  email_address: 'zoe@example.com',
}

/**
 * A label whose creation has not begun. To get a label in another state, a test
 * changes its fields and passes it to `withState`.
 */
export function sampleLabel(nowMs: number): ReturnLabelView {
  return withState({
    id: labelIdOf('lb-1'),
    serverId: null,
    origin: 'desk',
    shipmentId: 'sh-412',
    shipmentReference: 'SHP00000000412',
    shippingMethodId: null,
    externalReference: null,
    trackingCode: null,
    sender: null,
    asked: null,
    create: 'queued',
    patch: null,
    request: 'queued',
    cancel: null,
    requested: false,
    cancelled: false,
    stored: false,
    print: null,
    failure: null,
    createdAt: ago(nowMs, 0),
    asOf: null,
    told: 0,
  })
}

/** The sample label in its final state: printed, and confirmed by the printer. */
export function printedLabel(nowMs: number): ReturnLabelView {
  return withState({
    ...sampleLabel(nowMs),
    serverId: serverLabelIdOf('f8a3'),
    externalReference: 'RL-8841.R',
    trackingCode: '3SRETR7654321',
    create: 'done',
    request: 'done',
    requested: true,
    asOf: ago(nowMs, 0),
    stored: true,
    print: {
      id: 'pj-1',
      state: 'confirmed',
      printer: 'Zebra ZD421',
      printerTitle: 'Zebra ZD421',
      file: null,
      isReprint: false,
      mayBeOnPaper: true,
      asks: false,
      scanProves: true,
      unlisted: [],
      at: ago(nowMs, 0),
      failure: null,
    },
  })
}

/** A label that was made but not requested yet. */
export function openLabel(nowMs: number): ReturnLabelView {
  return withState({
    ...sampleLabel(nowMs),
    serverId: serverLabelIdOf('f8a3'),
    externalReference: 'RL-8841',
    sender: sampleSender,
    create: 'done',
    request: null,
    createdAt: ago(nowMs, 4),
    asOf: ago(nowMs, 0),
  })
}

/** Labels of other desks as the list shows them, the newest first. */
export function sampleEntries(nowMs: number, count = 12): LabelEntry[] {
  const people = [
    ['Łukasz Wiśniewski', 'Poznań'],
    ['M. Jansen-van Oldenbarnevelt', 'Amersfoort'],
    ['Bäckerei Großmann', 'Köln'],
    ['F. Dupont', 'Liège'],
    ['C. Rossi', 'Rotterdam'],
  ] as const
  const states: readonly LabelEntry['state'][] = [
    'requested',
    'requested',
    'unrequested',
    'requested',
    'cancelled',
  ]
  return Array.from({ length: count }, (_, i) => {
    const [name, city] = people[i % people.length] ?? people[0]
    const state = states[i % states.length] ?? 'requested'
    const serial = String(8840 - i)
    return {
      labelId: null,
      serverId: serverLabelIdOf(`srv-${serial}`),
      externalReference: state === 'requested' ? `RL-${serial}.R` : `RL-${serial}`,
      trackingCode: state === 'requested' ? `3SRETR${String(7654300 - i)}` : null,
      shipmentReference: i % 4 === 3 ? null : `SHP${String(411 - i).padStart(11, '0')}`,
      senderName: name,
      senderCity: city,
      state,
      printed: false,
      createdAt: ago(nowMs, 20 + i * 95),
      asOf: ago(nowMs, 3),
    }
  })
}

export function labelMethods(desk: MemoryCore): ScandeskBridge['returnLabel'] {
  const { world } = desk
  const label = (id: string): Result<ReturnLabelView> => {
    const found = world.labels.find((known) => known.id === id)
    return found ? ok(desk.shown(found)) : fail('return_label.unknown')
  }
  const change = (
    id: string,
    changes: (known: ReturnLabelView) => Partial<ReturnLabelView>,
  ): Result<ReturnLabelView> => {
    const found = label(id)
    if (!found.ok) return found
    const changed = { ...found.value, ...changes(found.value) }
    return ok(desk.putLabel(changed))
  }
  return {
    make: ({ mode, request }) =>
      desk.call('returnLabel:make', () => {
        const made = makeLabel(desk, mode, request)
        return ok(desk.putLabel(made))
      }),
    look: ({ shipmentId }) => desk.call('returnLabel:look', () => ok(lookOf(desk, shipmentId))),
    request: ({ id }) =>
      desk.call('returnLabel:request', () => change(id, () => ({ request: 'queued', failure: null }))),
    patch: ({ id, sender }) =>
      desk.call('returnLabel:patch', () =>
        change(id, (known) => ({
          patch: 'queued',
          failure: null,
          sender: { ...noSender, ...known.sender, ...given(sender) },
        })),
      ),
    cancel: ({ id }) =>
      desk.call('returnLabel:cancel', () => change(id, () => ({ cancel: 'queued', failure: null }))),
    get: ({ id }) => desk.call('returnLabel:get', () => label(id)),
    open: ({ serverId }) =>
      desk.call('returnLabel:open', () => {
        const known = world.labels.find((one) => one.serverId === serverId)
        if (known) return ok(desk.shown(known))
        const entry = world.serviceLabels.find((one) => one.serverId === serverId)
        if (!entry) return fail('return_label.unknown')
        const opened = ownLabel(desk, entry)
        return ok(desk.putLabel(opened))
      }),
    recent: () => desk.call('returnLabel:recent', () => ok(world.labels.map((one) => desk.shown(one)))),
    search: ({ text }) => desk.call('returnLabel:search', () => ok(search(desk, text))),
    reprint: ({ id, reason }) =>
      desk.call('returnLabel:reprint', () => {
        world.reprinted = [...world.reprinted, { id, reason }]
        return change(id, (known) => ({ print: printAgain(desk, known) }))
      }),
    readDraft: () => desk.call('returnLabel:readDraft', () => ok(world.labelDraft)),
    writeDraft: (draft) => desk.call('returnLabel:writeDraft', () => ok((world.labelDraft = draft))),
  }
}

function lookOf(desk: MemoryCore, shipmentId: string): LabelLook {
  const { world } = desk
  const given = world.looks[shipmentId]
  if (given) return { ...given, label: given.label && desk.shown(given.label) }
  const { line, index } = world.status
  return line.state === 'offline'
    ? { state: 'unasked', label: null, asOf: index.syncedAt, failure: null }
    : { state: 'none', label: null, asOf: ago(world.nowMs(), 0), failure: null }
}

/** Returns the present print of the label if this print waits or is being sent. Otherwise returns a new print. */
function printAgain(desk: MemoryCore, { print }: ReturnLabelView): ReturnLabelView['print'] {
  if (print?.state === 'queued' || print?.state === 'sending') return print
  const isReprint = print !== null && print.state !== 'refused' && print.state !== 'failed'
  const { name: printer, title: printerTitle } = desk.world.status.printer
  const at = ago(desk.world.nowMs(), 0)
  const shared = { state: 'queued', file: null, failure: null, mayBeOnPaper: false, asks: false } as const
  return {
    id: desk.id('pj'),
    printer,
    printerTitle,
    isReprint,
    scanProves: !isReprint,
    at,
    ...shared,
    unlisted: [],
  }
}

function makeLabel(desk: MemoryCore, mode: LabelMode, request: boolean): ReturnLabelView {
  const { world } = desk
  const shared = {
    ...sampleLabel(world.nowMs()),
    id: labelIdOf(desk.id('lb')),
    shippingMethodId: mode.shippingMethodId,
    sender: mode.sender && { ...noSender, ...given(mode.sender) },
    request: request ? ('queued' as const) : null,
  }
  if (mode.by === 'hand')
    return {
      ...shared,
      shipmentId: null,
      shipmentReference: null,
      externalReference: mode.externalReference,
    }
  const shipment = world.shipments.find(({ id }) => id === mode.shipmentId)
  return {
    ...shared,
    shipmentId: mode.shipmentId,
    shipmentReference: shipment?.reference ?? mode.shipmentId,
    patch: mode.sender ? 'queued' : null,
  }
}

function ownLabel(desk: MemoryCore, entry: LabelEntry): ReturnLabelView {
  const { serverId, externalReference, trackingCode, shipmentReference, createdAt, asOf } = entry
  return {
    ...sampleLabel(desk.world.nowMs()),
    id: labelIdOf(desk.id('lb')),
    serverId,
    origin: 'service',
    shipmentId: null,
    shipmentReference,
    externalReference,
    trackingCode,
    sender: { ...noSender, addressed_to: entry.senderName, city: entry.senderCity },
    create: 'done',
    request: null,
    requested: entry.state === 'requested',
    cancelled: entry.state === 'cancelled',
    createdAt,
    asOf,
  }
}

/** Returns the given fields. A field with the value undefined is omitted. */
function given(sender: SenderAddressPatch): Partial<SenderAddress> {
  return Object.fromEntries(Object.entries(sender).filter(([, value]) => value !== undefined))
}

function search({ world }: MemoryCore, text: string): LabelList {
  const found = [...world.labels.map(entryOf), ...world.serviceLabels]
    .filter((entry) => matches(entry, text))
    .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
  const { syncedAt, reachesBackTo } = world.status.index
  const labels = found.slice(0, 200)
  return { labels, found: found.length, isPartial: false, asOf: syncedAt, reachesBackTo }
}

function matches(entry: LabelEntry, text: string): boolean {
  const { externalReference, trackingCode, shipmentReference, senderName, senderCity } = entry
  const known = [externalReference, trackingCode, shipmentReference, senderName, senderCity]
  return known.some((value) => value !== null && foldText(value).includes(foldText(text)))
}

function entryOf(label: ReturnLabelView): LabelEntry {
  const { serverId, externalReference, trackingCode, shipmentReference, createdAt, asOf } = label
  return {
    labelId: label.id,
    serverId,
    externalReference,
    trackingCode,
    shipmentReference,
    senderName: label.sender?.addressed_to ?? null,
    senderCity: label.sender?.city ?? null,
    state: listedLabelState(factsOf(label)),
    printed: label.print !== null && isOnPaper(label.print.state, label.print.file !== null),
    createdAt,
    asOf,
  }
}
