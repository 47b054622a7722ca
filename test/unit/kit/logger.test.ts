import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CataloguedError } from '#shared/errors/result.ts'
import { createLogger, withoutSecrets } from '#kit/logger.ts'
import { count, seed } from '#support/counts.ts'

const canary = 'c4n4ry'
const token = 'ab12'.repeat(32)

/** The line that a logger writes for these facts. */
function lineOf(facts: object, words = 'it failed'): string {
  const lines: string[] = []
  createLogger('test', { level: 'info', destination: { write: (line) => lines.push(line) } }).info(
    facts,
    words,
  )
  expect(() => JSON.parse(lines.join('')) as unknown).not.toThrow()
  expect(lines.join('')).toMatch(/\}\n$/)
  return lines.join('')
}

/** The message in the line of an error. */
function messageOf(text: string): string {
  return (JSON.parse(lineOf({ err: new Error(text) })) as { err: { message: string } }).err.message
}

/** Wraps a value in `depth` objects. */
function nested(value: unknown, depth: number): unknown {
  return depth === 0 ? value : { inner: nested(value, depth - 1) }
}

describe('a secret by its key', () => {
  it.each([0, 1, 2, 3, 4, 5, 12, 30, 100])('is in no line, %d levels down', (depth) => {
    for (const key of ['password', 'Refresh_Token', 'hash_secret', 'x-api-key', 'Set-Cookie', 'auth'])
      for (const value of [canary, [canary], { value: canary }]) {
        expect(lineOf({ call: nested({ [key]: value }, depth) })).not.toContain(canary)
        expect(
          lineOf({ err: Object.assign(new Error('x'), { a: nested({ [key]: value }, depth) }) }),
        ).not.toContain(canary)
      }
  })

  it.each([0, 1, 2, 3])('is in no JSON that is a text of other JSON, %d times', (times) => {
    let text = JSON.stringify({ id: 'a-1', body: { refresh_token: canary, x: 1 }, password: `"${canary}\\` })
    for (let at = 0; at < times; at++) text = JSON.stringify({ body: text })
    expect(messageOf(text)).not.toContain(canary)
    expect(messageOf(text)).toContain('a-1')
    expect(lineOf({ body: text })).not.toContain(canary)
  })

  it.each([
    `{ password: '${canary}', id: 7 }`,
    `password=${canary}&id=7`,
    `refresh_token = ${canary}, id: 7`,
    `{"secrets":["x","${canary}]"],"id":7}`,
    `{"token":{"a":"}","b":"${canary}"},"id":7}`,
    `Cookie: a=${canary}; b=${canary}\nid 7`,
    `Authorization: Token ${canary}\r\nid 7`,
    `config.jwtSecret:${canary}; id 7`,
    `"password":"${canary}`,
  ])('is not in %s', (text) => {
    expect(messageOf(text)).not.toContain(canary)
    expect(withoutSecrets(text)).not.toContain(canary)
    if (text.includes('7')) expect(messageOf(text)).toContain('7')
  })
})

describe('a secret by its form', () => {
  it.each([
    [`https://u:p@${canary}@host/a failed`, 'https://[secret]@host/a failed'],
    [`https://u:${canary}/x@host/a failed`, 'https://[secret]@host/a failed'],
    [`https://u:${canary}#x@host/a failed`, 'https://[secret]?[query] failed'],
    [
      `see ftp://${canary}@host:21/a,https://u:${canary}@b:8443/`,
      'see ftp://[secret]@host:21/a,https://[secret]@b:8443/',
    ],
    [`GET https://h/a.pdf?X%2DAmz-Signature=${canary} failed`, 'GET https://h/a.pdf?[query] failed'],
    [`GET https://h/a.pdf?a[0]=1&signature=${canary} failed`, 'GET https://h/a.pdf?[query] failed'],
    [`GET https://h/a.pdf?${canary} failed`, 'GET https://h/a.pdf?[query] failed'],
    [`GET https://h/a#access=${canary} failed`, 'GET https://h/a?[query] failed'],
    [`GET /a.pdf?x&a[0]=1&s=${canary} failed`, 'GET /a.pdf?[query] failed'],
    [`BEARER ${canary} x`, 'BEARER [secret] x'],
    [`bearer  ${canary} x`, 'bearer [secret] x'],
    [`bAsIc: ${canary} x`, 'bAsIc [secret] x'],
    [`a%20Bearer%20${canary} x`, 'a%20Bearer [secret] x'],
    [`x%20eyJhbGciOiJIUzI1NiJ9.${canary}.${canary} x`, 'x%20[secret] x'],
    [`token ${token} x`, 'token [secret] x'],
    [`${token.toUpperCase()}.`, '[secret].'],
  ])('%s', (text, censored) => {
    expect(messageOf(text)).toBe(censored)
  })

  it('is not in the params of a failure, but its codes are', () => {
    const params = { printer: canary, title: canary, cause: 'ENOSPC', side: `${canary} x`, bytes: 5 }
    const error = new CataloguedError('printer.refused', params)
    for (const facts of [
      { err: error },
      { err: new AggregateError([error]) },
      { a: { failure: error.failure } },
    ]) {
      const line = lineOf(facts)
      expect(line).not.toContain(canary)
      expect(line).toContain('{"code":"printer.refused","params":{"cause":"ENOSPC","bytes":5}}')
    }
  })
})

describe('a line', () => {
  it('keeps ids, codes, names of methods, addresses and numbers', () => {
    const facts = {
      channel: 'session.login',
      code: 'session.invalid_credentials',
      issues: 'too_big at password, invalid_type at token.0',
      id: '0f0e0d0c-0b0a-4908-8706-050403020100',
      hash: 'da39a3ee5e6b4b0d3255bfef95601890afd80709',
      barcode: '0108712345678906'.repeat(8),
      reference: 'SHP00000000001',
      url: 'https://wms.example.com:8443/wms/orders/7/',
      v6: 'http://[::1]:80/a',
      urls: 'at (http://127.0.0.1:4180), http://a:80,http://b:81.',
      mail: 'kim@example.org',
      where: 'at read (file:///opt/app/main.js:10:5)',
      sentence: 'Is it so? a = b: yes',
      tokenKnown: true,
      password: null,
      again: 12,
    }
    expect(JSON.parse(lineOf(facts, 'a call failed'))).toMatchObject({ ...facts, msg: 'a call failed' })
  })

  it('that is no JSON is censored as a text', () => {
    expect(withoutSecrets(`{"level":30,"password":"${canary}","id":"a-1`)).toBe(
      '{"level":30,"password":"[secret]","id":"a-1',
    )
  })

  it('stays JSON, whatever is logged', () => {
    const piece = fc.constantFrom(
      ...'"\'\\:={}[]?&#/@ a'.split(''),
      'password',
      '://',
      'Bearer ',
      'token=',
      '\n',
    )
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join('')
        lineOf({ [text]: text, inner: { text } }, text)
      }),
      { seed, numRuns: count(200, 5000) },
    )
  })
})
