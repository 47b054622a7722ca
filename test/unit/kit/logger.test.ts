import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CataloguedError } from '#shared/errors/result.ts'
import { createLogger, FaultLog, withoutSecrets } from '#kit/logger.ts'
import { count, seed } from '#support/counts.ts'

const canary = 'c4n4ry'
const token = 'ab12'.repeat(32)

/** Returns the line that a logger writes for these facts. */
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

/** Returns the error message in the line that a logger writes for an error. */
function messageOf(text: string): string {
  return (JSON.parse(lineOf({ err: new Error(text) })) as { err: { message: string } }).err.message
}

/** Wraps a value in `depth` objects. */
function nested(value: unknown, depth: number): unknown {
  return depth === 0 ? value : { inner: nested(value, depth - 1) }
}

const shortNames = ['pass_word', 'pass phrase', 'otp', 'pw', 'sig', 'PHPSESSID', 'sessionId']

describe('a secret under a key such as “password”', () => {
  it.each([0, 1, 2, 3, 4, 5, 12, 30, 100])('is in no log line if it is %d levels deep', (depth) => {
    for (const key of [
      'password',
      'Refresh_Token',
      'hash_secret',
      'x-api-key',
      'Set-Cookie',
      'auth',
      ...shortNames,
    ])
      for (const value of [canary, [canary], { value: canary }]) {
        expect(lineOf({ call: nested({ [key]: value }, depth) })).not.toContain(canary)
        expect(
          lineOf({ err: Object.assign(new Error('x'), { a: nested({ [key]: value }, depth) }) }),
        ).not.toContain(canary)
      }
  })

  it.each([0, 1, 2, 3])(
    'is in no log line if its JSON text is encoded %d times as a string in other JSON text',
    (times) => {
      let text = JSON.stringify({
        id: 'a-1',
        body: { refresh_token: canary, x: 1 },
        password: `"${canary}\\`,
      })
      for (let at = 0; at < times; at++) text = JSON.stringify({ body: text })
      expect(messageOf(text)).not.toContain(canary)
      expect(messageOf(text)).toContain('a-1')
      expect(lineOf({ body: text })).not.toContain(canary)
    },
  )

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
    `hash_secret%3D${canary}, id 7`,
    `%22hash_secret%22%3A%22${canary}%22 id 7`,
    `a=b%26hash_secret%253d${canary} 7`,
    `password => ${canary}, id => 7`,
    `['password' => '${canary}', 'id' => 7]`,
    `password := ${canary} id := 7`,
    `hash_secret\\u003d${canary} 7`,
    `hash_secret\\x3D${canary} 7`,
    `secret['a']='${canary}' 7`,
    `secret["a"][0] = "${canary}" 7`,
    `secret.a=${canary} 7`,
    `a.b.pass.c = ${canary} 7`,
    `config.pass: ${canary} 7`,
    `password='it''s ${canary}' id 7`,
    `Authorization: Digest username="x", response="${canary}"\r\nid 7`,
    `Authorization: Digest username=${canary}, response="x"\r\nid 7`,
    `refresh_token[0]=${canary}&id=7`,
    `refresh_token%5B0%5D=${canary}&id=7`,
    `tokens[refresh][x]: ${canary}, id 7`,
    `form[password]=${canary}&id=7`,
    `Enter pass phrase: ${canary}, id 7`,
    `"API key": "${canary}", "id": 7`,
    `Passwort: ${canary}, id 7`,
    `Wachtwoord=${canary}&id=7`,
    `Kennwort: ${canary}, id 7`,
    `otp=${canary}&pw=${canary}&sig=${canary}&id=7`,
    `JSESSIONID=${canary}; id=7`,
    `session id: ${canary}, id: 7`,
    `GET 7 https://h/f.pdf;jsessionid=${canary}`,
    `Endpoint=https://h:7/;AccountKey=${canary};x`,
    `run --password ${canary} --id 7`,
    `run --password "a ${canary}" --id 7`,
    `["--api-key","${canary}","7"]`,
    `{ name: "password", value: "${canary}", id: 7 }`,
    `{"id":7,"name":"X-Api-Key","type":"text","value":"a ${canary}"}`,
    JSON.stringify(JSON.stringify({ key: 'token', value: canary, id: 7 })),
  ])('is removed from the text %s', (text) => {
    expect(messageOf(text)).not.toContain(canary)
    expect(withoutSecrets(text)).not.toContain(canary)
    if (text.includes('7')) expect(messageOf(text)).toContain('7')
  })
})

