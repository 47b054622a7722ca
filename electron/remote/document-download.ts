import type { ApiOutcome } from '#desk/ports/api.ts'
import { largestDocumentBytes, looksLikePdf } from '#shared/domain/pdf-magic.ts'
import { isPublicHost } from '#shared/domain/public-address.ts'
import { isLoopback } from '#shared/domain/station-fields.ts'
import { type ErrorCode, failure } from '#shared/errors/catalogue.ts'
import { addressRefused } from './agents.ts'
import { resolveBaseUrl } from './base-url.ts'
import type { ApiClientOptions } from './caller.ts'
import { exchange, type Exchange, isCertificateCode } from './exchange.ts'

const mostRedirects = 3
/**
 * Maximum number of characters of a host in a failure, which is stored and shown for each label. A name in the DNS has
 * at most 253 characters, but an address of the service may contain thousands.
 */
const longestHost = 255

/**
 * Downloads a label's PDF from its signed address. It sends no credentials, uses only allowed hosts (also after each
 * redirect), and follows redirects within one timeout. The file must have at most 20 MB and begin like a PDF.
 */
export async function downloadDocument(
  address: string,
  options: Pick<ApiClientOptions, 'scope' | 'embedded' | 'agents' | 'timeouts' | 'documentHosts'>,
): Promise<ApiOutcome<Uint8Array>> {
  const base = resolveBaseUrl(options.scope.baseUrl, options.embedded)
  if (!base.ok) return { kind: 'not_sent', failure: base.failure }
  const serviceUrl = new URL(base.url)
  const end = performance.now() + options.timeouts.totalMs
  let url = parse(address, serviceUrl.href)
  for (let hop = 0; hop <= mostRedirects; hop++) {
    if (!url || !mayFetchDocument(url, serviceUrl, options.documentHosts)) return hostRefused(url)
    const timeouts = { ...options.timeouts, totalMs: Math.max(1, end - performance.now()) }
    const result = await fetchOnce(url, url.host === serviceUrl.host, { agents: options.agents, timeouts })
    if (!isRedirect(result)) return judgeDocument(result, url.host)
    url = parse(result.headers.location ?? '', url.href)
  }
  return hostRefused(url)
}

function hostRefused(url: URL | null): ApiOutcome<never> {
  const host = url?.host.slice(0, longestHost) ?? ''
  return { kind: 'not_sent', failure: failure('document.host_refused', { host }) }
}

function parse(address: string, from: string): URL | null {
  return address !== '' && URL.canParse(address, from) ? new URL(address, from) : null
}

type Response = Extract<Exchange, { kind: 'response' }>

function isRedirect(result: Exchange): result is Response {
  return result.kind === 'response' && [301, 302, 303, 307, 308].includes(result.status)
}

function fetchOnce(
  url: URL,
  isServiceHost: boolean,
  { agents, timeouts }: Pick<ApiClientOptions, 'agents' | 'timeouts'>,
): Promise<Exchange> {
  return exchange({
    url,
    method: 'GET',
    headers: { accept: 'application/pdf' },
    body: null,
    agent: isServiceHost ? agents.forWrite(url) : agents.forDocument(url),
    throughProxy: agents.throughProxy(url),
    timeouts,
    largestBytes: largestDocumentBytes,
  })
}

const failedCodes: Readonly<Record<string, ErrorCode>> = {
  TIMEOUT: 'network.timeout',
  TOO_LARGE: 'document.too_large',
  [addressRefused]: 'network.address_refused',
}

function judgeDocument(result: Exchange, host: string): ApiOutcome<Uint8Array> {
  if (result.kind === 'failed') {
    const { code: cause } = result
    const code = isCertificateCode(cause) ? 'network.certificate' : (failedCodes[cause] ?? 'network.offline')
    return { kind: 'not_sent', failure: failure(code, { host, cause }) }
  }
  if (result.kind === 'broken') {
    const code = result.code === 'TOO_LARGE' ? 'document.too_large' : 'network.interrupted'
    return { kind: 'ambiguous', status: result.status, failure: failure(code, { host }) }
  }
  const { status, body } = result
  if (status >= 500) return { kind: 'ambiguous', status, failure: failure('api.unavailable', { status }) }
  if (status !== 200)
    return {
      kind: 'refused',
      status,
      failure: failure('return_label.no_document', { status }),
      serverDate: null,
    }
  if (!looksLikePdf(body))
    return { kind: 'ambiguous', status, failure: failure('document.not_a_pdf', { host }) }
  return { kind: 'answer', status, value: body, serverDate: null }
}

/**
 * Whether a label's PDF may be downloaded from an address. Allowed are the service's own address, the service's host
 * with https and the default port, and a host of `documentHosts` with https and the port that is given there. Plain
 * http is allowed only if the service is on this machine. IP addresses of private networks are refused in place of a
 * name, except the service's own address.
 */
export function mayFetchDocument(url: URL, serviceUrl: URL, documentHosts: readonly string[]): boolean {
  if (url.username !== '' || url.password !== '') return false
  if (url.host === serviceUrl.host && url.protocol === serviceUrl.protocol)
    return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
  if (url.protocol !== 'https:' || !isPublicHost(url.hostname)) return false
  // `host` does not contain the port if it is the default port of https, so it can be compared with the name of the
  // service's host
  return documentHosts.includes(url.host) || url.host === serviceUrl.hostname
}
