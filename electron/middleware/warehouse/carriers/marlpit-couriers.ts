import { mod3736CheckCharacter } from './check-characters.ts'
import { defineCarrier } from './define-carrier.ts'
import { bareZip, padded, sortTarget } from './sorting.ts'
import { grouped, spreadReadable } from './spread-serial.ts'

const pattern = /^MC[DR][2-9A-HJ-NP-Z]{8}[0-9A-Z]$/

/** Courier of letters and digits: MC, D out or R back, eight readable characters, an ISO 7064 check character. */
export const marlpitCouriers = defineCarrier({
  key: 'marlpit-couriers',
  brand: {
    name: 'Marlpit Couriers',
    header: 'open',
    // A square pit seen from above: steps going down.
    signPath: 'M0 0 H100 V100 H0 Z M14 14 V86 H86 V14 Z M26 26 H74 V74 H26 Z M40 40 V60 H60 V40 Z',
  },
  serviceMark: '48',
  labelPrefix: 'MC',
  trackingCode(direction, serial) {
    const body = `MC${direction === 'return' ? 'R' : 'D'}${spreadReadable(serial, 8)}`
    return body + mod3736CheckCharacter(body)
  },
  isTrackingCode: (text) => pattern.test(text) && mod3736CheckCharacter(text.slice(0, -1)) === text.at(-1),
  printed: (code) => grouped(code, [3, 4, 5]),
  trackingUrl: (code) => `https://marlpit.example/track/${code}`,
  routing(recipient) {
    const zip = bareZip(recipient.zipcode)
    return {
      code: `${recipient.country.slice(0, 2)} ${zip.slice(0, 2)}/${padded(sortTarget(zip, 64), 2)}`,
      detail: `HUB ${padded(sortTarget(zip.slice(0, 3), 18), 2)} · CHUTE ${padded(sortTarget(`${zip}C`, 240), 3)}`,
    }
  },
})
