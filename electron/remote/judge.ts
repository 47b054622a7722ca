import type { z } from 'zod'
import type { ApiOutcome } from '#desk/ports/api.ts'
import { type ErrorCode, type ErrorParams, type Failure, failure } from '#shared/errors/catalogue.ts'
import { type SenderAddress, senderAddress } from '#shared/wire/address.ts'
import { type ErrorBody, errorBody } from '#shared/wire/error-body.ts'
import { exceedsLimits, longestReason, mostReasons } from '#shared/wire/limits.ts'
import { isPlausibleMoment } from '#shared/wire/primitives.ts'
import { type Exchange, isCertificateCode } from './exchange.ts'
import { readRecord } from './row-page.ts'

/**
 * The kind of call, which determines the meaning of a status: a 401 means an expired session, except in the response to
 * a login.
 */
export type CallTopic = 'login' | 'return_label' | 'other'

type Response = Extract<Exchange, { kind: 'response' }>

/**
 * Translates an exchange into the outcome of its call (API.md 1.10). First decides whether the service or another
 * program responded, then reads the response. After a 417 ("unexpected error") or any 5xx except 511 it is unknown
 * whether the service has applied the call. `secrets`: the credentials of the call, which a gateway may repeat in its
 * refusal. They are removed, because the reason of a refusal is stored and shown.
 */
export function judge<T>(
  exchange: Exchange,
  schema: z.ZodType<T>,
  topic: CallTopic,
  host: string,
  secrets: readonly string[] = [],
): ApiOutcome<T> {
  switch (exchange.kind) {
    case 'failed':
      return exchange.sent
        ? { kind: 'ambiguous', status: null, failure: brokenFailure(exchange.code, host) }
        : { kind: 'not_sent', failure: unsentFailure(exchange.code, host) }
    case 'broken':
      return { kind: 'ambiguous', status: exchange.status, failure: brokenFailure(exchange.code, host) }
    case 'response':
      return judgeResponse(exchange, schema, { topic, host, secrets })
  }
}

function judgeResponse<T>(
  response: Response,
  schema: z.ZodType<T>,
  { topic, host, secrets }: { topic: CallTopic; host: string; secrets: readonly string[] },
): ApiOutcome<T> {
  const { status } = response
  const json = jsonOf(response)
  if (isForeign(response, json)) {
    const foreign = failure('network.not_the_service', { host })
    // If the status means success, the service may have applied the call although the body is no JSON of the service:
    // another program may have added a notice before the JSON, or the service has sent the JSON as text/html.
    return status < 300
      ? { kind: 'ambiguous', status, failure: foreign }
      : { kind: 'not_sent', failure: foreign }
  }
  if (status >= 500 || status === 417 || status < 200)
    return { kind: 'ambiguous', status, failure: failure('api.unavailable', { status }) }
  if (status >= 400)
    return {
      kind: 'refused',
      status,
      failure: refusal(response, topic, errorBodyOf(json, secrets)),
      serverDate: serverDate(response),
      ...storage(response),
    }
  const parsed = parsedBody(schema, json)
  if (!parsed?.success)
    return { kind: 'ambiguous', status, failure: failure('api.malformed_answer', { status }) }
  return {
    kind: 'answer',
    status,
    value: parsed.data,
    serverDate: serverDate(response),
    ...storage(response),
  }
}

/**
 * Maximum number of bytes of a refusal that is read. The desk uses at most 2,000 characters of a refusal, and a larger
 * one would occupy the main process for as long as a whole list.
 */
const largestRefusalBytes = 1024 * 1024

/** Returns the parsed body; undefined if it is not JSON, for a 3xx or 5xx, and for a refusal that is too large. */
function jsonOf({ status, body }: Response): unknown {
  if (status < 300) return parseJson(body)
  return status >= 400 && status < 500 && body.length <= largestRefusalBytes ? parseJson(body) : undefined
}

/**
 * Parses a body with the schema; null if the body is a record that exceeds the limits. The rows of a list have no
 * limits here, because row-page.ts checks each of them.
 */
