import { describe, expect, it } from 'vitest'
import { tokens } from '#shared/wire/auth.ts'

const accepts = (token: string): boolean =>
  tokens.safeParse({ token, iat: 0, exp: 3600, refresh_token: 'any text' }).success

describe('an access token', () => {
  it.each([
    ['a JWT', 'eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c2lnbmF0dXJl-_', true],
    ['16,000 characters', 'a'.repeat(16_000), true],
    ['16,001 characters', 'a'.repeat(16_001), false],
    ['no character', '', false],
    ['a line feed', 'a\nb', false],
    ['a line feed at the end', 'a\n', false],
    ['a blank', 'a b', false],
    ['a character outside ASCII', 'aä', false],
  ])('with %s is accepted only if a request header can contain such a token', (_, token, isAccepted) => {
    expect(accepts(token)).toBe(isAccepted)
  })
})
