import type { ReturnLabelJob } from '#middleware/warehouse/carriers/carrier.ts'
import type { WorldAddress } from '#middleware/warehouse/world.ts'
import { homeAddress } from './label-specs.ts'

const reach = { phoneNumber: null, mobileNumber: null, emailAddress: null }

export const returnsDock: WorldAddress = {
  ...homeAddress,
  ...reach,
  addressedTo: 'Zilverlinde Retouren',
  street: 'Loodsenkade',
  streetNumber: '32',
  streetNumberAddition: null,
  zipcode: '5048 AB',
  city: 'Tilburg',
  country: 'NL',
}

/** A job for the label of a return from Berlin to Tilburg. */
export function returnLabelJob(changes: Partial<ReturnLabelJob> = {}): ReturnLabelJob {
  return {
    reference: 'SHP00000000412.R',
    sender: { ...homeAddress, ...reach },
    recipient: returnsDock,
    layout: '4x6',
    methodDescription: 'Standaard Retour',
    sandbox: true,
    serial: 1,
    requestedAt: new Date('2026-03-04T05:06:07Z'),
    ...changes,
  }
}
