import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Modification } from '#shared/wire/modification.ts'
import { type ReturnLabel, returnLabelCreate } from '#shared/wire/return-label.ts'
import type { Variant } from '#shared/wire/variant.ts'
import { anyMethodId } from './label-wishes.ts'
import { plainLabel } from './plain-label.ts'
import { changeScripted, createScripted, found, type Reply } from './scripted-labels.ts'
import { type ScriptedLabel, scriptedShipment } from './scripted-records.ts'
import {
  createScriptedModification,
  scriptedArticles,
  scriptedModification,
  scriptedModifications,
  scriptedVariant,
} from './scripted-stock.ts'

/**
 * The fault of one call. With `_after` in its name: the service applied the call, but the client gets no correct
 * response. Without it: the service never applied the call.
 */
export const faults = [
  'reset_before',
  'reset_after',
  'truncated_after',
  'broken_json_after',
  'wrong_shape_after',
  'page_after',
  'server_error_before',
  'server_error_after',
  'unexpected_417_before',
  'unexpected_417_after',
  'silence_before',
  'silence_after',
  'unauthorised',
  'too_many',
  'portal_page',
  'redirect',
] as const
export type Fault = (typeof faults)[number]

export interface Call {
  readonly method: string
  readonly path: string
  readonly token: string | null
}

/**
 * Decides about each call when it arrives. Null: the service processes the call. `forbidden`: a role is missing.
 * `no_such_path`: 404.
 */
export type Script = (call: Call, number: number) => Fault | 'forbidden' | 'no_such_path' | null

/**
 * A simple service with a script of faults. Tests compare the desk with the records of this service. As at the real
 * service, a creation is not idempotent.
 */
export class ScriptedService {
  readonly calls: Call[] = []
  readonly labels: ScriptedLabel[] = []
  readonly shipments = Array.from({ length: 3 }, (_, index) => scriptedShipment(index + 1))
  readonly modifications: Modification[] = []
  readonly variants = Array.from({ length: 3 }, (_, index) => scriptedVariant(index + 1))
  script: Script = () => null
  /** Whether the service has a shipping method. It never has more than one. */
  hasMethod = true
  /** The roles in the tokens that the service issues. */
  roles: readonly string[] = []
  /** Tokens that are refused with 401 from now on. */
  readonly dead = new Set<string>()
  document = plainLabel
  delayMs = 0
  /** Holds the response to a call until the promise resolves. Null: the response is not held. */
  hold: (call: Call) => Promise<void> | null = () => null
  /**
   * A cache between desk and service that sends each stored list again. `obedient`: it sends no stored list, but asks
   * the service, if the request contains `Cache-Control: no-cache`. `marked`: it ignores `Cache-Control` of the
   * request, and its responses contain their `Age`.
   */
  cache: 'obedient' | 'marked' | null = null
  /** Number of lists that the cache has sent again. */
  resent = 0
  readonly #stored = new Map<string, string>()
  readonly #refreshTokens = new Set<string>()
  #tokens = 0
  #server: Server | null = null
  #port = 0

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Starts listening. After a `stop` the service listens on the same port again. */
  async start(): Promise<void> {
    const server = createServer((request, response) => void this.#answer(request, response))
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(this.#port, '127.0.0.1', resolve)
    })
    this.#port = (server.address() as AddressInfo).port
    this.#server = server
  }

  async stop(): Promise<void> {
    const server = this.#server
    this.#server = null
    if (!server) return
    server.closeAllConnections()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }

  count(method: string, pattern: RegExp): number {
    return this.calls.filter((call) => call.method === method && pattern.test(call.path)).length
  }

