import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import {
  type ConnectionProblem,
  type ConnectionState,
  type ConnectionStep,
  connectionSteps,
  type ConnectionTest,
  type StationDraft,
} from '#shared/bridge/views.ts'
import { environmentOf } from '#shared/domain/scope.ts'
import type { ErrorCode } from '#shared/errors/catalogue.ts'
import { routes } from '#shared/wire/routes.ts'
import { createAgents } from './agents.ts'
import { resolveBaseUrl } from './base-url.ts'
import {
  type Exchange,
  exchange,
  isCertificateCode,
  type Milestone,
  standardTimeouts,
  type Timeouts,
} from './exchange.ts'
import { errorBodyOf, parseJson, reasonOf, refusalCode } from './judge.ts'

interface ConnectionTestOptions {
  /** The address of the proxy; null: none. */
  readonly proxy?: string | null
  readonly timeouts?: Timeouts
}

type Steps = ConnectionTest['steps']
type Params = NonNullable<ConnectionTest['problem']>['params']
type Fault = ConnectionFault & { readonly params?: Params }
type Response = Extract<Exchange, { kind: 'response' }>

/**
 * Makes the same connection as a login and reports which steps succeed. It sends a login with empty credentials, which
 * no user has. The refusal shows which program responds, and whether the WMS code exists at the service (API.md 1.2).
 * The test changes no data of the service. A customer code can only be checked with a real login, unless the service
 * refuses a wrong code separately.
 */
export async function testConnection(
  draft: StationDraft,
  { proxy = null, timeouts = standardTimeouts }: ConnectionTestOptions = {},
): Promise<ConnectionTest> {
  const base = resolveBaseUrl(draft.baseUrl, () => null)
  if (!base.ok) {
    const code = base.failure.code === 'station.insecure_url' ? 'insecure_address' : 'no_address'
    return failed({ step: 'address', code }, {}, 0)
  }
  const url = new URL(base.url + routes.login.path)
  const agents = createAgents(() => proxy)
  const throughProxy = agents.throughProxy(url)
  const reached = new Set<Milestone>(isIP(hostName(url)) === 0 ? [] : ['name'])
  const ask = (wmsCode: string): Promise<Exchange> =>
    exchange({
      url,
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'x-wms-code': wmsCode,
        'x-customer-code': draft.customerCode,
      },
      body: JSON.stringify({ username: '', password: '' }),
      agent: agents.forWrite(url),
      throughProxy,
      timeouts,
      largestBytes: 1024 * 1024,
      onReached: (milestone) => reached.add(milestone),
    })
  const started = performance.now()
  const reply = await ask(draft.wmsCode)
  const tookMs = Math.round(performance.now() - started)
  const way = wayTo(url, throughProxy)
  const fault =
    reply.kind === 'response'
      ? faultOf(reply, url, base.url)
      : { ...connectionFault({ ...reply, reached, isTls: url.protocol === 'https:', throughProxy }) }
  if (fault) {
    const via: Params = throughProxy && proxy !== null ? { proxy: new URL(proxy).host } : {}
    const params = { ...paramsOf(url), ...via, ...codesOf(draft, fault), ...causeOf(reply), ...fault.params }
    return failed({ ...fault, params }, way, tookMs)
  }
  const wms = (await refusesMadeUpWms(ask, url, base.url)) ? 'passed' : 'at_login'
  return {
    steps: { ...way, service: 'passed', wms, customer: 'at_login' },
    problem: null,
    environment: environmentOf(draft),
    tookMs,
  }
}

/**
 * Whether the service refuses a made-up WMS code. If so, the service checks the WMS code before the user, and a refusal
 * of the user proves that the typed WMS code exists at the service.
 */
async function refusesMadeUpWms(
  ask: (wmsCode: string) => Promise<Exchange>,
  url: URL,
  base: string,
): Promise<boolean> {
  const reply = await ask(`no-such-wms-${randomBytes(4).toString('hex')}`)
  return reply.kind === 'response' && faultOf(reply, url, base)?.code === 'wms_unknown'
}

type Way = Pick<Steps, 'address' | 'name' | 'port' | 'tls'>

/**
 * Returns the steps that come before the response of the service, each marked as passed, as not needed, or as done by
 * the proxy.
 */
function wayTo(url: URL, throughProxy: boolean): Way {
  const named: ConnectionState = isIP(hostName(url)) === 0 ? 'passed' : 'not_needed'
  return {
    address: 'passed',
    name: throughProxy ? 'by_proxy' : named,
    port: throughProxy ? 'by_proxy' : 'passed',
    tls: url.protocol === 'https:' ? 'passed' : 'not_needed',
  }
}

function failed(fault: Fault, way: Partial<Way>, tookMs: number): ConnectionTest {
  const at = connectionSteps.indexOf(fault.step)
  const stateOf = (step: ConnectionStep, index: number): ConnectionState => {
    if (index === at) return 'failed'
    if (index > at) return 'not_reached'
    return (way as Partial<Steps>)[step] ?? 'passed'
  }
  return {
    steps: Object.fromEntries(connectionSteps.map((step, index) => [step, stateOf(step, index)])) as Steps,
    problem: { code: fault.code, params: fault.params ?? {} },
    environment: null,
    tookMs,
  }
}

/**
 * For each error code of a refusal, the problem that the code shows. A refused login is no problem, because the test
 * expects it.
 */
const problems: Partial<Record<ErrorCode, ConnectionProblem>> = {
  'api.too_many_requests': 'too_many_requests',
  'api.role_missing': 'forbidden',
}

