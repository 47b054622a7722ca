import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import type {
  ScanCandidate,
  ScanChoiceView,
  ScanExpectation,
  ScanOutcome,
  ShipmentView,
} from '#shared/bridge/scan-views.ts'
import { parseBadge } from '#shared/domain/badge.ts'
import { codeShape, normaliseCode } from '#shared/domain/references.ts'
import { readCommand } from '#shared/domain/commands.ts'
import { fail, ok } from '#shared/errors/result.ts'
import { ago, type MemoryCore } from './memory-core.ts'

export function sampleShipment(nowMs: number): ShipmentView {
  return {
    id: 'sh-412',
    reference: 'SHP00000000412',
    orderReference: 'WEB-100412',
    createdAt: ago(nowMs, 9 * 1440),
    carrier: 'PostNL',
    methodDescription: 'Parcel Standard',
    recipient: {
      name: 'J. de Vries',
      street: 'Witte de Withstraat 64',
      place: '3012 BS Rotterdam',
      country: 'NL',
    },
    sender: {
      addressed_to: 'J. de Vries',
      contact_person: null,
      street: 'Witte de Withstraat',
      street2: null,
      street_number: '64',
      street_number_addition: null,
      zipcode: '3012 BS',
      city: 'Rotterdam',
      country: 'NL',
      state: null,
      phone_number: null,
      mobile_number: null,
      fax_number: null,
      email_address: 'j.devries@example.com',
    },
    trackingCodes: ['3SABCD1234567'],
    lines: [
      {
        quantity: 1,
        name: 'Linen shirt blue M',
        articleCode: 'ART-12-BL-M',
        ean: '8712345678906',
        serialNumbers: [],
      },
      {
        quantity: 2,
        name: 'Sock grey 40-42',
        articleCode: 'SOCK-GR-40',
        ean: '8712345678913',
        serialNumbers: [],
      },
    ],
    asOf: ago(nowMs, 3),
  }
}

interface Scanned {
  readonly scanId: string
  readonly raw: string
  readonly at: string
}

type Subject = Extract<ScanOutcome, { remembered?: ScanChoiceView | undefined }>

export function scanMethods(desk: MemoryCore): ScandeskBridge['scan'] {
  const { world } = desk
  return {
    submit: ({ raw, expect }) =>
      desk.call('scan:submit', () => {
        const scanned = { scanId: desk.id('sc'), raw, at: ago(world.nowMs(), 0) }
        const outcome = look(desk, scanned, expect)
        world.recent = [{ ...scanned, kind: outcome.kind, title: titleOf(outcome) }, ...world.recent]
        return ok(outcome)
      }),
    recent: () => desk.call('scan:recent', () => ok(world.recent)),
    lookup: ({ id }) =>
      desk.call('scan:lookup', () => {
        const entry = world.recent.find(({ scanId }) => scanId === id)
        if (!entry) return fail('api.not_found')
        return ok(look(desk, { scanId: id, raw: entry.raw, at: entry.at }, 'anything'))
      }),
    choose: ({ id, expect, kind, subjectId, forShape }) =>
      desk.call('scan:choose', () => {
        const entry = world.recent.find(({ scanId }) => scanId === id)
        if (!entry) return fail('api.not_found')
        const { raw, at } = entry
        const all = subjectsOf(desk, { scanId: id, raw, at }, expect)
        const found = all.find((one) => candidateOf(one).subjectId === subjectId && one.kind === kind)
        if (!found) return fail('api.not_found')
        const isOneOfSeveral = all.filter((one) => one.kind === kind).length > 1
        const [forCode, shape] = keysOf(raw)
        const remembered = {
          ...(forShape && shape ? shape : forCode),
          expect,
          kind,
          isOneOfSeveral,
          chosenAt: at,
        }
        world.choices = [remembered, ...world.choices.filter((one) => !isSameKey(one, remembered))]
        return ok({ ...found, remembered })
      }),
    forget: (key) =>
      desk.call('scan:forget', () => {
        world.choices = world.choices.filter((one) => !isSameKey(one, key))
        return ok(undefined)
      }),
  }
}

type Key = Pick<ScanChoiceView, 'reach' | 'code' | 'expect'>

function isSameKey(a: Key, b: Key): boolean {
  return a.reach === b.reach && a.code === b.code && a.expect === b.expect
}

function keysOf(raw: string): [Omit<Key, 'expect'>, Omit<Key, 'expect'> | null] {
  const code = normaliseCode(raw)
  const shape = codeShape(code)
  return [{ reach: 'code', code }, shape === null ? null : { reach: 'shape', code: shape }]
}

function titleOf(outcome: ScanOutcome): string | null {
  if (outcome.kind === 'shipment') return outcome.shipment.reference
  if (outcome.kind === 'article') return outcome.variant.name
  if (outcome.kind === 'location') return outcome.location.code
  return outcome.kind === 'modification' ? outcome.modification.reference : null
}