  labelsOf(shipmentId: string): ScriptedLabel[] {
    return this.labels.filter((label) => label.shipmentId === shipmentId)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    // The call comes from the client of a printer that used this port before.
    if (request.headers['content-type'] === 'application/ipp') {
      response.writeHead(404).end()
      return
    }
    const url = new URL(request.url ?? '/', this.url)
    if (this.#sendStored(request, response)) return
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? null
    const call = { method: request.method ?? '', path: url.pathname, token }
    this.calls.push(call)
    const fault = this.script(call, this.calls.length)
    if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs))
    await this.hold(call)
    const body = Buffer.concat(pieces).toString()
    const isBefore = fault !== null && !fault.endsWith('_after')
    const reply = isBefore ? null : this.#apply(call, url, body === '' ? null : (JSON.parse(body) as unknown))
    if (this.cache !== null && call.method === 'GET' && Array.isArray(reply?.body))
      this.#stored.set(url.href, JSON.stringify(reply.body))
    send(response, fault, reply)
  }

  /** Sends a list of the cache. Returns false if the service must process the call. */
  #sendStored({ method, url, headers }: IncomingMessage, response: ServerResponse): boolean {
    const stored = this.#stored.get(`${this.url}${url ?? ''}`)
    if (this.cache === null || method !== 'GET' || stored === undefined) return false
    if (this.cache === 'obedient' && headers['cache-control'] === 'no-cache') return false
    this.resent++
    const age = this.cache === 'marked' ? { age: '5' } : {}
    response.writeHead(200, { 'content-type': 'application/json', ...age }).end(stored)
    return true
  }

  #apply(call: Call, url: URL, body: unknown): Reply {
    const { method, path, token } = call
    const fields = body as Record<string, string> | null
    if (path === '/wms/auth/login/') return this.#login(fields?.['password'] ?? '')
    if (path === '/wms/auth/refresh/') return this.#refresh(fields?.['refresh_token'] ?? '')
    if (path === '/file.pdf') return { status: 200, body: this.document }
    if (token === null || this.dead.has(token))
      return { status: 401, body: { code: 401, message: 'Invalid JWT Token' } }
    const check = answerCheck(this, path, url.searchParams.get('page') ?? '1')
    if (check) return check
    if (path === '/wms/customers/') return { status: 200, body: [] }
    if (path === '/wms/shipments/') return { status: 200, body: this.#page(url, this.#shipments(url)) }
    if (path.startsWith('/wms/shipments/')) return found(this.shipments.find(({ id }) => path.includes(id)))
    if (path === '/wms/return-labels/') {
      const newestFirst = this.labels.map((label) => label.wire).reverse()
      return method === 'POST'
        ? createScripted(this, returnLabelCreate.parse(body))
        : { status: 200, body: this.#page(url, newestFirst) }
    }
    if (path === '/wms/articles/')
      return { status: 200, body: scriptedArticles(this.variants, url.searchParams) }
    if (path === '/wms/modifications/')
      return method === 'POST'
        ? createScriptedModification(this.modifications, body)
        : { status: 200, body: this.#page(url, scriptedModifications(this.modifications)) }
    if (path.startsWith('/wms/modifications/')) return scriptedModification(this.modifications, path)
    const label = this.labels.find(({ wire }) => path.includes(wire.id))
    return label
      ? changeScripted(label, { method, path, body, documentUrl: `${this.url}/file.pdf` })
      : found(undefined)
  }

  #shipments(url: URL): unknown[] {
    const order = url.searchParams.get('order_external_reference')
    return this.shipments.filter((one) => order === null || one.order_external_reference === order)
  }

  #page(url: URL, rows: unknown[]): unknown[] {
    const limit = Number(url.searchParams.get('limit') ?? 50)
    const page = Math.max(1, Number(url.searchParams.get('page') ?? 1))
    return rows.slice((page - 1) * limit, page * limit)
  }

  #login(password: string): Reply {
    if (password !== 'right') return { status: 401, body: { code: 401, message: 'Invalid credentials.' } }
    return { status: 200, body: this.#issue() }
  }

  #refresh(token: string): Reply {
    if (!this.#refreshTokens.delete(token))
      return { status: 401, body: { code: 401, message: 'Invalid token' } }
    return { status: 200, body: this.#issue() }
  }

  #issue(): object {
    this.#tokens++
    const iat = Math.floor(Date.now() / 1000)
    const claims = {
      iat,
      exp: iat + 3600,
      roles: this.roles,
      username: 'sam',
      user_id: '1',
      user_type: 'api',
      customer_ids: [],
      number: this.#tokens,
    }
    const refreshToken = `refresh-${this.#tokens}`
    this.#refreshTokens.add(refreshToken)
    const payload = Buffer.from(JSON.stringify(claims)).toString('base64url')
    return { token: `e30.${payload}.x`, iat, exp: iat + 3600, refresh_token: refreshToken }
  }
}