function parsedBody<T>(schema: z.ZodType<T>, json: unknown): z.ZodSafeParseResult<T> | null {
  if (Array.isArray(json)) return schema.safeParse(json)
  return exceedsLimits(json) ? null : readRecord(schema, json)
}

/**
 * Whether a response comes from another program than the service: a captive portal, a proxy or the wrong web server.
 * Such a response is a redirect, a request to log in to a network, a page, a refusal whose body is no JSON (API.md
 * 1.4), or a refusal with a very large body. A refusal with an empty body, a 429 in plain text (which gateways send), a
 * 417, and a 5xx except 511 count as responses of the service. `json`: the parsed body.
 */
function isForeign({ status, headers, body }: Response, json: unknown): boolean {
  if ((status >= 300 && status < 400) || status === 407 || status === 511) return true
  // 417 and every 5xx status except 511 count as responses of the service, even if another program sent them, because
  // the service may have applied the call
  if (status >= 500 || status === 417) return false
  if (status >= 400 && !isTooMany(status) && body.length > 0 && json === undefined) return true
  const startsAsPage = new TextDecoder().decode(body.subarray(0, 64)).trimStart().startsWith('<')
  return startsAsPage || /^text\/html\b/i.test(headers['content-type'] ?? '')
}

function unsentFailure(code: string, host: string): Failure {
  // the WMS code or the customer code of the station contains a character that no header may contain; this happens only
  // if the settings file was edited by hand
  if (code === 'ERR_INVALID_CHAR') return failure('station.invalid_code')
  return failure(isCertificateCode(code) ? 'network.certificate' : 'network.offline', { host, cause: code })
}

function brokenFailure(code: string, host: string): Failure {
  if (code === 'TIMEOUT') return failure('network.timeout', { host })
  if (code === 'TOO_LARGE') return failure('api.malformed_answer', { host, cause: code })
  return failure('network.interrupted', { host, cause: code })
}

function refusal(response: Response, topic: CallTopic, body: ErrorBody | null): Failure {
  const { status } = response
  const reason = reasonOf(body)
  const params = reason === '' ? { status } : { status, reason }
  if (topic === 'login')
    return failure(loginCode(status, reason), isTooMany(status) ? { ...params, ...waitOf(response) } : params)
  if (topic === 'return_label' && status === 400) return refusedLabel(body, params)
  if (topic === 'return_label' && status === 412 && saysCancelled(reason))
    return failure('return_label.cancelled', params)
  return failure(refusalCode(status, topic), params)
}

