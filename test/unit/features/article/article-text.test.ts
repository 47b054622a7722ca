import { describe, expect, it } from 'vitest'
import { barcodeDataText, barcodeDataWarning, scannedLotIds } from '#features/article/article-text.ts'
import { sampleLots } from '#support/memory-desk/catalogue.ts'

const nowMs = Date.parse('2026-11-21T14:07:00Z')
const { lots } = sampleLots(nowMs)
const said = { lot: 'L-7', expiry: null, serial: null, problems: [], lotId: null }
const dated = lots.filter(({ expirationDate }) => expirationDate !== null)
const last = dated.at(-1)?.expirationDate ?? ''

describe('the lot, expiry date and serial number in the GS1 barcode of an article', () => {
  it('are all shown in one text', () => {
    expect(barcodeDataText({ ...said, expiry: '2027-01-31', serial: 'S1' })).toMatch(/L-7.*2027.*S1/)
    expect(barcodeDataText({ ...said, lot: null })).toBe('')
  })

  it('mark the lot whose id was scanned or, if no id was scanned, each lot that has the scanned expiry date', () => {
    expect(scannedLotIds({ ...said, expiry: last }, lots)).toEqual([dated.at(-1)?.id])
    expect(scannedLotIds({ ...said, lotId: lots[0]?.id ?? '', expiry: last }, lots)).toEqual([lots[0]?.id])
    expect(scannedLotIds(said, lots)).toEqual([])
  })

  it('cause a warning if no lot of the warehouse has the scanned expiry date', () => {
    expect(barcodeDataWarning({ ...said, expiry: last }, lots, nowMs)).toBeNull()
    expect(barcodeDataWarning({ ...said, expiry: '2031-05-31' }, lots, nowMs)).toMatch(/2031/)
    expect(barcodeDataWarning({ ...said, expiry: '2031-05-31' }, [], nowMs)).toMatch(/no date/)
    // if the lots are not loaded (null), the desk cannot compare them with the scanned date, so it shows no warning
    expect(barcodeDataWarning({ ...said, expiry: '2031-05-31' }, null, nowMs)).toBeNull()
  })

  it('cause a warning if the expiry date has passed or the barcode breaks the GS1 rules', () => {
    expect(barcodeDataWarning({ ...said, expiry: '2026-11-20' }, null, nowMs)).toMatch(/expired/)
    expect(barcodeDataWarning({ ...said, problems: ['date'] }, lots, nowMs)).toMatch(/does not exist/)
    expect(barcodeDataWarning({ ...said, problems: ['required'] }, lots, nowMs)).toMatch(/GS1/)
    expect(barcodeDataWarning(said, lots, nowMs)).toBeNull()
  })
})
