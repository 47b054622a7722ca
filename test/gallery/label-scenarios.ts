import { m } from '#messages/messages.js'
import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { CatalogueView } from '#shared/bridge/views.ts'
import { labelCommands } from '#shared/domain/label-commands.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { SenderAddress } from '#shared/wire/address.ts'
import { wireRole } from '#shared/wire/roles.ts'
import { sampleCatalogue } from '#support/memory-desk/catalogue.ts'
import {
  openLabel,
  printedLabel,
  sampleEntries,
  sampleLabel,
  sampleSender,
} from '#support/memory-desk/labels.ts'
import { ago, type MemoryWorld } from '#support/memory-desk/memory-core.ts'
import { labelBrief, outcomeLine, withQueue } from '#support/memory-desk/queue.ts'
import { sampleStatus, signedIn } from '#support/memory-desk/station.ts'
import { type Scenario, type Step, world } from './scenario.ts'
import { labelIdOf } from '#support/ids.ts'

/** Return labels: their form, their list, the actions on a label, and the articles of a return. */

const shipmentCard: Step = { scan: 'SHP00000000412' }
const labelCard: Step = { scan: 'RL-8841' }

function withLabel(
  nowMs: number,
  change: Partial<ReturnLabelView>,
  by: 'hand' | 'shipment' = 'shipment',
): MemoryWorld {
  const origin = by === 'hand' ? { shipmentId: null, shipmentReference: null } : {}
  return world(nowMs, { labels: [{ ...openLabel(nowMs), ...origin, ...change }] })
}

const reader = {
  ...signedIn,
  username: 'kijker',
  roles: [wireRole('SHIPMENTS_READ'), wireRole('RETURN_LABELS_READ')],
}

function withCatalogue(nowMs: number, catalogue: Partial<CatalogueView>): MemoryWorld {
  const status = { ...sampleStatus(nowMs), catalogue: { ...sampleCatalogue(nowMs), ...catalogue } }
  return world(nowMs, { status })
}

const typedSender: readonly Step[] = [
  { type: { into: m.form_addressed_to, text: 'Zoë Ångström' } },
  { type: { into: m.form_street, text: 'Lange Voorhout' } },
  { type: { into: m.form_street_number, text: '8' } },
  { type: { into: m.form_zipcode, text: '2514 ED' } },
  { type: { into: m.form_city, text: 'Den Haag' } },
  { type: { into: m.form_country, text: 'NL' } },
]

const longSender: SenderAddress = {
  ...sampleSender,
  addressed_to: 'Maximiliane Freifrau von und zu Hohenstein-Wackersdorf',
  street: 'Obere Donaudampfschifffahrtsgesellschaftsstraße',
  street_number: '128 a',
  zipcode: '94032',
  city: 'Passau-Innstadt',
  country: 'DE',
}

const form: readonly Scenario[] = [
  {
    name: 'form-hand',
    world: (now) => world(now),
    steps: [{ scan: 'SDCMDHAND' }],
    sizes: 'both',
    narrow: true,
  },
  {
    name: 'form-hand-missing',
    world: (now) => world(now),
    steps: [
      { scan: 'SDCMDHAND' },
      { type: { into: m.form_addressed_to, text: 'Zoë Ångström' } },
      { type: { into: m.form_street_number, text: '128 a achter' } },
      { type: { into: m.form_city, text: 'x'.repeat(94) } },
      { scan: 'SDCMDPRIMARY' },
    ],
  },
  {
    name: 'form-hand-kept',
    world: (now) =>
      world(now, {
        labelDraft: {
          shippingMethodId: 'sm-3',
          externalReference: 'KLACHT-2026-118',
          sender: {
            addressed_to: 'Zoë Ångström',
            street: 'Lange Voorhout',
            street_number: '8',
            country: 'NL',
          },
        },
      }),
    steps: [{ scan: 'SDCMDHAND' }],
  },
  {
    name: 'form-hand-refused',
    narrow: true,
    world: (now) =>
      world(now, {
        failures: { 'returnLabel:make': failure('return_label.address_invalid', { field: 'zipcode' }) },
      }),
    steps: [{ scan: 'SDCMDHAND' }, { click: '[name=method]' }, ...typedSender, { scan: 'SDCMDPRIMARY' }],
    sizes: 'both',
  },
  {
    name: 'form-no-methods',
    world: (now) => world(now, { methods: { methods: [], asOf: null } }),
    steps: [{ scan: 'SDCMDHAND' }],
  },
  {
    name: 'form-no-role',
    world: (now) => world(now, { session: reader }),
    steps: [{ scan: 'SDCMDHAND' }],
  },
  {
    name: 'form-shipment',
    world: (now) => world(now),
    steps: [shipmentCard, { scan: 'SDCMDMETHOD' }],
    sizes: 'both',
  },
  { name: 'form-change', world: (now) => withLabel(now, {}), steps: [labelCard, { scan: 'SDCMDADDRESS' }] },
]