function look(desk: MemoryCore, scanned: Scanned, expect: ScanExpectation): ScanOutcome {
  const { world } = desk
  const station = world.stations.find(({ id }) => id === world.currentStation)
  const reading = readCommand(scanned.raw, station?.commandSecret?.text ?? null)
  if (reading.kind === 'command') return { ...scanned, kind: 'command', command: reading.command }
  if (reading.kind === 'named') return { ...scanned, kind: 'command', command: reading.named.name }
  const username = parseBadge(scanned.raw)
  if (username !== null) return { ...scanned, kind: 'badge', username }
  const all = subjectsOf(desk, scanned, expect)
  const [only] = all
  if (only && all.length === 1) return only
  if (only) return remembered(desk, scanned, expect, all) ?? ambiguous(scanned, expect, all)
  const { index, catalogue, line } = world.status
  const { shipments, returnLabels } = world.kept
  const { state, gapSince } = shipments
  const known = {
    indexReachesBackTo: index.reachesBackTo,
    indexFilling: state === 'filling' || state === 'reading',
    indexGapSince: gapSince,
    indexLeftOut: shipments.leftOut !== 0 || returnLabels.leftOut !== 0,
    articlesAsOf: catalogue.asOf,
    askedService: line.state !== 'offline',
  }
  return { ...scanned, ...known, kind: 'unknown', misread: false, carrier: null }
}

function remembered(
  { world }: MemoryCore,
  { raw }: Scanned,
  expect: ScanExpectation,
  all: readonly Subject[],
): ScanOutcome | null {
  for (const key of keysOf(raw)) {
    const choice = key && world.choices.find((one) => isSameKey(one, { ...key, expect }))
    const found = choice && all.find(({ kind }) => kind === choice.kind)
    if (found) return { ...found, remembered: choice }
  }
  return null
}

function ambiguous(scanned: Scanned, expect: ScanExpectation, all: readonly Subject[]): ScanOutcome {
  const shape = new Set(all.map(({ kind }) => kind)).size > 1 ? codeShape(normaliseCode(scanned.raw)) : null
  return { ...scanned, kind: 'ambiguous', candidates: all.map(candidateOf), shape, expect }
}

function candidateOf(found: Subject): ScanCandidate {
  const candidate = { kind: found.kind, detail: null, at: null }
  switch (found.kind) {
    case 'shipment': {
      const { id, reference, recipient, createdAt } = found.shipment
      return {
        ...candidate,
        subjectId: id,
        title: recipient?.name ?? reference,
        detail: reference,
        at: createdAt,
      }
    }
    case 'return_label':
      return {
        ...candidate,
        subjectId: found.label.id,
        title: found.label.externalReference ?? found.label.id,
      }
    case 'article': {
      const { id, name, articleCode } = found.variant
      return { ...candidate, subjectId: id, title: name, detail: articleCode }
    }
    case 'location':
      return { ...candidate, subjectId: found.location.id, title: found.location.code ?? found.location.id }
    case 'modification':
      return { ...candidate, subjectId: found.modification.id, title: found.modification.reference ?? '' }
  }
}

type Matches = (known: string | null) => boolean

function subjectsOf(desk: MemoryCore, scanned: Scanned, expect: ScanExpectation): Subject[] {
  const { world } = desk
  const code = normaliseCode(scanned.raw)
  const matches = (known: string | null): boolean => known !== null && normaliseCode(known) === code
  const stock = stockOf(world, scanned, matches)
  if (expect === 'stock' && stock.length > 0) return stock
  return [...parcelsOf(desk, scanned, matches), ...stock, ...modificationsOf(world, scanned, matches)]
}

/**
 * Returns the shipments that match a scanned code, each with its label. If no shipment matches, returns the label that
 * matches the code.
 */
function parcelsOf(desk: MemoryCore, scanned: Scanned, matches: Matches): Subject[] {
  const { world } = desk
  const labelOf = (id: string): ReturnLabelView | null => {
    const label = world.labels.find(({ shipmentId }) => shipmentId === id)
    return label ? desk.shown(label) : null
  }
  const shipments = world.shipments.filter(({ reference, orderReference, trackingCodes }) =>
    [reference, orderReference, ...trackingCodes].some(matches),
  )
  if (shipments.length > 0)
    return shipments.map((shipment) => ({
      ...scanned,
      kind: 'shipment',
      shipment,
      label: labelOf(shipment.id),
    }))
  const label = world.labels.find((one) => matches(one.trackingCode) || matches(one.externalReference))
  return label ? [{ ...scanned, kind: 'return_label', label: desk.shown(label), swap: world.swap }] : []
}

function stockOf(world: MemoryCore['world'], scanned: Scanned, matches: Matches): Subject[] {
  const variant = world.variants.find(({ articleCode, ean, sku }) => [articleCode, ean, sku].some(matches))
  const location = world.locations.find(({ id, code }) => matches(id) || matches(code))
  return [
    ...(location ? [{ ...scanned, kind: 'location' as const, location, isNew: false }] : []),
    ...(variant ? [{ ...scanned, kind: 'article' as const, variant }] : []),
  ]
}

function modificationsOf(world: MemoryCore['world'], scanned: Scanned, matches: Matches): Subject[] {
  const modification = world.modifications.find(({ reference }) => matches(reference))
  return modification ? [{ ...scanned, kind: 'modification', modification }] : []
}
