import type { LabelEntry, ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { MethodList } from '#shared/bridge/stock-views.ts'
import type { SenderAddress } from '#shared/wire/address.ts'
import { ago } from './sample-views.ts'

/** An address that says nothing; spread over it what is known. */
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

/** A full address of somebody who returns a parcel. */
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

/** A label at its very start; spread over it what a state needs. */
export function sampleLabel(nowMs: number): ReturnLabelView {
  return {
    id: 'lb-1',
    serverId: null,
    origin: 'desk',
    shipmentId: 'sh-412',
    shipmentReference: 'SHP00000000412',
    shippingMethodId: null,
    externalReference: null,
    trackingCode: null,
    sender: null,
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
  }
}

/** The same label at its end: printed, and the printer said so. */
export function printedLabel(nowMs: number): ReturnLabelView {
  return {
    ...sampleLabel(nowMs),
    serverId: 'f8a3',
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
      unlisted: [],
      at: ago(nowMs, 0),
      failure: null,
    },
  }
}

/** A label that was made and not requested yet. */
export function openLabel(nowMs: number): ReturnLabelView {
  return {
    ...sampleLabel(nowMs),
    serverId: 'f8a3',
    externalReference: 'RL-8841',
    sender: sampleSender,
    create: 'done',
    request: null,
    createdAt: ago(nowMs, 4),
    asOf: ago(nowMs, 0),
  }
}

/** Labels of other desks as the list shows them, newest first. */
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
      serverId: `srv-${serial}`,
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

export function sampleMethods(nowMs: number): MethodList {
  return {
    methods: [
      { id: 'sm-1', code: 'PNL-STD', description: 'Parcel Standard', shipper: 'PostNL' },
      { id: 'sm-2', code: 'PNL-MBX', description: 'Mailbox parcel', shipper: 'PostNL' },
      { id: 'sm-3', code: 'DHL-CON', description: 'Connect', shipper: 'DHL' },
      { id: 'sm-4', code: 'DHL-RET', description: 'Return Connect', shipper: 'DHL' },
      { id: 'sm-5', code: 'DPD-CLS', description: 'Classic', shipper: 'DPD' },
      {
        id: 'sm-6',
        code: 'UPS-STD-RTN',
        description: 'Standard Return with print at the shop',
        shipper: 'UPS',
      },
    ],
    asOf: ago(nowMs, 3),
  }
}
