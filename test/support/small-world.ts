import { makeSmallGoods, makeSmallStock, smallGoods } from './small-goods.ts'
import { smallId } from './small-id.ts'
import { makeSmallOrders } from './small-orders.ts'
import type { Role } from '#shared/wire/roles.ts'
import { roles, warehouseRoles } from '#shared/wire/roles.ts'
import type {
  World,
  WorldAddress,
  WorldShipment,
  WorldShippingMethod,
  WorldUser,
} from '#middleware/warehouse/world.ts'

export { smallId }

export const smallIds = {
  alder: smallId(1),
  birch: smallId(2),
  standard: smallId(11),
  express: smallId(12),
  letter: smallId(13),
  everything: smallId(21),
  reader: smallId(22),
  birchOnly: smallId(23),
  warehouse: smallId(28),
  variant: smallGoods.shirtRed,
  birchVariant: smallGoods.birchVariant,
  shipments: [51, 52, 53, 54, 55].map(smallId),
  birchShipment: smallId(56),
} as const

const readRoles: readonly Role[] = roles.filter((role) => role.endsWith('_READ'))

function address(addressedTo: string, country: string): WorldAddress {
  return {
    addressedTo,
    contactPerson: 'Sam Vos',
    street: 'Hofstraat',
    street2: null,
    streetNumber: '12',
    streetNumberAddition: 'b',
    zipcode: '1234 AB',
    city: 'Utrecht',
    country,
    state: null,
    phoneNumber: '+31 30 000 0000',
    mobileNumber: null,
    emailAddress: 'sam@example.org',
  }
}

function method(id: string, code: string, rest: Partial<WorldShippingMethod>): WorldShippingMethod {
  return {
    id,
    code,
    description: `Method ${code}`,
    shipper: 'Shipper',
    shipperCode: 'SHIPPER',
    shippingSoftware: 'Platform',
    administrationCode: `ADM-${code}`,
    carrier: 'polder-post',
    supportsReturnLabels: true,
    labelLayout: '4x6',
    createdAt: `2026-01-0${code.length}T08:00:00Z`,
    ...rest,
  }
}

function user(id: string, username: string, rest: Pick<WorldUser, 'roles' | 'customerIds'>): WorldUser {
  return { id, username, password: `${username}-secret-word`, transfersGranted: true, ...rest }
}

function shipment(number: number, rest: Partial<WorldShipment> = {}): WorldShipment {
  const digits = String(number).padStart(11, '0')
  return {
    id: smallId(50 + number),
    customerId: smallIds.alder,
    reference: `SHP${digits}`,
    poNumber: null,
    orderExternalReference: `WEB-${number}`,
    shipmentExternalReference: null,
    shippingMethodId: smallIds.express,
    shippingAddress: address(`Buyer ${number}`, 'NL'),
    labels: [
      {
        labelCode: `L${number}`,
        trackingCode: `T${number}`,
        trackingUrl: `https://track.example.org/T${number}`,
      },
    ],
    lines: [{ variantId: smallIds.variant, quantity: number, serialNumbers: [`SN-${number}`] }],
    createdAt: `2026-03-0${number}T10:00:00Z`,
    ...rest,
  }
}

/**
 * Creates the small world, test data that a reader can remember. It has the customers ALDER (with a default return
 * method) and BIRCH (without one), three shipping methods (LETTER does not support return labels), the goods of
 * small-goods.ts, and six shipments (five of ALDER, then one of BIRCH). Its users are one for both customers, one who
 * only reads, one of BIRCH only, and one of the warehouse.
 */
export function makeSmallWorld(): World {
  const both = [smallIds.alder, smallIds.birch]
  const createdAt = '2026-01-01T08:00:00Z'
  return {
    wmsCode: 'DEV',
    customers: [
      {
        id: smallIds.alder,
        code: 'ALDER',
        name: 'Alder & Co',
        returnShippingMethodId: smallIds.standard,
        returnAddress: address('Alder returns', 'NL'),
        createdAt,
      },
      {
        id: smallIds.birch,
        code: 'BIRCH',
        name: 'Birch BV',
        returnShippingMethodId: null,
        returnAddress: address('Birch returns', 'BE'),
        createdAt,
      },
    ],
    users: [
      user(smallIds.everything, 'everything', { roles, customerIds: both }),
      user(smallIds.reader, 'reader', { roles: readRoles, customerIds: both }),
      user(smallIds.birchOnly, 'birch-only', { roles, customerIds: [smallIds.birch] }),
      {
        ...user(smallIds.warehouse, 'warehouse', { roles: warehouseRoles, customerIds: [] }),
        transfersGranted: false,
        isWarehouse: true,
      },
    ],
    shippingMethods: [
      method(smallIds.standard, 'STD', {}),
      method(smallIds.express, 'EXPRESS', { shipper: 'Other', shipperCode: 'OTHER', labelLayout: 'a6' }),
      method(smallIds.letter, 'LETTER', { supportsReturnLabels: false, administrationCode: null }),
    ],
    ...makeSmallGoods(smallIds.alder, smallIds.birch),
    ...makeSmallStock(smallIds.alder, smallIds.birch),
    orders: makeSmallOrders(
      { id: smallIds.alder, methodId: smallIds.express, address: address('Order buyer', 'NL') },
      { id: smallIds.birch, address: address('Birch buyer', 'BE') },
    ),
    exports: [],
    webhooks: [],
    shipments: [
      shipment(1),
      shipment(2),
      shipment(3, { poNumber: 'PO-3', lines: [] }),
      shipment(4, { shippingMethodId: smallIds.letter }),
      shipment(5, { orderExternalReference: 'WEB-4' }),
      shipment(6, {
        customerId: smallIds.birch,
        shippingMethodId: smallIds.letter,
        lines: [{ variantId: smallIds.birchVariant, quantity: 1, serialNumbers: [] }],
      }),
    ],
  }
}