function saysCancelled(reason: string): boolean {
  return /\bcancell?ed\b/i.test(reason) && !/\b(not|cannot|can't)\b/i.test(reason)
}

/**
 * Returns the failure for a refused label. If a business rule of the service forbids the label, the status is always
 * 400 (API.md 1.10). Only the texts and field names in the body show which rule it is.
 */
function refusedLabel(body: ErrorBody | null, params: ErrorParams): Failure {
  if (!body) return failure('api.rejected', params)
  const field = refusedSenderField(body)
  if (field) return failure('return_label.address_invalid', { ...params, ...field })
  const reason = String(params['reason'] ?? '')
  if (/\bmethod\b.*\breturn labels?\b/i.test(reason))
    return failure('return_label.method_unsupported', params)
  return failure(saysCancelled(reason) ? 'return_label.cancelled' : 'api.rejected', params)
}

/** Returns the code of the error catalogue for a refusal. All decisions of the desk use this code. */
export function refusalCode(status: number, topic: CallTopic): ErrorCode {
  switch (status) {
    case 401:
      return 'session.expired'
    case 403:
      return 'api.role_missing'
    case 404:
      return topic === 'return_label' ? 'return_label.unknown' : 'api.not_found'
    case 412:
      return topic === 'return_label' ? 'return_label.already_requested' : 'api.rejected'
    case 429:
      return 'api.too_many_requests'
    default:
      return 'api.rejected'
  }
}

function isTooMany(status: number): boolean {
  return refusalCode(status, 'other') === 'api.too_many_requests'
}

function loginCode(status: number, reason: string): ErrorCode {
  if (status === 401) return 'session.invalid_credentials'
  if (isTooMany(status)) return 'session.too_many_logins'
  if (/\bwms\b/i.test(reason)) return 'session.unknown_wms'
  return status === 403 || /\bcustomer\b/i.test(reason) ? 'session.unknown_customer' : 'api.rejected'
}

/**
 * Returns the error body of a failed call in one of the service's forms, shortened to its useful part and without the
 * given secrets. Returns null for any other body.
 */
export function errorBodyOf(json: unknown, secrets: readonly string[] = []): ErrorBody | null {
  return errorBody.safeParse(shortened(json, 0, secrets)).data ?? null
}

/** Shortens texts and removes the secrets from them, and keeps only the first entries of lists and objects. */
function shortened(value: unknown, depth: number, secrets: readonly string[]): unknown {
  // the secrets are removed before the text is cut, because a cut inside a secret would leave the first part of the
  // secret in the text
  if (typeof value === 'string')
    return secrets
      .reduce((text, secret) => text.replaceAll(secret, '[secret]'), value)
      .slice(0, longestReason)
  if (typeof value !== 'object' || value === null || depth > 3) return value
  if (Array.isArray(value))
    return value.slice(0, mostReasons).map((one) => shortened(one, depth + 1, secrets))
  const entries: [string, unknown][] = []
  for (const name in value) {
    if (entries.length >= mostReasons) break
    if (Object.hasOwn(value, name))
      entries.push([
        name.slice(0, longestReason),
        shortened((value as Record<string, unknown>)[name], depth + 1, secrets),
      ])
  }
  return Object.fromEntries(entries)
}

/**
 * Returns the service's own text from any of its error forms; empty for null. It is shortened, because it becomes a
 * part of a message.
 */
export function reasonOf(body: ErrorBody | null): string {
  if (!body) return ''
  const { error, message, errors } = body
  const reason =
    error ??
    message ??
    Object.values(errors ?? {})
      .flat()
      .join('; ')
  return reason.slice(0, 200)
}

/** Parses JSON; undefined if the body is not JSON. */
export function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}

/**
 * Returns the waiting time in `Retry-After`, which has seconds or a date (RFC 9110). Returns an empty object if the
 * header is missing or not in the future.
 */
function waitOf(response: Response): { waitSeconds?: number } {
  const said = response.headers['retry-after'] ?? ''
  const seconds = /^\d{1,9}$/.test(said)
    ? Number(said)
    : Math.ceil((Date.parse(said) - (serverDate(response) ?? Number.NaN)) / 1000)
  return seconds > 0 ? { waitSeconds: seconds } : {}
}

function serverDate({ headers }: Response): number | null {
  const ms = Date.parse(headers.date ?? '')
  return isPlausibleMoment(ms) ? ms : null
}

/**
 * Marks a response that a cache has stored. Such a response contains its age in seconds (RFC 9111, 5.1). A request asks
 * for a new response, but the administrator of a cache can configure that it sends a stored response all the same.
 */
function storage({ headers }: Response): { isStored?: true } {
  return Number.parseInt(headers.age ?? '', 10) > 0 ? { isStored: true } : {}
}

interface RefusedField {
  /** The name of the field in the API. */
  readonly field: keyof SenderAddress
  readonly reason: string
}

/**
 * Returns the first field of the sender's address that the service's errors name, or null. The service may name the
 * field alone or with its path, in snake_case or camelCase: `sender_address.street_number`,
 * `senderAddress.streetNumber`, `streetNumber`.
 */
export function refusedSenderField({ errors }: ErrorBody): RefusedField | null {
  for (const [path, messages] of Object.entries(errors ?? {})) {
    const field = toSenderField(path)
    if (field) return { field, reason: [messages].flat().join(' ').slice(0, 200) }
  }
  return null
}

function toSenderField(path: string): keyof SenderAddress | null {
  const last = path.split(/[.[\]]+/).findLast((part) => part !== '') ?? ''
  const name = last.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const fields = senderAddress.keyof().options
  return fields.find((field) => field === name) ?? null
}
