import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { ScanExpectation, ScanOutcome } from '#shared/bridge/scan-views.ts'
import { parseCommand } from '#shared/domain/commands.ts'
import { parseNamed } from '#shared/domain/named-commands.ts'
import { normaliseCode } from '#shared/domain/references.ts'
import { fail, ok } from '#shared/errors/result.ts'
import type { MemoryCore } from './memory-core.ts'
import { ago } from './sample-views.ts'

interface Scanned {
  readonly scanId: string
  readonly raw: string
  readonly at: string
}

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
  }
}

function titleOf(outcome: ScanOutcome): string | null {
  if (outcome.kind === 'shipment') return outcome.shipment.reference
  if (outcome.kind === 'article') return outcome.variant.name
  if (outcome.kind === 'location') return outcome.location.code
  return outcome.kind === 'modification' ? outcome.modification.reference : null
}

function look({ world }: MemoryCore, scanned: Scanned, expect: ScanExpectation): ScanOutcome {
  const command = parseCommand(scanned.raw) ?? parseNamed(scanned.raw)?.name
  if (command) return { ...scanned, kind: 'command', command }
  const code = normaliseCode(scanned.raw)
  const matches = (known: string | null): boolean => known !== null && normaliseCode(known) === code
  const parcel = parcelOf(world, scanned, matches)
  const stock = stockOf(world, scanned, matches)
  const found = expect === 'stock' ? (stock ?? parcel) : (parcel ?? stock)
  if (found) return found
  const { index, catalogue } = world.status
  const known = {
    indexReachesBackTo: index.reachesBackTo,
    indexFilling: world.kept.shipments.state === 'filling',
    articlesAsOf: catalogue.asOf,
  }
  return { ...scanned, ...known, kind: 'unknown', misread: false, askedService: true }
}

type Matches = (known: string | null) => boolean

function parcelOf(world: MemoryCore['world'], scanned: Scanned, matches: Matches): ScanOutcome | null {
  const labelOf = (id: string): ReturnLabelView | null =>
    world.labels.find(({ shipmentId }) => shipmentId === id) ?? null
  const shipment = world.shipments.find(({ reference, orderReference, trackingCodes }) =>
    [reference, orderReference, ...trackingCodes].some(matches),
  )
  if (shipment) return { ...scanned, kind: 'shipment', shipment, label: labelOf(shipment.id) }
  const label = world.labels.find((one) => matches(one.trackingCode) || matches(one.externalReference))
  return label ? { ...scanned, kind: 'return_label', label, swap: world.swap } : null
}

function stockOf(world: MemoryCore['world'], scanned: Scanned, matches: Matches): ScanOutcome | null {
  const variant = world.variants.find(({ articleCode, ean, sku }) => [articleCode, ean, sku].some(matches))
  if (variant) return { ...scanned, kind: 'article', variant }
  const location = world.locations.find(({ id, code }) => matches(id) || matches(code))
  if (location) return { ...scanned, kind: 'location', location, isNew: false }
  const modification = world.modifications.find(({ reference }) => matches(reference))
  return modification ? { ...scanned, kind: 'modification', modification } : null
}
