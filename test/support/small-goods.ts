import type { World, WorldModification, WorldVariant } from '#middleware/warehouse/world.ts'
import { smallId } from './small-id.ts'

/** Ids of the goods in the small world. The goods belong to ALDER unless the name of the id contains `birch`. */
export const smallGoods = {
  shirt: smallId(31),
  birchArticle: smallId(32),
  tea: smallId(33),
  shirtRed: smallId(41),
  birchVariant: smallId(42),
  shirtBlue: smallId(43),
  teaBox: smallId(44),
  shelf: smallId(61),
  backRoom: smallId(62),
  inbound: smallId(71),
  birchInbound: smallId(72),
  batches: [81, 82, 83].map(smallId),
  birchBatch: smallId(84),
  modifications: [91, 92, 93].map(smallId),
  birchModification: smallId(94),
  pickType: smallId(101),
} as const

function variant(
  id: string,
  articleCode: string,
  rest: Pick<WorldVariant, 'articleId' | 'customerId'> & Partial<WorldVariant>,
): WorldVariant {
  return {
    id,
    articleCode,
    name: `Variant ${articleCode}`,
    description: null,
    ean: '8712345678906',
    sku: `SKU-${articleCode}`,
    hsTariffCode: null,
    height: 10,
    depth: 20,
    width: 30,
    weight: 400,
    expirable: false,
    countryOfOrigin: 'NL',
    usingSerialNumbers: true,
    value: 9.95,
    createdAt: '2026-01-01T08:00:00Z',
    ...rest,
  }
}

type Goods = Pick<World, 'articles' | 'variants' | 'locations' | 'locationTypes'>

/** ALDER has tea, and a shirt in two colours. BIRCH has one article, whose variant has the EAN of the red shirt. */
export function makeSmallGoods(alder: string, birch: string): Goods {
  const createdAt = '2026-01-01T08:00:00Z'
  const shirt = { articleId: smallGoods.shirt, customerId: alder }
  return {
    articles: [
      { id: smallGoods.shirt, customerId: alder, name: 'Shirt', createdAt: '2026-01-02T08:00:00Z' },
      { id: smallGoods.tea, customerId: alder, name: 'Cardamom tea', createdAt: '2026-01-03T08:00:00Z' },
      { id: smallGoods.birchArticle, customerId: birch, name: 'Birch thing', createdAt },
    ],
    variants: [
      variant(smallGoods.shirtRed, 'A-1', shirt),
      variant(smallGoods.shirtBlue, 'A-2', {
        ...shirt,
        ean: '4006381333931',
        sku: null,
        createdAt: '2026-01-02T08:00:00Z',
      }),
      variant(smallGoods.teaBox, 'A-0', {
        articleId: smallGoods.tea,
        customerId: alder,
        name: 'Box of tea',
        ean: null,
        expirable: true,
        usingSerialNumbers: false,
        height: null,
        value: null,
        createdAt: '2026-01-03T08:00:00Z',
      }),
      variant(smallGoods.birchVariant, 'B-1', { articleId: smallGoods.birchArticle, customerId: birch }),
    ],
    locations: [
      { id: smallGoods.shelf, code: 'A-01-01', pickable: true },
      { id: smallGoods.backRoom, code: 'BULK-01', pickable: false },
    ],
    locationTypes: [
      { code: 'PICK', name: 'Shelf', transport: false, pickable: true, administrationCode: '100' },
      { code: 'BULK', name: 'Bulk', transport: false, pickable: false, administrationCode: null },
      { code: 'CART', name: 'Cart', transport: true, pickable: false, administrationCode: '900' },
    ].map((type, index) => ({
      id: smallId(101 + index),
      ...type,
      createdAt: `2026-01-0${3 - index}T08:00:00Z`,
    })),
  }
}

type Stock = Pick<World, 'inbounds' | 'batches' | 'modifications' | 'bundles' | 'transfers'>

/**
 * ALDER has three lots of one inbound (the second lot is empty) and three modifications, one in each status. BIRCH has
 * one lot, one inbound and one modification.
 */
export function makeSmallStock(alder: string, birch: string): Stock {
  const inbound = {
    externalReference: 'PO-1',
    isReturn: false,
    status: 'completed',
    type: 'announced',
    inboundDate: '2026-02-01',
    note: null,
    metaData: {},
    documents: [],
    qualityControls: [],
    createdAt: '2026-02-01T09:00:00Z',
  } as const
  const batch = { customerId: alder, locationId: smallGoods.shelf, inboundId: smallGoods.inbound }
  const line = (variantId: string, quantity: number) => ({
    variantId,
    quantity,
    processed: quantity,
    packingSlip: quantity,
    serialNumbers: [],
    metaData: {},
  })
  return {
    inbounds: [
      {
        ...inbound,
        id: smallGoods.inbound,
        customerId: alder,
        reference: 'INB00000000001',
        lines: [line(smallGoods.teaBox, 12), line(smallGoods.shirtRed, 7)],
      },
      {
        ...inbound,
        id: smallGoods.birchInbound,
        customerId: birch,
        reference: 'INB00000000002',
        isReturn: true,
        lines: [line(smallGoods.birchVariant, 3)],
      },
    ],
    batches: [
      {
        ...batch,
        variantId: smallGoods.teaBox,
        quantity: 5,
        expirationDate: '2026-06-20',
        createdAt: '2026-02-03T09:00:00Z',
      },
      {
        ...batch,
        variantId: smallGoods.teaBox,
        quantity: 0,
        expirationDate: '2026-05-01',
        createdAt: '2026-02-02T09:00:00Z',
      },
      {
        ...batch,
        variantId: smallGoods.shirtRed,
        quantity: 7,
        expirationDate: null,
        createdAt: '2026-02-01T09:00:00Z',
      },
      {
        ...batch,
        customerId: birch,
        variantId: smallGoods.birchVariant,
        inboundId: smallGoods.birchInbound,
        quantity: 3,
        expirationDate: null,
        createdAt: '2026-02-01T09:00:00Z',
      },
    ].map((lot, index) => ({ id: smallId(81 + index), ...lot })),
    bundles: [],
    transfers: [],
    modifications: (['approved', 'disapproved', 'created', 'created'] as const).map((status, index) =>
      modification(index, { status, customerId: index === 3 ? birch : alder }),
    ),
  }
}

function modification(
  index: number,
  rest: Pick<WorldModification, 'status' | 'customerId'>,
): WorldModification {
  return {
    id: smallId(91 + index),
    reference: `MOD0000000000${index + 1}`,
    reason: (['LOST', 'DEFECTIVE', 'CORRECTION', 'LOST'] as const)[index] ?? 'LOST',
    note: `Note ${index + 1}`,
    lines: [
      {
        variantId: index === 3 ? smallGoods.birchVariant : smallGoods.shirtRed,
        locationId: index % 2 === 0 ? smallGoods.shelf : smallGoods.backRoom,
        quantity: index - 4,
      },
    ],
    // The second modification is the newest, so that the order by time differs from the order by id.
    createdAt: `2026-04-0${[1, 9, 3, 4][index] ?? 5}T09:00:00Z`,
    modifiedAt: `2026-04-1${index}T09:00:00Z`,
    ...rest,
  }
}
