import { gs1CheckDigit, hasValidCheckDigit } from '#shared/domain/gtin.ts'
import { type Carrier, defineCarrier } from './carrier.ts'

const polderPattern = /^(?:PP|RP)(\d{8})(\d)NL$/

/**
 * National post. Its codes have two letters, eight digits, a postal check digit and the country, like real postal
 * items.
 */
export const polderPost = defineCarrier({
  key: 'polder-post',
  brand: {
    name: 'Polder Post',
    header: 'open',
    // Logo: dike, ditch and field as three bands under a low sun.
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
    const [, digits, check] = polderPattern.exec(text) ?? []
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

const bergfinkPattern = /^61[47]\d{13}$/

/**
 * Parcel network. Its codes have sixteen digits: network, product (4 outbound, 7 return), serial, and the GS1 check
 * digit.
 */
const bergfinkPaket = defineCarrier({
  key: 'bergfink-paket',
  brand: {
    name: 'Bergfink Paket',
    header: 'solid',
    // Logo: two peaks, the nearer one cut out of the farther one.
    signPath: 'M36 12 L62 56 L70 44 L100 96 H0 Z M36 34 L24 56 L36 64 L48 56 Z',
  },
  serviceMark: 'RE',
  labelPrefix: 'BF',
  trackingCode(direction, serial) {
    const digits = `61${direction === 'return' ? '7' : '4'}${spreadDigits(serial, 12)}`
    return `${digits}${gs1CheckDigit(digits)}`
  },
  isTrackingCode: (text) => bergfinkPattern.test(text) && hasValidCheckDigit(text),
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

const marlpitPattern = /^MC[DR][2-9A-HJ-NP-Z]{8}[0-9A-Z]$/

/**
 * Courier. Its codes have letters and digits: MC, D (outbound) or R (return), eight readable characters, and an ISO
 * 7064 check character.
 */
const marlpitCouriers = defineCarrier({
  key: 'marlpit-couriers',
  brand: {
    name: 'Marlpit Couriers',
    header: 'open',
    // Logo: a square pit seen from above, with steps that lead down.
    signPath: 'M0 0 H100 V100 H0 Z M14 14 V86 H86 V14 Z M26 26 H74 V74 H26 Z M40 40 V60 H60 V40 Z',
  },
  serviceMark: '48',
  labelPrefix: 'MC',
  trackingCode(direction, serial) {
    const body = `MC${direction === 'return' ? 'R' : 'D'}${spreadReadable(serial, 8)}`
    return body + mod3736CheckCharacter(body)
  },
  isTrackingCode: (text) =>
    marlpitPattern.test(text) && mod3736CheckCharacter(text.slice(0, -1)) === text.at(-1),
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

/** The warehouse's account number at the carrier, which is part of every code. */
const stormvogelAccount = '7SV4K20M8'
const stormvogelPattern = new RegExp(`^${stormvogelAccount}((?:01|90)\\d{8})(\\d)$`)

/**
 * Worldwide express. Its codes have account, service (01 outbound, 90 return), serial, and the modulo-7 check digit of
 * an air waybill.
 */
const stormvogelExpress = defineCarrier({
  key: 'stormvogel-express',
  brand: {
    name: 'Stormvogel Express',
    header: 'solid',
    // Logo: the two curved wings of a petrel (a seabird) that turns in flight.
    signPath:
      'M0 30 C26 18 44 30 52 48 C62 26 80 12 100 10 C84 26 76 44 66 62 L44 90 L42 66 C36 46 22 34 0 30 Z',
  },
  serviceMark: '7X',
  labelPrefix: 'SV',
  trackingCode(direction, serial) {
    const digits = `${direction === 'return' ? '90' : '01'}${spreadDigits(serial, 8)}`
    return `${stormvogelAccount}${digits}${moduloSeven(digits)}`
  },
  isTrackingCode(text) {
    const [, digits, check] = stormvogelPattern.exec(text) ?? []
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

/** All carriers of the simulated warehouse. */
export const carriers: readonly Carrier[] = [polderPost, bergfinkPaket, marlpitCouriers, stormvogelExpress]

/** Returns the carrier with the key that a shipping method names. Throws RangeError if there is none. */
export function carrierFor(key: string): Carrier {
  const carrier = carriers.find((candidate) => candidate.key === key)
  if (!carrier) throw new RangeError(`no carrier ${key}`)
  return carrier
}

/** Returns the letters and digits of a postcode. Most routing codes contain a part of the postcode in this form. */
function bareZip(zipcode: string): string {
  return zipcode.toUpperCase().replaceAll(/[^0-9A-Z]/g, '')
}

/**
 * Returns a number from 1 to `count` that is always the same for a text, such as a postcode: the chute, tour or gate of
 * a sorting centre.
 */
function sortTarget(text: string, count: number): number {
  let hash = 17
  for (const character of bareZip(text)) hash = (hash * 31 + character.charCodeAt(0)) % 1_000_003
  return (hash % count) + 1
}

function padded(number: number, digits: number): string {
  return String(number).padStart(digits, '0')
}

/** Letters and digits that people rarely confuse. */
const readable = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/**
 * Converts the serial number of a parcel to a code of `digits` digits. Consecutive parcels do not have consecutive
 * codes. The mapping is one-to-one, because the multiplier has no common factor with ten.
 */
export function spreadDigits(serial: number, digits: number): string {
  const modulus = 10n ** BigInt(digits)
  return (((BigInt(serial) * 7_654_321n + 39_916_801n) % modulus) + modulus).toString().slice(-digits)
}

/**
 * Converts the serial number of a parcel to a code of `characters` characters from a set of 32 readable ones.
 * Consecutive parcels do not have consecutive codes. The mapping is one-to-one, because the multiplier is odd.
 */
export function spreadReadable(serial: number, characters: number): string {
  const modulus = 32n ** BigInt(characters)
  let rest = (BigInt(serial) * 341_873_128_713n + 132_897_987_541n) % modulus
  let text = ''
  for (let i = 0; i < characters; i++) {
    text = readable.charAt(Number(rest % 32n)) + text
    rest /= 32n
  }
  return text
}

/**
 * Splits text into groups of the given lengths from the left: `('123456', [4, 2])` -> `1234 56`. The rest of the text
 * is the last group.
 */
export function grouped(text: string, sizes: readonly number[]): string {
  const groups: string[] = []
  let at = 0
  for (const size of sizes) {
    groups.push(text.slice(at, at + size))
    at += size
  }
  groups.push(text.slice(at))
  return groups.filter((group) => group !== '').join(' ')
}

/**
 * Returns the check digit of a postal item: weights 8 6 4 2 3 5 9 7 over eight digits, modulo 11; 10 becomes 0 and 11
 * becomes 5.
 */
export function postalCheckDigit(eightDigits: string): number {
  const weights = [8, 6, 4, 2, 3, 5, 9, 7]
  const sum = weights.reduce((total, weight, index) => total + weight * Number(eightDigits[index]), 0)
  const digit = 11 - (sum % 11)
  if (digit === 10) return 0
  return digit === 11 ? 5 : digit
}

/** Returns the check digit of an air waybill: the preceding number modulo 7. */
export function moduloSeven(digits: string): number {
  return Number(BigInt(digits) % 7n)
}

const alphanumeric = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/**
 * Returns the check character of ISO/IEC 7064 MOD 37,36 for upper-case letters and digits. It detects every error in a
 * single character.
 */
export function mod3736CheckCharacter(text: string): string {
  let product = 36
  for (const character of text) {
    const sum = (product + alphanumeric.indexOf(character)) % 36 || 36
    product = (sum * 2) % 37
  }
  return alphanumeric.charAt((37 - product) % 36)
}
