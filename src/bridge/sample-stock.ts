import type {
  LocationTypeList,
  LocationView,
  LotsView,
  ModificationDraft,
  ModificationView,
  StockView,
  VariantView,
} from '#shared/bridge/stock-views.ts'
import { ago } from './sample-views.ts'

export const emptyDraft: ModificationDraft = {
  reason: null,
  location: null,
  lines: [],
  note: '',
  step: 1,
  canUndo: false,
  missing: ['reason', 'location', 'lines'],
  corrects: null,
}

export function sampleVariants(nowMs: number): VariantView[] {
  const variant = (id: string, name: string, articleCode: string, ean: string | null): VariantView => ({
    id,
    name,
    articleCode,
    description: null,
    ean,
    sku: `SKU-${articleCode}`,
    expirable: true,
    usingSerialNumbers: false,
    asOf: ago(nowMs, 12),
  })
  return [
    variant('va-1', 'Oat bar hazelnut 12 pcs', 'BAR-HZ-12', '8712345678906'),
    variant('va-2', 'Isotonic drink lemon 500 ml', 'ISO-LE-500', '8712345678913'),
    variant('va-3', 'Linen shirt blue M', 'ART-12-BL-M', '8712345678920'),
  ]
}

/** `days` from the local day of `nowMs`, as views carry days. */
function day(nowMs: number, days: number): string {
  const date = new Date(nowMs)
  date.setDate(date.getDate() + days)
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${String(date.getFullYear())}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** Five lots: one expired, one that expires soon, two later, one without a date. */
export function sampleLots(nowMs: number): LotsView {
  return {
    variantId: 'va-1',
    lots: [
      {
        id: 'lo-1',
        quantity: 6,
        expirationDate: day(nowMs, -4),
        inboundReference: 'INB00000000031',
        receivedAt: ago(nowMs, 200 * 1440),
      },
      {
        id: 'lo-2',
        quantity: 24,
        expirationDate: day(nowMs, 11),
        inboundReference: 'INB00000000044',
        receivedAt: ago(nowMs, 120 * 1440),
      },
      {
        id: 'lo-3',
        quantity: 240,
        expirationDate: day(nowMs, 96),
        inboundReference: 'INB00000000078',
        receivedAt: ago(nowMs, 30 * 1440),
      },
      {
        id: 'lo-4',
        quantity: 1200,
        expirationDate: day(nowMs, 280),
        inboundReference: 'INB00000000091',
        receivedAt: ago(nowMs, 6 * 1440),
      },
      { id: 'lo-5', quantity: 3, expirationDate: null, inboundReference: null, receivedAt: null },
    ],
    more: false,
    asOf: ago(nowMs, 0),
    source: 'service',
  }
}

export function sampleLocations(nowMs: number): LocationView[] {
  return [
    {
      id: '5f0e1c62-8a3d-4f55-9c1e-0d5f1f3a7b01',
      code: 'A-03-2',
      source: 'import',
      seenAt: ago(nowMs, 2 * 1440),
    },
    {
      id: '5f0e1c62-8a3d-4f55-9c1e-0d5f1f3a7b02',
      code: 'A-03-3',
      source: 'import',
      seenAt: ago(nowMs, 2 * 1440),
    },
    { id: '5f0e1c62-8a3d-4f55-9c1e-0d5f1f3a7b03', code: 'RETOUR-1', source: 'scan', seenAt: ago(nowMs, 40) },
    {
      id: '5f0e1c62-8a3d-4f55-9c1e-0d5f1f3a7b04',
      code: null,
      source: 'modification',
      seenAt: ago(nowMs, 300),
    },
    {
      id: '5f0e1c62-8a3d-4f55-9c1e-0d5f1f3a7b05',
      code: 'Q-01',
      source: 'import',
      seenAt: ago(nowMs, 2 * 1440),
    },
  ]
}

export function sampleLocationTypes(nowMs: number): LocationTypeList {
  return {
    types: [
      { id: 'lt-1', code: 'PICK', name: 'Picking shelf', transport: false, pickable: true },
      { id: 'lt-2', code: 'BULK', name: 'Bulk storage', transport: false, pickable: false },
      { id: 'lt-3', code: 'CART', name: 'Returns cart', transport: true, pickable: false },
    ],
    asOf: ago(nowMs, 3),
  }
}

/** A modification at its very start; spread over it what a state needs. */
export function sampleStock(nowMs: number): StockView {
  return { variantId: 'va-1', salable: 1449, quarantine: 24, asOf: ago(nowMs, 0), source: 'service' }
}

export function sampleModification(nowMs: number): ModificationView {
  const [oats] = sampleVariants(nowMs)
  return {
    id: 'mo-1',
    serverId: null,
    reference: null,
    status: null,
    statusAsOf: null,
    told: 0,
    reason: 'DEFECTIVE',
    location: { id: '5f0e1c62-8a3d-4f55-9c1e-0d5f1f3a7b01', code: 'A-03-2' },
    lines: oats ? [{ variant: oats, quantity: -2 }] : [],
    note: '',
    create: 'queued',
    bookedBy: 'anna',
    failure: null,
    createdAt: ago(nowMs, 1),
    corrects: null,
    correctedBy: null,
  }
}
