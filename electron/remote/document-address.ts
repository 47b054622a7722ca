import { isPublicHost } from '#shared/domain/public-address.ts'
import { isLoopback } from '#shared/domain/station-fields.ts'

/**
 * Whether a label's PDF may be fetched from here: at the service's own address; else https at the usual port of the
 * service's host, or at a host of `documentHosts` with the port that stands there. Plain http only at a service that
 * itself is on this machine. Addresses of private networks never pass, unless they are the service's own.
 */
export function mayFetchDocument(url: URL, serviceUrl: URL, documentHosts: readonly string[]): boolean {
  if (url.username !== '' || url.password !== '') return false
  if (url.host === serviceUrl.host && url.protocol === serviceUrl.protocol)
    return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
  if (url.protocol !== 'https:' || !isPublicHost(url.hostname)) return false
  // `host` has no port where it is the usual one of https
  return documentHosts.includes(url.host) || url.host === serviceUrl.hostname
}
