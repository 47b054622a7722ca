import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeBytes } from '#shared/domain/scanner-bytes.ts'
import { count, seed } from '#support/counts.ts'

/** What the platform's own decoder says. */
function reference(bytes: readonly number[]): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes))
  } catch {
    return Buffer.from(bytes).toString('latin1')
  }
}

it('decodes bytes as the platform does', () => {
  // first bytes of every length, and those that are none
  const byte = fc.oneof(
    fc.constantFrom(0xc0, 0xc1, 0xc3, 0xe0, 0xe2, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff, 0x80, 0x9f, 0xa0, 0xbf),
    fc.integer({ min: 0, max: 255 }),
  )
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 12 }), (bytes) => {
      expect(decodeBytes(bytes)).toBe(reference(bytes))
    }),
    { seed, numRuns: count(3_000, 200_000) },
  )
})

it.each(['Größe €', '😀', '\u{10ffff}', 'plain', ''])('reads %j', (text) => {
  expect(decodeBytes([...new TextEncoder().encode(text)])).toBe(text)
})