const list: readonly Scenario[] = [
  {
    name: 'list',
    world: (now) =>
      world(now, {
        labels: [
          { ...sampleLabel(now), sender: sampleSender, failure: failure('network.offline') },
          { ...printedLabel(now), id: labelIdOf('lb-4'), sender: sampleSender, createdAt: ago(now, 4) },
          { ...openLabel(now), id: labelIdOf('lb-2'), createdAt: ago(now, 9) },
          {
            ...openLabel(now),
            id: labelIdOf('lb-3'),
            externalReference: 'RL-8841-B',
            create: 'rejected',
            failure: failure('api.rejected'),
            createdAt: ago(now, 16),
          },
        ],
        serviceLabels: sampleEntries(now, 14),
      }),
    steps: [{ scan: 'SDCMDLABELS' }],
    sizes: 'both',
  },
  {
    name: 'list-next',
    world: (now) => world(now, { labels: [], serviceLabels: sampleEntries(now) }),
    steps: [{ scan: 'SDCMDLABELS' }, { scan: 'SDCMDNEXT' }, { scan: 'SDCMDNEXT' }],
  },
  {
    name: 'list-many',
    world: (now) => world(now, { serviceLabels: sampleEntries(now, 260) }),
    steps: [{ scan: 'SDCMDLABELS' }],
  },
  {
    name: 'list-offline',
    world: (now) => {
      const status = sampleStatus(now)
      return world(now, {
        serviceLabels: sampleEntries(now, 5),
        status: {
          ...status,
          line: { state: 'offline', since: ago(now, 12), failure: failure('network.offline') },
          index: { ...status.index, syncedAt: ago(now, 47) },
          catalogue: { ...status.catalogue, asOf: ago(now, 13) },
        },
      })
    },
    steps: [{ scan: 'SDCMDLABELS' }],
  },
  { name: 'list-none', world: (now) => world(now), steps: [{ scan: 'SDCMDLABELS' }] },
  {
    name: 'list-loading',
    world: (now) => world(now, { hanging: new Set(['returnLabel:search']) }),
    steps: [{ scan: 'SDCMDLABELS' }],
  },
]

const cards: readonly Scenario[] = [
  { name: 'label-unrequested', world: (now) => withLabel(now, {}), steps: [shipmentCard], sizes: 'both' },
  {
    name: 'label-hand',
    world: (now) => withLabel(now, { sender: longSender, externalReference: 'RL-8841' }, 'hand'),
    steps: [labelCard],
    sizes: 'both',
  },
  {
    name: 'label-cancel-asked',
    world: (now) => withLabel(now, {}),
    steps: [shipmentCard, { scan: 'SDCMDCANCEL' }],
    sizes: 'both',
  },
  {
    name: 'label-cancelling',
    world: (now) => withLabel(now, { cancel: 'sending' }),
    steps: [shipmentCard],
  },
  {
    name: 'label-cancelled',
    world: (now) => withLabel(now, { cancel: 'done', cancelled: true }),
    steps: [shipmentCard],
  },
  { name: 'label-changing', world: (now) => withLabel(now, { patch: 'queued' }), steps: [shipmentCard] },
  {
    name: 'label-not-changed',
    world: (now) =>
      withLabel(now, {
        patch: 'rejected',
        failure: failure('return_label.address_invalid', { field: 'zipcode' }),
      }),
    steps: [shipmentCard],
  },
  {
    name: 'label-overtaken',
    world: (now) => {
      const { externalReference, trackingCode, requested, stored } = printedLabel(now)
      return withLabel(now, {
        cancel: 'rejected',
        externalReference,
        trackingCode,
        requested,
        stored,
        failure: failure('return_label.already_requested'),
      })
    },
    steps: [shipmentCard],
    sizes: 'both',
  },
  {
    name: 'label-elsewhere',
    world: (now) => world(now, { serviceLabels: sampleEntries(now, 3) }),
    steps: [{ scan: 'SDCMDLABELS' }, { click: '[data-entry]' }],
  },
  {
    name: 'label-refused',
    world: (now) =>
      withLabel(now, {
        create: 'rejected',
        request: 'queued',
        failure: failure('api.rejected', { status: 400 }),
      }),
    steps: [shipmentCard],
  },
  {
    name: 'label-reader',
    world: (now) => ({ ...withLabel(now, {}), session: reader }),
    steps: [shipmentCard],
  },
  {
    name: 'label-failed',
    world: (now) =>
      world(now, { failures: { 'returnLabel:make': failure('api.unavailable', { status: 503 }) } }),
    steps: [shipmentCard, { scan: 'SDCMDPRIMARY' }],
  },
  {
    name: 'label-decide-cancel',
    world: (now) => {
      const held = { failure: failure('return_label.outcome_unknown') }
      const line = outcomeLine(now, [], { brief: labelBrief, type: labelCommands.cancel, ...held })
      const queue = { lines: [line], notices: [] }
      const status = withQueue(sampleStatus(now), queue)
      return { ...withLabel(now, { cancel: 'unknown', ...held }), queue, status }
    },
    steps: [shipmentCard],
  },
]

const around: readonly Scenario[] = [
  {
    name: 'catalogue-filling',
    world: (now) =>
      withCatalogue(now, {
        state: 'filling',
        variants: 0,
        asOf: null,
        progress: { rows: 12_400, expected: 48_200, rowsPerSecond: 310, secondsLeft: 116 },
      }),
    steps: [shipmentCard],
  },
  {
    name: 'catalogue-stopped',
    world: (now) => withCatalogue(now, { asOf: ago(now, 95), failure: failure('network.interrupted') }),
    steps: [shipmentCard],
  },
]

export const labelScenarios: readonly Scenario[] = [...form, ...list, ...cards, ...around]
