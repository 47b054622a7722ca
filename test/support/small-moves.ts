import { inboundStatuses, type InboundStatus, transferStatuses } from '#shared/domain/resource-states.ts'
import type { World, WorldInbound, WorldPaper, WorldTransfer } from '#middleware/warehouse/world.ts'
import { smallGoods } from './small-goods.ts'
import { smallId } from './small-id.ts'
import { makeSmallWorld, smallIds } from './small-world.ts'

/**
 * Ids of records that are not in the small world, which is the test data of makeSmallWorld(). The records belong to
 * ALDER unless the name of the id contains `birch`.
 */
export const smallMoves = {
  /** Ids of inbounds in the order of `inboundStatuses`: announced, process_no_announcement, awaiting_transfer, … */
  inbounds: inboundStatuses.map((_, index) => smallId(201 + index)),
  controls: [231, 232].map(smallId),
  paper: smallId(241),
  photographs: [242, 243].map(smallId),
  bundles: [251, 252].map(smallId),
  birchBundle: smallId(253),
  /**
   * Ids of transfers in the order of `transferStatuses`: created, requested, processing, denied, accepted, cancelled.
   */
  transfers: transferStatuses.map((_, index) => smallId(261 + index)),
  birchTransfer: smallId(267),
} as const

/** A user with all roles but without access to transfers. */
export const notGranted = 'not-granted'

/**
 * Returns the small world with these additions: for ALDER an inbound and a transfer in each status, and two bundles;
 * for BIRCH one bundle and one transfer; and the user `notGranted`. The completed inbound has two quality controls: one
 * with two documents, and one without documents.
 */
export function makeMovingWorld(): World {
  const world = makeSmallWorld()
  const roles = world.users[0]?.roles ?? []
  const customerIds = [smallIds.alder, smallIds.birch]
  const user = { id: smallId(29), username: notGranted, password: `${notGranted}-secret-word` }
  return {
    ...world,
    users: [...world.users, { ...user, roles, customerIds }],
    inbounds: [...world.inbounds, ...inboundStatuses.map(inbound)],
    bundles: [
      bundle(smallMoves.bundles[0], smallGoods.teaBox, [smallGoods.shirtRed, smallGoods.shirtBlue]),
      bundle(smallMoves.bundles[1], smallGoods.shirtBlue, [smallGoods.shirtRed]),
      {
        ...bundle(smallMoves.birchBundle, smallGoods.birchVariant, [smallGoods.birchVariant]),
        customerId: smallIds.birch,
      },
    ],
    transfers: [
      ...transferStatuses.map((status, index) => transfer(index, { status })),
      transfer(6, {
        status: 'created',
        customerId: smallIds.birch,
        toCustomerId: smallIds.alder,
        lines: [line(6, smallGoods.birchVariant, smallGoods.shirtRed)],
      }),
    ],
  }
}

function inbound(status: InboundStatus, index: number): WorldInbound {
  const isCompleted = status === 'completed'
  return {
    id: smallMoves.inbounds[index] ?? '',
    customerId: smallIds.alder,
    reference: `INB0000000001${index}`,
    externalReference: `PO-1${index}`,
    isReturn: isCompleted,
    status,
    type: (['announced', 'unannounced', 'import'] as const)[index % 3] ?? 'announced',
    // The later an inbound was created, the earlier its `inboundDate`.
    inboundDate: `2026-05-1${9 - index}`,
    note: index === 0 ? 'Ring twice' : null,
    metaData: index === 0 ? { supplier: 'north' } : {},
    lines: [
      {
        variantId: smallGoods.shirtRed,
        quantity: 3,
        processed: isCompleted ? 2 : null,
        packingSlip: 4,
        serialNumbers: isCompleted ? ['SN-1', 'SN-2'] : [],
        metaData: index === 0 ? { pallet: '7' } : {},
      },
    ],
    documents: isCompleted ? [paper(smallMoves.paper, 'Packing slip.pdf', 'packing_slip')] : [],
    qualityControls: isCompleted ? controls() : [],
    createdAt: `2026-05-0${index + 1}T09:00:00Z`,
  }
}

function controls(): WorldInbound['qualityControls'] {
  const [first = '', second = ''] = smallMoves.controls
  const seen = {
    wasDeliveryAppointment: true,
    hadPackingList: false,
    wasCorrectQuantity: true,
    hadProperMarkings: false,
    boxCondition: 'Wet',
  }
  return [
    {
      ...seen,
      id: second,
      palletCount: '1',
      comments: '',
      documents: [],
      createdAt: '2026-05-09T12:00:00Z',
    },
    {
      ...seen,
      id: first,
      palletCount: '2.5',
      comments: 'Two boxes open',
      documents: smallMoves.photographs.map((id, index) => paper(id, `Dock ${index + 1}.pdf`, 'photograph')),
      createdAt: '2026-05-09T10:00:00Z',
    },
  ]
}

function paper(id: string, title: string, documentType: string): WorldPaper {
  const content = new TextEncoder().encode('%PDF-1.4 small')
  return { id, title, documentType, mimeType: 'application/pdf', content, createdAt: '2026-05-09T10:30:00Z' }
}

function bundle(
  id: string | undefined,
  variantId: string,
  parts: readonly string[],
): World['bundles'][number] {
  const number = Number((id ?? '').slice(-3))
  return {
    id: id ?? '',
    customerId: smallIds.alder,
    variantId,
    items: parts.map((part, index) => ({
      id: smallId(number * 10 + index),
      variantId: part,
      quantity: index + 1,
    })),
    createdAt: `2026-05-0${number - 250}T09:00:00Z`,
  }
}

function transfer(
  index: number,
  rest: Pick<WorldTransfer, 'status'> & Partial<WorldTransfer>,
): WorldTransfer {
  return {
    id: smallMoves.transfers[index] ?? smallMoves.birchTransfer,
    serial: index + 1,
    customerId: smallIds.alder,
    toCustomerId: smallIds.birch,
    externalReference: `TR-${index + 1}`,
    cancelNote: null,
    lines: [line(index, smallGoods.shirtRed, smallGoods.birchVariant)],
    // The second transfer is the newest, so that the order by time differs from the order by id.
    createdAt: `2026-05-0${[1, 9, 3, 4, 5, 6, 7][index] ?? 8}T09:00:00Z`,
    ...rest,
  }
}

function line(index: number, fromVariantId: string, toVariantId: string): WorldTransfer['lines'][number] {
  return { id: smallId(271 + index), fromVariantId, toVariantId, quantity: 5, finalizedQuantity: 0 }
}
