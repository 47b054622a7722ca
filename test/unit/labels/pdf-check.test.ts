import { describe, expect, it } from 'vitest'
import { drawLabel } from '#labels/draw-label.ts'
import { checkPdf, isPdf } from '#labels/pdf-check.ts'
import { labelSpec } from '#support/label-specs.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('the first look at a downloaded label', () => {
  it('takes a PDF up to and including the limit', async () => {
    const pdf = await drawLabel(labelSpec())
    expect(checkPdf(pdf, { maxBytes: pdf.length })).toBe('ok')
    expect(checkPdf(pdf, { maxBytes: pdf.length - 1 })).toBe('too_large')
  })

  it.each(['', '%PDF', '<html>%PDF-1.7', ' %PDF-1.7', '%pdf-1.7'])('says no to %j', (text) => {
    expect(isPdf(bytes(text))).toBe(false)
    expect(checkPdf(bytes(text), { maxBytes: 100 })).toBe('not_a_pdf')
  })
})