describe('a secret in a list after its name, or in an object that also contains its name', () => {
  it.each([
    { arguments: ['--password', canary, '--id', '7'] },
    { headers: [{ name: 'Set-Cookie', value: canary }, { value: '7' }] },
    { field: { value: { inner: canary }, key: 'password', id: 7 } },
    { rawHeaders: ['Host', '7', 'Authorization', `Digest ${canary}`, 'Cookie', canary] },
    {
      headers: [
        ['authorization', canary],
        ['id', '7'],
      ],
    },
  ])('is removed from %j', (facts) => {
    expect(lineOf(facts)).not.toContain(canary)
    expect(lineOf(facts)).toMatch(/[":]7/)
  })
})

describe('a secret that is not under a key such as “password”', () => {
  it.each([
    [`proxy //u:${canary}@host/a failed`, 'proxy //[secret]@host/a failed'],
    [`proxy=u:${canary}@host:3128 failed`, 'proxy=[secret]@host:3128 failed'],
    [`(u:${canary}:@x@[::1]/a) failed`, '([secret]@[::1]/a) failed'],
    [`u:${canary}@host:1,https://u:${canary}@b/`, '[secret]@host:1,https://[secret]@b/'],
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
    [`GET https://h/a;v=1;s=${canary}/b failed`, 'GET https://h/a?[query] failed'],
    [`https://u:p;a=${canary}@host/a failed`, 'https://[secret]?[query] failed'],
    [`GET /a.pdf?x&a[0]=1&s=${canary} failed`, 'GET /a.pdf?[query] failed'],
    [`BEARER ${canary} x`, 'BEARER [secret] x'],
    [`bearer  ${canary} x`, 'bearer [secret] x'],
    [`bAsIc: ${canary} x`, 'bAsIc [secret] x'],
    [`a%20Bearer%20${canary} x`, 'a%20Bearer [secret] x'],
    [`x%20eyJhbGciOiJIUzI1NiJ9.${canary}.${canary} x`, 'x%20[secret] x'],
    [`token ${token} x`, 'token [secret] x'],
    [`${token.toUpperCase()}.`, '[secret].'],
  ])('is replaced in the error message: %s', (text, censored) => {
    expect(messageOf(text)).toBe(censored)
  })

  it('is removed from the params of a failure, in which only codes and numbers stay', () => {
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

describe('a log line', () => {
  it('contains ids, codes, addresses, file names and numbers unchanged', () => {
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
      file: 'at read (file:///opt/app/access-tokens.ts:10:5)',
      rawHeaders: ['Host', 'a.example', 'Accept', 'text/csv'],
      sentence: 'Is it so? a = b: yes',
      arguments: ['--password-file', '/run/a', '--password', '--id', '7', 'token', 'x'],
      command: 'run --secret-file /run/a --id 7; no password is known',
      pair: { name: 'Content-Type', value: 'text/csv' },
      pairs: '{"name":"Content-Type","value":"text/csv"}',
      mails: 'mailto:kim@example.org, cc:lee@example.org',
      packages: '/x/node_modules/@scope/a/b.js:10:5 (C:/x/a@1.2.3/b.js:1:2)',
      censored: 'token [secret]: it failed',
      comment: 'see //host/a:b@c and a // b',
      path: 'at https://h/a;b/c, http://a:80; then x = 1',
      call: 'session:login failed, session: open, pin: 5, passage: 3, sessionIdle: 7',
      session: 'open',
      pin: 5,
      sessionIdleMs: 7,
      tokenKnown: true,
      password: null,
      again: 12,
    }
    expect(JSON.parse(lineOf(facts, 'a call failed'))).toMatchObject({ ...facts, msg: 'a call failed' })
  })

  it('that is not valid JSON is also censored', () => {
    expect(withoutSecrets(`{"level":30,"password":"${canary}","id":"a-1`)).toBe(
      '{"level":30,"password":"[secret]","id":"a-1',
    )
  })

  it('of 200,000 characters is censored in less than a second, whichever sign or name it repeats', () => {
    const timeOf = (text: string): number => {
      const begin = performance.now()
      withoutSecrets(text)
      return performance.now() - begin
    }
    const parts = [
      '//',
      'a:',
      '//a:',
      '//a:b@',
      'a:b@c',
      'token[',
      'token[a]',
      '[',
      '--',
      '--a ',
      '--token ',
      ' ',
      '%3D',
    ]
    const more = [
      'token%3D',
      'name:token,',
      'value:',
      'name:',
      '\\',
      'token\\',
      '%5B',
      'a%5Ba',
      '-',
      'a@',
      '@',
      '%25',
      'token=>',
      'token.a',
      '.a',
      'a.a=',
      "token['",
      'token["a"]',
      'token[\\',
      "token=''",
      'Cookie: ="',
      'Cookie: a=',
      'Cookie: a="\\',
      'token\\u003d',
      'pass ',
      'session id',
      '://;',
      ';a',
    ]
    for (const part of [...parts, ...more])
      expect(timeOf(part.repeat(200_000 / part.length)), part).toBeLessThan(1_000)
  })

  it('is valid JSON for every logged value', () => {
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

describe('the log of faults', () => {
  function openFaults(): {
    write: (error: unknown) => void
    lines: string[]
    pass: (ms: number) => void
  } {
    const lines: string[] = []
    let now = 0
    const faults = new FaultLog(() => now)
    const logger = createLogger('test', { level: 'info', destination: { write: (line) => lines.push(line) } })
    return {
      write: (error) => faults.write(logger, error, 'a fault'),
      lines,
      pass: (ms) => void (now += ms),
    }
  }
  const bytes = (lines: readonly string[]): number =>
    lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0)

  it('needs less than 200 kB for 10,000 faults of one line of code, and says before the first fault of the next hour that lines were left out', () => {
    const { write, lines, pass } = openFaults()
    for (let n = 0; n < 10_000; n++) write(new TypeError(`the body ${String(n)} does not fit`))
    expect(bytes(lines)).toBeLessThan(200_000)
    expect(lines[0]).toContain('the body 0 does not fit')
    pass(3600_000)
    write(new TypeError('once more'))
    expect(lines.at(-2)).toContain('lines about faults were left out')
    expect(lines.at(-1)).toContain('once more')
  })

  it('contains the first fault of each line of code, even after 10,000 different faults of another line', () => {
    const { write, lines } = openFaults()
    for (let n = 0; n < 10_000; n++) write(new Error(`fault ${String(n)}`))
    const before = lines.length
    write(new Error('of another place'))
    expect(lines).toHaveLength(before + 1)
    expect(before).toBeLessThan(500)
  })

  it('contains the stack of a fault, but not its message, if the message is very long', () => {
    const { write, lines } = openFaults()
    for (let n = 0; n < 300; n++) write(new CataloguedError('store.full', {}, { cause: 'x'.repeat(100_000) }))
    write(new Error('x'.repeat(100_000)))
    expect(bytes(lines)).toBeLessThan(200_000)
    expect(lines.at(-1)).toContain('logger.test.ts')
    write('a text')
    expect(lines.at(-1)).toContain('a text')
    const circle: { own?: unknown } = {}
    circle.own = circle
    write(Object.assign(new Error('a circle'), { circle }))
    expect(lines.at(-1)).toContain('too long')
  })
})