/**
 * Returns the fault that a complete response shows: a fault of the service, or an unknown WMS code or customer code.
 * Returns null if the service refused the login as expected.
 */
function faultOf(response: Response, url: URL, base: string): Fault | null {
  const { status, headers } = response
  const words = wordsOf(response)
  if (status >= 400 && status < 500 && words !== null) {
    if (/\bwms\b/i.test(words)) return { step: 'wms', code: 'wms_unknown' }
    if (/\bcustomer\b/i.test(words)) return { step: 'customer', code: 'customer_unknown' }
  }
  const service = (code: ConnectionProblem, params: Params = {}): Fault => ({
    step: 'service',
    code,
    params: { status, ...params },
  })
  if (status === 404 || status === 405)
    return url.origin === base
      ? service('no_service_at_host', { path: url.pathname })
      : service('no_service_at_path', { path: url.pathname, origin: url.origin })
  const target = status >= 300 && status < 400 ? targetOf(headers.location, url) : null
  if (target !== null) return service('redirected', { target })
  const problem = problems[refusalCode(status, 'other')]
  if (problem) return service(problem)
  if ((status >= 500 && status !== 511) || status === 417) return service('server_error')
  return status < 400 || words === null ? service('not_the_service') : null
}

/**
 * Returns the text of the service's error body; null if the body has none of the service's forms. Paths are removed
 * from the text, because `/wms/auth/login/` contains "wms" but is not about a WMS code.
 */
function wordsOf({ body }: Response): string | null {
  const said = errorBodyOf(parseJson(body))
  if (!said || Object.keys(said).length === 0) return null
  return reasonOf(said)
    .split(/\s+/)
    .filter((word) => !word.includes('/'))
    .join(' ')
}

/** Returns the target of a redirect. Its query is removed, because login pages put private values there. */
function targetOf(location: string | undefined, url: URL): string | null {
  if (location === undefined || !URL.canParse(location, url.href)) return null
  const { origin, pathname } = new URL(location, url)
  return `${origin}${pathname}`.slice(0, 100)
}

function hostName(url: URL): string {
  return url.hostname.replaceAll(/[[\]]/g, '')
}

function paramsOf(url: URL): Params {
  return {
    host: url.hostname,
    port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port),
  }
}

function codesOf(draft: StationDraft, { step }: ConnectionFault): Params {
  return step === 'wms' ? { wms: draft.wmsCode } : step === 'customer' ? { customer: draft.customerCode } : {}
}

function causeOf(reply: Exchange): Params {
  return reply.kind === 'response' ? {} : { cause: reply.code }
}

/** The step at which a connection test ended, and its cause. */
interface ConnectionFault {
  readonly step: ConnectionStep
  readonly code: ConnectionProblem
}

interface Broken {
  /** The system's error code, or a code of `exchange.ts`. */
  readonly code: string
  readonly reached: ReadonlySet<Milestone>
  readonly isTls: boolean
  readonly throughProxy: boolean
}

/** Returns why an exchange has no complete response, for the person who sets up a station. */
export function connectionFault({ code, reached, isTls, throughProxy }: Broken): ConnectionFault {
  if (throughProxy) return tlsFault(code) ?? { step: 'port', code: 'proxy_failed' }
  if (!reached.has('port')) return unconnectedFault(code, reached)
  if (isTls && !reached.has('tls'))
    return tlsFault(code) ?? { step: 'tls', code: code === 'TIMEOUT' ? 'tls_silent' : 'tls_failed' }
  if (code === 'TIMEOUT') return { step: 'service', code: 'server_silent' }
  const isOther = code.startsWith('HPE_') || code === 'TOO_LARGE'
  return { step: 'service', code: isOther ? 'not_the_service' : 'hung_up' }
}

function unconnectedFault(code: string, reached: ReadonlySet<Milestone>): ConnectionFault {
  if (code === 'ENOTFOUND') return { step: 'name', code: 'name_unknown' }
  if (code.startsWith('EAI_')) return { step: 'name', code: 'name_not_looked_up' }
  if (code === 'ECONNREFUSED') return { step: 'port', code: 'port_refused' }
  if (code !== 'TIMEOUT')
    return { step: 'port', code: code === 'ETIMEDOUT' ? 'port_silent' : 'port_unreachable' }
  return reached.has('name')
    ? { step: 'port', code: 'port_silent' }
    : { step: 'name', code: 'name_not_looked_up' }
}

const untrusted = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_UNTRUSTED',
  'INVALID_CA',
])
const certificateProblems: Readonly<Record<string, ConnectionProblem>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_other_name',
  HOSTNAME_MISMATCH: 'certificate_other_name',
  CERT_HAS_EXPIRED: 'certificate_expired',
  CERT_NOT_YET_VALID: 'certificate_not_yet_valid',
}

/** Reasons that OpenSSL gives if the first received bytes are not TLS. Usually the other side uses plain http. */
const notTls = new Set([
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'ERR_SSL_HTTP_REQUEST',
])

/** Returns the fault for an error code of TLS; null if the code is not one of TLS. */
function tlsFault(code: string): ConnectionFault | null {
  if (!isCertificateCode(code)) return null
  if (notTls.has(code)) return { step: 'tls', code: 'no_tls' }
  // the TLS handshake failed for a reason other than the certificate
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') return { step: 'tls', code: 'tls_failed' }
  const problem = untrusted.has(code) ? 'certificate_untrusted' : certificateProblems[code]
  return { step: 'tls', code: problem ?? 'certificate_wrong' }
}
