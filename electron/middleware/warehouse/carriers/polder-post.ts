import { postalCheckDigit } from './check-characters.ts'
import { defineCarrier } from './define-carrier.ts'
import { bareZip, padded, sortTarget } from './sorting.ts'
import { grouped, spreadDigits } from './spread-serial.ts'

const pattern = /^(?:PP|RP)(\d{8})(\d)NL$/

/** National post: two letters, eight digits, a postal check digit and the country, as posts number their items. */
export const polderPost = defineCarrier({
  key: 'polder-post',
  brand: {
    name: 'Polder Post',
    header: 'open',
    // Dike, ditch, field: three bands under a low sun.
    signPath:
      'M0 62 H100 V72 H0 Z M0 78 H100 V86 H0 Z M0 92 H100 V100 H0 Z M8 56 A42 42 0 0 1 92 56 H72 A22 22 0 0 0 28 56 Z',
  },
  serviceMark: 'R',
  labelPrefix: 'PP',
  trackingCode(direction, serial) {
    const digits = spreadDigits(serial, 8)
    return `${direction === 'return' ? 'RP' : 'PP'}${digits}${postalCheckDigit(digits)}NL`
  },
  isTrackingCode(text) {
    const [, digits, check] = pattern.exec(text) ?? []
    return digits !== undefined && postalCheckDigit(digits) === Number(check)
  },
  printed: (code) => grouped(code, [2, 4, 4, 1, 2]),
  trackingUrl: (code) => `https://volgen.polderpost.example/${code}`,
  routing(recipient) {
    const zip = bareZip(recipient.zipcode)
    return {
      code: `${zip.slice(0, 4)}-${padded(sortTarget(zip, 48), 2)}`,
      detail: `${recipient.city.toUpperCase()} · WIJK ${padded(sortTarget(`${zip}W`, 360), 3)}`,
    }
  },
})
