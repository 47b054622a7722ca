import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { Exchange } from '#remote/exchange.ts'
import { type CallTopic, judge } from '#remote/judge.ts'
import { errorCodes } from '#shared/errors/catalogue.ts'

const schema = z.object({ id: z.string() })

function judged(exchange: Exchange, topic: CallTopic = 'other'): string {
  const outcome = judge(exchange, schema, topic, 'host')
  return outcome.kind === 'answer' ? `answer ${outcome.value.id}` : `${outcome.kind} ${outcome.failure.code}`
}

function response(status: number, body: string, headers: Record<string, string> = {}): Exchange {
  const all = { 'content-type': 'application/json', ...headers }
  return { kind: 'response', status, headers: all, body: Buffer.from(body) }
}

function failed(code: string, sent: boolean): Exchange {
  return { kind: 'failed', code, sent, reusedSocket: false }
}

describe('the date of a response', () => {
  it.each([
    ['Sun, 01 Mar 2026 12:00:00 GMT', Date.UTC(2026, 2, 1, 12)],
    ['Fri, 01 Jan 10000 00:00:00 GMT', null],
    ['Sat, 13 Sep 275760 00:00:00 GMT', null],
    ['Mon, 01 Jan 1800 00:00:00 GMT', null],
    ['tomorrow', null],
  ])('"%s" becomes the time of the service only if it is plausible', (date, serverDate) => {
    expect(judge(response(200, '{"id":"a"}', { date }), schema, 'other', 'host')).toMatchObject({
      kind: 'answer',
      serverDate,
    })
  })
})

