import { describe, expect, it } from 'vitest'
import { labelCodes, toBriefLabel } from '#shared/domain/label-codes.ts'
import type { TrackingInformation } from '#shared/wire/shipment.ts'
import { serverLabelIdOf } from '../../../support/ids.ts'

const label = (...trackingInformation: TrackingInformation[]): Parameters<typeof labelCodes>[0] => ({
  id: serverLabelIdOf('l'),
  external_reference: 'WEB-1.R',
  url: 'https://service.example/label.pdf',
  created_at: '2026-01-01T00:00:00Z',
  tracking_information: trackingInformation,
  sender_address: null,
})
const parcel = (trackingCode: string | null, labelCode: string | null): TrackingInformation => ({
  tracking_code: trackingCode,
  label_code: labelCode,
  tracking_url: null,
})

describe('labelCodes()', () => {
  it('returns the reference of a label and the codes of its parcels, each once', () => {
    expect(labelCodes(label(parcel('RT 1', 'rt1'), parcel(null, 'JD2')))).toEqual(['WEB-1.R', 'RT1', 'JD2'])
  })

  it('omits a code of more than 255 characters', () => {
    const longest = 'A'.repeat(255)
    expect(labelCodes(label(parcel(longest, `${longest}B`)))).toEqual(['WEB-1.R', longest])
  })
})

describe('toBriefLabel()', () => {
  it('keeps all codes by which the full label is found, even a code that is too long only because of its spaces', () => {
    const longest = 'A'.repeat(255)
    const grouped = longest.replaceAll(/(.{5})/g, '$1 ')
    const whole = label(
      ...Array.from({ length: 100 }, () => parcel(null, ' ')),
      parcel(grouped, `${grouped}B`),
      parcel('RT 1', null),
    )
    expect(labelCodes(whole)).toEqual(['WEB-1.R', longest, 'RT1'])
    const brief = toBriefLabel(whole)
    expect(labelCodes(brief)).toEqual(labelCodes(whole))
    expect(brief.tracking_information).toEqual([parcel(longest, null), parcel('RT 1', null)])
  })
})
