import type { LabelAddress, LabelSpec } from '#labels/draw/label-spec.ts'

/**
 * An address with a long value in every field except the country; several values have the maximum length of their field
 * or are longer. Some of these values have no space at which a line could break.
 */
export const longestAddress: LabelAddress = {
  addressedTo: 'W'.repeat(100),
  contactPerson:
    'Vertegenwoordiger van de afdeling Retouren en Omruilingen, tweede verdieping, achter in de gang links',
  street:
    'Burgemeester van der Straatweglaan tussen de Bruggen van Noord en Zuid en de Oude Haven aan het Spaarne',
  street2: 'x'.repeat(100),
  streetNumber: '1234567890',
  streetNumberAddition: 'ABCDEFGHIJ',
  zipcode: '99999-1234-99999-1234',
  city: 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch',
  country: 'US',
  state:
    'A state whose name goes on for as long as the service lets it, which is a hundred characters in all!!',
}

export const homeAddress: LabelAddress = {
  addressedTo: 'Łukasz Żółć 🎁',
  contactPerson: null,
  street: 'Große Präsidentenstraße',
  street2: null,
  streetNumber: '17',
  streetNumberAddition: 'b',
  zipcode: '10178',
  city: 'Berlin',
  country: 'DE',
  state: null,
}

/** Returns a label of a fictional brand. */
export function labelSpec(changes: Partial<LabelSpec> = {}): LabelSpec {
  return {
    layout: '4x6',
    brand: { name: 'Testbode', signPath: 'M0 0 H100 V100 H0 Z', header: 'open' },
    service: { mark: 'T', name: 'Testbode Retour' },
    routing: { code: 'NL-50', detail: 'HUB 1' },
    trackingCode: 'TB123456785NL',
    trackingText: 'TB 1234 5678 5 NL',
    trackingUrl: 'https://track.testbode.example/TB123456785NL',
    reference: 'SHP00000000412.R',
    sender: homeAddress,
    recipient: homeAddress,
    date: new Date('2026-03-04T05:06:07Z'),
    sample: false,
    ...changes,
  }
}
