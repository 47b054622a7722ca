import { gs1CheckDigit, hasValidCheckDigit } from '#shared/domain/check-digit.ts'
import { defineCarrier } from './define-carrier.ts'
import { bareZip, padded, sortTarget } from './sorting.ts'
import { grouped, spreadDigits } from './spread-serial.ts'

const pattern = /^61[47]\d{13}$/

/** Parcel network of sixteen digits: network, product (4 out, 7 back), serial, and the GS1 check digit. */
export const bergfinkPaket = defineCarrier({
  key: 'bergfink-paket',
  brand: {
    name: 'Bergfink Paket',
    header: 'solid',
    // Two peaks, the nearer one cut out of the farther.
    signPath: 'M36 12 L62 56 L70 44 L100 96 H0 Z M36 34 L24 56 L36 64 L48 56 Z',
  },
  serviceMark: 'RE',
  labelPrefix: 'BF',
  trackingCode(direction, serial) {
    const digits = `61${direction === 'return' ? '7' : '4'}${spreadDigits(serial, 12)}`
    return `${digits}${gs1CheckDigit(digits)}`
  },
  isTrackingCode: (text) => pattern.test(text) && hasValidCheckDigit(text),
  printed: (code) => grouped(code, [4, 4, 4, 4]),
  trackingUrl: (code) => `https://sendung.bergfink.example/?nr=${code}`,
  routing(recipient) {
    const zip = bareZip(recipient.zipcode)
    return {
      code: `${recipient.country.slice(0, 2)}${padded(sortTarget(zip.slice(0, 2), 99), 2)}·${zip.slice(0, 3)}`,
      detail: `DEPOT ${padded(sortTarget(zip, 900), 3)} · TOUR ${padded(sortTarget(`${zip}T`, 99), 2)}`,
    }
  },
})
