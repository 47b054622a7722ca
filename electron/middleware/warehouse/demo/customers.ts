import { sandbox } from '#shared/domain/sandbox.ts'
import type { WorldAddress, WorldCustomer, WorldShippingMethod } from '../world.ts'
import { daysBefore } from './dates.ts'
import type { Random } from './random.ts'

/** The fashion shop and the outdoor shop: `code` is what X-Customer-Code takes. */
export const fashionCode = sandbox.customerCode
const outdoorCode = 'RUIGPAD'

const returnsDock: Omit<
  WorldAddress,
  'addressedTo' | 'contactPerson' | 'emailAddress' | 'streetNumberAddition'
> = {
  street: 'Loodsenkade',
  street2: null,
  streetNumber: '32',
  zipcode: '5048 AB',
  city: 'Tilburg',
  country: 'NL',
  state: null,
  phoneNumber: '+31 85 000 0032',
  mobileNumber: null,
}

/** Two customers; the fashion shop has one method for all its returns, the outdoor shop the shipment's own. */
export function makeCustomers(
  random: Random,
  now: Date,
  methods: readonly WorldShippingMethod[],
): { fashion: WorldCustomer; outdoor: WorldCustomer } {
  const standard = methods.find((method) => method.code === 'PP-STD')
  return {
    fashion: {
      id: random.uuid(),
      code: fashionCode,
      name: 'Zilverlinde Mode',
      returnShippingMethodId: standard?.id ?? null,
      returnAddress: {
        ...returnsDock,
        addressedTo: 'Zilverlinde Retouren',
        contactPerson: 'Loods 4, dock 12',
        streetNumberAddition: null,
        emailAddress: 'retour@zilverlinde.example',
      },
      createdAt: daysBefore(now, 1460),
    },
    outdoor: {
      id: random.uuid(),
      code: outdoorCode,
      name: 'Ruigpad Outdoor & Nutrition',
      returnShippingMethodId: null,
      returnAddress: {
        ...returnsDock,
        addressedTo: 'Ruigpad Returns',
        contactPerson: 'Loods 4, dock 15',
        streetNumberAddition: 'B',
        emailAddress: 'returns@ruigpad.example',
      },
      createdAt: daysBefore(now, 730),
    },
  }
}
