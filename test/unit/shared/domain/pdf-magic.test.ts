import { describe, expect, it } from 'vitest'
import { looksLikePdf } from '#shared/domain/pdf-magic.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('looksLikePdf()', () => {
  it.each(['%PDF-1.7\n', '%PDF-', '\ufeff%PDF-1.4', ' '.repeat(1_019) + '%PDF-'])('accepts %j', (text) => {
    expect(looksLikePdf(bytes(text))).toBe(true)
  })

  it.each(['', '%PDF', '%pdf-1.7', '<html>', 'PK\u0003\u0004', ' '.repeat(1_020) + '%PDF-'])(
    'refuses %j',
    (text) => {
      expect(looksLikePdf(bytes(text))).toBe(false)
    },
  )
})
