import { moduloSeven } from './check-characters.ts'
import { defineCarrier } from './define-carrier.ts'
import { bareZip, padded, sortTarget } from './sorting.ts'
import { grouped, spreadDigits } from './spread-serial.ts'

/** The warehouse's account with the carrier: part of every code. */
const account = '7SV4K20M8'
const pattern = new RegExp(`^${account}((?:01|90)\\d{8})(\\d)$`)

/** Worldwide express: account, service (01 out, 90 back), serial, and an air waybill's modulo-7 check digit. */
export const stormvogelExpress = defineCarrier({
  key: 'stormvogel-express',
  brand: {
    name: 'Stormvogel Express',
    header: 'solid',
    // A petrel in a turn: two swept wings.
    signPath:
      'M0 30 C26 18 44 30 52 48 C62 26 80 12 100 10 C84 26 76 44 66 62 L44 90 L42 66 C36 46 22 34 0 30 Z',
  },
  serviceMark: '7X',
  labelPrefix: 'SV',
  trackingCode(direction, serial) {
    const digits = `${direction === 'return' ? '90' : '01'}${spreadDigits(serial, 8)}`
    return `${account}${digits}${moduloSeven(digits)}`
  },
  isTrackingCode(text) {
    const [, digits, check] = pattern.exec(text) ?? []
    return digits !== undefined && moduloSeven(digits) === Number(check)
  },
  printed: (code) => grouped(code, [3, 6, 2, 4, 5]),
  trackingUrl: (code) => `https://www.stormvogel.example/awb/${code}`,
  routing(recipient) {
    const gate = padded(sortTarget(recipient.zipcode, 36), 2)
    return {
      code: `${recipient.country.slice(0, 2)}-${recipient.city.slice(0, 3).toUpperCase()} ${gate}`,
      detail: `GATEWAY ${padded(sortTarget(bareZip(recipient.zipcode).slice(0, 2), 9), 1)} · GATE ${gate} · AIR`,
    }
  },
})