describe('judge()', () => {
  it.each([
    [response(200, '{"id":"a"}'), 'answer a'],
    [response(201, '{"id":"a","more":1}'), 'answer a'],
    [response(200, '{"id":1}'), 'ambiguous api.malformed_answer'],
    [response(200, '{"id":'), 'ambiguous api.malformed_answer'],
    [response(200, ''), 'ambiguous api.malformed_answer'],
    [response(204, ''), 'ambiguous api.malformed_answer'],
    [response(500, '{"error":"x"}'), 'ambiguous api.unavailable'],
    [response(502, '<html>', { 'content-type': 'text/html' }), 'ambiguous api.unavailable'],
    [response(417, '{"error":"x"}'), 'ambiguous api.unavailable'],
    [response(400, '{"error":"x"}'), 'refused api.rejected'],
    [response(401, '{}'), 'refused session.expired'],
    [response(403, '{}'), 'refused api.role_missing'],
    [response(404, '{}'), 'refused api.not_found'],
    [response(409, ''), 'refused api.rejected'],
    [response(412, '{}'), 'refused api.rejected'],
    [response(429, 'slow down', { 'content-type': 'text/plain' }), 'refused api.too_many_requests'],
    [response(302, '', { location: 'http://x/' }), 'not_sent network.not_the_service'],
    [response(407, '{}'), 'not_sent network.not_the_service'],
    [response(511, '<html>log in'), 'not_sent network.not_the_service'],
    [response(511, '{}'), 'not_sent network.not_the_service'],
    [
      response(404, '404 page not found', { 'content-type': 'text/plain' }),
      'not_sent network.not_the_service',
    ],
    [response(417, 'oh', { 'content-type': 'text/plain' }), 'ambiguous api.unavailable'],
    [response(417, '<html>', { 'content-type': 'text/html' }), 'ambiguous api.unavailable'],
    [response(200, '<html>hotel', { 'content-type': 'text/html' }), 'ambiguous network.not_the_service'],
    [response(200, '  <!doctype html>'), 'ambiguous network.not_the_service'],
    [response(201, '{"id":"a"}', { 'content-type': 'text/html' }), 'ambiguous network.not_the_service'],
    [response(303, '', { location: '/login' }), 'not_sent network.not_the_service'],
    [response(403, '<html>blocked', { 'content-type': 'text/html' }), 'not_sent network.not_the_service'],
    [failed('ECONNREFUSED', false), 'not_sent network.offline'],
    [failed('ERR_INVALID_CHAR', false), 'not_sent station.invalid_code'],
    [failed('CERT_HAS_EXPIRED', false), 'not_sent network.certificate'],
    [failed('ECONNRESET', true), 'ambiguous network.interrupted'],
    [failed('TIMEOUT', true), 'ambiguous network.timeout'],
    [{ kind: 'broken', status: 200, code: 'TRUNCATED' } as const, 'ambiguous network.interrupted'],
    [{ kind: 'broken', status: 200, code: 'TIMEOUT' } as const, 'ambiguous network.timeout'],
    [{ kind: 'broken', status: 200, code: 'TOO_LARGE' } as const, 'ambiguous api.malformed_answer'],
  ])('judges the exchange %j as %s', (exchange, meaning) => {
    expect(judged(exchange)).toBe(meaning)
  })

  it.each([
    ['parses the body of a refusal once', 400, 200_000, 1, 'refused api.rejected'],
    ['parses nothing of a refusal of more than 1 MiB', 400, 1_100_000, 0, 'not_sent network.not_the_service'],
    [
      'parses the body of a success of more than 1 MiB once',
      200,
      1_100_000,
      1,
      'ambiguous api.malformed_answer',
    ],
    ['parses nothing of a failure of the service', 503, 200_000, 0, 'ambiguous api.unavailable'],
  ])('%s', (_, status, bytes, times, meaning) => {
    const exchange = response(status, JSON.stringify({ id: 'a', error: 'x', more: ' '.repeat(bytes) }))
    const parse = vi.spyOn(JSON, 'parse')
    try {
      expect(judged(exchange)).toBe(meaning)
      expect(parse).toHaveBeenCalledTimes(times)
    } finally {
      parse.mockRestore()
    }
  })

  it.each([
    [401, '{"code":401,"message":"Invalid credentials."}', 'refused session.invalid_credentials'],
    [400, '{"code":400,"message":"Invalid WMS."}', 'refused session.unknown_wms'],
    [403, '{"code":403,"message":"No."}', 'refused session.unknown_customer'],
    [400, '{"code":400,"message":"Unknown customer."}', 'refused session.unknown_customer'],
    [400, '{"errors":{"username":["Required"]}}', 'refused api.rejected'],
    [429, '{}', 'refused session.too_many_logins'],
  ])('judges the response to a login with the status %i and the body %s as %s', (status, body, meaning) => {
    expect(judged(response(status, body), 'login')).toBe(meaning)
  })

  it.each([
    ['40', 40],
    ['Sun, 01 Mar 2026 12:02:00 GMT', 120],
    ['Sun, 01 Mar 2026 11:00:00 GMT', undefined],
    ['0', undefined],
    ['soon', undefined],
    ['', undefined],
  ])(
    'returns for a login that was refused with Retry-After "%s" the seconds to wait, or none if this header has no time in the future',
    (said, waitSeconds) => {
      const headers = { date: 'Sun, 01 Mar 2026 12:00:00 GMT', 'retry-after': said }
      const outcome = judge(response(429, '{}', headers), schema, 'login', 'host')
      expect(outcome).toMatchObject({ failure: { code: 'session.too_many_logins' } })
      expect(outcome.kind === 'refused' && outcome.failure.params['waitSeconds']).toBe(waitSeconds)
    },
  )

  it('recognises in `error` and in `errors` that a shipping method cannot create return labels', () => {
    const words = 'Shipping method does not support return labels.'
    for (const body of [{ error: words }, { errors: { shipping_method: [words] } }])
      expect(judged(response(400, JSON.stringify(body)), 'return_label')).toBe(
        'refused return_label.method_unsupported',
      )
    expect(judged(response(400, '{"error":"Shipping method not found."}'), 'return_label')).toBe(
      'refused api.rejected',
    )
  })

  it('returns different codes for a return label that is unknown, already requested or cancelled', () => {
    expect(judged(response(404, '{}'), 'return_label')).toBe('refused return_label.unknown')
    expect(judged(response(412, '{}'), 'return_label')).toBe('refused return_label.already_requested')
    expect(judged(response(400, '{"error":"Return label is cancelled."}'), 'return_label')).toBe(
      'refused return_label.cancelled',
    )
    for (const reason of ['No way.', 'This label cannot be cancelled.', 'Not cancelled.'])
      expect(judged(response(400, JSON.stringify({ error: reason })), 'return_label')).toBe(
        'refused api.rejected',
      )
  })

  it.each([
    'sender_address.street_number',
    'senderAddress.streetNumber',
    'streetNumber',
    'senderAddress[streetNumber]',
  ])('returns the field of the sender’s address that an error names as %s', (path) => {
    const body = { error: 'Wrong.', errors: { '0': 'Wrong.', [path]: ['Too long.', 'Really.'] } }
    expect(judge(response(400, JSON.stringify(body)), schema, 'return_label', 'host')).toMatchObject({
      failure: {
        code: 'return_label.address_invalid',
        params: { field: 'street_number', reason: 'Too long. Really.' },
      },
    })
  })

  it('returns a general refusal, not an address error, if the service names a field outside the address', () => {
    const body = { error: 'Not unique.', errors: { externalReference: ['Not unique.'] } }
    expect(judged(response(400, JSON.stringify(body)), 'return_label')).toBe('refused api.rejected')
  })

  it('returns the shortened message of a refusal, and the time in the Date header of the response', () => {
    const date = 'Sun, 01 Mar 2026 12:00:00 GMT'
    const body = JSON.stringify({ errors: { '0': 'Not unique', externalReference: ['Not unique'] } })
    expect(judge(response(400, body, { date }), schema, 'other', 'host')).toMatchObject({
      failure: { params: { status: 400, reason: 'Not unique; Not unique' } },
      serverDate: Date.parse(date),
    })
    const long = JSON.stringify({ error: 'x'.repeat(5_000) })
    const outcome = judge(response(400, long), schema, 'other', 'host')
    expect(outcome.kind === 'refused' && outcome.failure.params['reason']).toHaveLength(200)
  })
})

/**
 * Codes of the catalogue that no response causes: the desk itself detects that no operator is logged in, that it could
 * not check a write, and that another program always responds to a write.
 */
const codesOfTheDesk = ['session.signed_out', 'api.not_checked', 'api.blocked']

describe('the error catalogue', () => {
  const topics = ['login', 'return_label', 'other'] as const satisfies readonly CallTopic[]
  const bodies = ['{"id":"a"}', '{"message":"Invalid WMS."}', '{"message":"Unknown customer."}', '{"id":']
  const produced = new Set(
    topics.flatMap((topic) =>
      Array.from({ length: 500 }, (_, at) => 100 + at).flatMap((status) =>
        bodies.flatMap((body) => {
          const outcome = judge(response(status, body), schema, topic, 'host')
          return outcome.kind === 'answer' ? [] : [outcome.failure.code]
        }),
      ),
    ),
  )

  it.each(errorCodes.filter((code) => /^(api|session)\./.test(code)))(
    'contains no api or session code that neither judge() nor the desk itself returns: %s',
    (code) => {
      expect([...produced, ...codesOfTheDesk]).toContain(code)
    },
  )

  it('contains every code that judge() returns for a response', () => {
    expect([...produced].filter((code) => !errorCodes.includes(code))).toEqual([])
  })
})
