import { describe, expect, it } from 'vitest'
import { inspectPdf } from '#support/inspect-pdf.ts'
import {
  carrierFor,
  carriers,
  grouped,
  mod3736CheckCharacter,
  moduloSeven,
  postalCheckDigit,
} from '#middleware/warehouse/carriers/carriers.ts'
import { count } from '#support/counts.ts'
import { returnLabelJob } from '#support/return-label-jobs.ts'

describe('the check character in a published example', () => {
  it('of UPU S10 is 9 for 47312482', () => {
    expect(postalCheckDigit('47312482')).toBe(9)
  })

  it('of ISO 7064 MOD 37,36 is M for A12425GABC1234002', () => {
    expect(mod3736CheckCharacter('A12425GABC1234002')).toBe('M')
  })

  it('of an air waybill is 5 for 1234567', () => {
    expect(moduloSeven('1234567')).toBe(5)
  })
})

describe.each(carriers)('the carrier $name', (carrier) => {
  const serials = Array.from({ length: count(2000, 100_000) }, (_, index) => index + 1)

  it('gives every parcel a unique code, outbound and return', () => {
    const codes = serials.flatMap((serial) => [carrier.outboundParcel(serial), carrier.returnParcel(serial)])
    expect(new Set(codes.map((code) => code.trackingCode)).size).toBe(codes.length)
    expect(new Set(codes.map((code) => code.labelCode)).size).toBe(codes.length)
  })

  it('creates tracking codes that only this carrier accepts', () => {
    for (const serial of serials.slice(0, 300)) {
      const { trackingCode, trackingUrl } = carrier.returnParcel(serial)
      expect(carriers.filter((other) => other.isTrackingCode(trackingCode))).toEqual([carrier])
      expect(trackingUrl).toContain(trackingCode)
      expect(new URL(trackingUrl).hostname).toMatch(/\.example$/)
    }
  })

  it('refuses a tracking code with a wrong last digit', () => {
    const { trackingCode } = carrier.returnParcel(4711)
    const digitAt = trackingCode.search(/\d(?=\D*$)/)
    for (const digit of '0123456789') {
      const changed = trackingCode.slice(0, digitAt) + digit + trackingCode.slice(digitAt + 1)
      expect(carrier.isTrackingCode(changed)).toBe(changed === trackingCode)
    }
  })

  it('draws the label of a return parcel with the same bytes each time', async () => {
    const job = returnLabelJob({ serial: 12, layout: 'a6' })
    const label = await carrier.drawReturnLabel(job)
    expect(label).toMatchObject(carrier.returnParcel(12))
    expect((await carrier.drawReturnLabel(job)).pdf).toEqual(label.pdf)
    expect((await inspectPdf(label.pdf)).pages).toHaveLength(1)
  })
})

describe('carrierFor()', () => {
  it('returns the carrier with a key, and throws for an unknown key', () => {
    for (const carrier of carriers) expect(carrierFor(carrier.key)).toBe(carrier)
    expect(() => carrierFor('pony-express')).toThrow(RangeError)
  })
})

describe('grouped()', () => {
  it('puts spaces between the groups of a code, and changes nothing else', () => {
    expect(grouped('RP994230322NL', [2, 4, 4, 1, 2])).toBe('RP 9942 3032 2 NL')
    expect(grouped('123456789', [4])).toBe('1234 56789')
  })
})
