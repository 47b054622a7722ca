import { describe, expect, it } from 'vitest'
import { hashPassword, usualCost, verifyPassword } from '#middleware/services/access/passwords.ts'

const cheap = { N: 16, r: 1, p: 1 }

describe('verifyPassword()', () => {
  it('accepts only the right password for a hash, and reads the cost and salt from the hash', async () => {
    const hash = await hashPassword('päss', cheap)
    expect(hash).toMatch(/^scrypt\$16\$1\$1\$[^$]+\$[^$]+$/)
    expect(await hashPassword('päss', cheap)).not.toBe(hash)
    expect(await verifyPassword('päss', hash, usualCost)).toBe(true)
    expect(await verifyPassword('pass', hash, usualCost)).toBe(false)
  })

  it('accepts a password whether its accented letters are composed or decomposed in Unicode', async () => {
    const hash = await hashPassword('p\u00e4ss', cheap)
    expect(await verifyPassword('pa\u0308ss', hash, cheap)).toBe(true)
  })

  it('refuses every password if the hash is missing or damaged', async () => {
    for (const hash of [null, '', 'plain', 'scrypt$16$1$1$c2FsdA==$', 'md5$16$1$1$c2FsdA==$a2V5'])
      expect(await verifyPassword('', hash, cheap)).toBe(false)
  })

  it('accepts a password for a hash of the usual cost, because this cost needs less than scrypt’s memory limit', async () => {
    expect(await verifyPassword('x', await hashPassword('x', usualCost), cheap)).toBe(true)
  })
})
