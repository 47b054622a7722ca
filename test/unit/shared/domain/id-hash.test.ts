import { describe, expect, it } from 'vitest'
import { idHash } from '#shared/domain/id-hash.ts'

describe('idHash()', () => {
  it('returns 16 hexadecimal digits for an id of any length', () => {
    for (const id of ['', 'a', 'x'.repeat(100), '漢'.repeat(2_000)])
      expect(idHash(id)).toMatch(/^[0-9a-f]{16}$/)
  })

  it('returns the same hash for the same id in every version, because hashes are stored', () => {
    expect(idHash('00000002-0000-4000-8000-000000000001')).toBe('662eadc5bb506aed')
  })

  it('returns different hashes for 100,000 similar ids; fewer than 20 hashes repeat the first half of an earlier one, and fewer than 20 the second half', () => {
    const ids = Array.from(
      { length: 100_000 },
      (_, n) => `00000002-0000-4000-8000-${n.toString(16).padStart(12, '0')}`,
    )
    const hashes = ids.map(idHash)
    expect(new Set(hashes).size).toBe(ids.length)
    // two halves of 32 bits are equal by chance in one of 2^32 pairs, so about 1.2 pairs of this test are equal
    for (const half of [0, 8])
      expect(new Set(hashes.map((hash) => hash.slice(half, half + 8))).size).toBeGreaterThan(ids.length - 20)
  })
})