function send(
  response: ServerResponse,
  fault: Fault | 'forbidden' | 'no_such_path' | null,
  reply: Reply | null,
): void {
  const body = reply?.body
  const isPdf = Buffer.isBuffer(body)
  const text = isPdf ? body : Buffer.from(JSON.stringify(body ?? {}))
  const end = (status: number, type: string, body: Buffer | string): void => {
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) })
    response.end(body)
  }
  switch (fault) {
    case null:
      end(reply?.status ?? 500, isPdf ? 'application/pdf' : 'application/json', text)
      return
    case 'reset_before':
    case 'reset_after':
      response.socket?.resetAndDestroy()
      return
    case 'truncated_after':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length })
      response.write(text.subarray(0, text.length / 2), () => response.socket?.destroy())
      return
    case 'silence_before':
    case 'silence_after':
      return
    case 'broken_json_after':
      end(201, 'application/json', '{"id":')
      return
    case 'wrong_shape_after':
      end(201, 'application/json', '{"ok":true}')
      return
    case 'page_after':
      end(201, 'text/html', `<br><b>Warning</b>: a notice ${text.toString()}`)
      return
    case 'server_error_before':
    case 'server_error_after':
      end(503, 'application/json', '{"error":"down"}')
      return
    case 'unexpected_417_before':
    case 'unexpected_417_after':
      end(417, 'application/json', '{"error":"unexpected"}')
      return
    case 'unauthorised':
      end(401, 'application/json', '{"code":401,"message":"Invalid JWT Token"}')
      return
    case 'too_many':
      end(429, 'application/json', '{"error":"slow down"}')
      return
    case 'portal_page':
      end(200, 'text/html', '<html>Welcome to the hotel</html>')
      return
    case 'forbidden':
      end(403, 'application/json', '{"error":"Access denied."}')
      return
    case 'no_such_path':
      end(404, 'application/json', '{"error":"no such path"}')
      return
    case 'redirect':
      response.writeHead(302, { location: 'http://127.0.0.1:1/login' })
      response.end()
      return
  }
}

interface World {
  readonly labels: readonly ScriptedLabel[]
  readonly variants: readonly Variant[]
  /** Whether the shipping method exists. */
  readonly hasMethod: boolean
}

/** Responds to the checks that the desk makes before it sends waiting work. Null for another call. */
function answerCheck({ labels, variants, hasMethod }: World, path: string, page: string): Reply | null {
  const named = /^\/wms\/shipments\/([^/]+)\/return-label$/.exec(path)
  if (named) {
    const label = labels.findLast(({ shipmentId, isCancelled }) => shipmentId === named[1] && !isCancelled)
    return found(label && withoutAddress(label.wire))
  }
  const variant = /^\/wms\/variants\/([^/]+)\/$/.exec(path)
  if (variant) return found(variants.find(({ id }) => id === variant[1]))
  if (path === '/wms/shippingmethods/')
    return { status: 200, body: hasMethod && page === '1' ? [method] : [] }
  return null
}

const method = {
  id: anyMethodId,
  code: 'PARCEL',
  description: 'Parcel',
  shipper: 'Post',
  shipper_code: 'POST',
  shipping_software: null,
  created_at: '2026-01-01T00:00:00.000Z',
  modified_at: '2026-01-01T00:00:00.000Z',
}

function withoutAddress({
  id,
  tracking_information,
  external_reference,
  url,
  created_at,
}: ReturnLabel): unknown {
  return { id, tracking_information, external_reference, url, created_at }
}
