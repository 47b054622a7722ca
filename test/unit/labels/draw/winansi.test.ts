import fc from 'fast-check'
import { PDFDocument, StandardFonts } from 'pdf-lib'
import { describe, expect, it } from 'vitest'
import { toWinAnsi } from '#labels/draw/winansi.ts'
import { count } from '#support/counts.ts'

describe('the conversion of a text to WinAnsi', () => {
  it.each([
    ['Łukasz Żółć', 'Lukasz Zólc'],
    ['Œuvrard & Günther, Straße 5 – “hoi” €', 'Œuvrard & Günther, Straße 5 – “hoi” €'],
    ['Nguyễn Yıldız Dvořák', 'Nguyen Yildiz Dvorák'],
    ['Юлія Щербак', 'Iuliia Shcherbak'],
    ['Ελένη', 'Eleni'],
    ['Zoë 🎁👨‍👩‍👧 Bakker', 'Zoë Bakker'],
    ['Zoe\u0308', 'Zoë'],
    ['田中', '??'],
    ['  a\t\nb\u00a0c ', 'a b c'],
  ])('converts %j to %j', (text, printed) => {
    expect(toWinAnsi(text)).toBe(printed)
  })

  it('returns only characters of the standard font for any text, and leaves a text that is already converted unchanged', async () => {
    const document = await PDFDocument.create()
    const font = await document.embedFont(StandardFonts.Helvetica)
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const printed = toWinAnsi(text)
        expect(() => font.encodeText(printed)).not.toThrow()
        expect(toWinAnsi(printed)).toBe(printed)
      }),
      { seed: 20, numRuns: count(400, 20_000) },
    )
  })

  it('returns characters of the standard font for every UTF-16 code unit, including lone surrogates', async () => {
    const document = await PDFDocument.create()
    const font = await document.embedFont(StandardFonts.HelveticaBold)
    const every = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit))
    // Converts each character alone, and then in long texts, to check that a character does not affect the characters
    // beside it.
    expect(() => font.encodeText(every.map(toWinAnsi).join(''))).not.toThrow()
    expect(() => font.encodeText(toWinAnsi(every.join('')))).not.toThrow()
  })
})
