import { embeddedBaseUrl } from '#shared/domain/scope.ts'
import { isLoopback } from '#shared/domain/station-fields.ts'
import { trimEndOf } from '#shared/domain/text-forms.ts'
import { type Failure, failure } from '#shared/errors/catalogue.ts'

type BaseUrl = { readonly ok: true; readonly url: string } | { readonly ok: false; readonly failure: Failure }

/**
 * The address at which the embedded middleware listens (`http://127.0.0.1:port`), or the failure of its start. Null: it
 * does not listen yet, or will be started again.
 */
export type Embedded = string | Failure | null

/**
 * Returns the current address of the service. `embedded:` means the middleware in this app, whose port is known only
 * while it runs. Plain http is allowed only for this machine.
 */
export function resolveBaseUrl(baseUrl: string, embedded: () => Embedded): BaseUrl {
  const address = baseUrl === embeddedBaseUrl ? embedded() : baseUrl
  if (address === null) return { ok: false, failure: failure('station.embedded_unavailable') }
  if (typeof address !== 'string') return { ok: false, failure: address }
  if (!URL.canParse(address)) return { ok: false, failure: failure('station.invalid_url') }
  const url = new URL(address)
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return { ok: false, failure: failure('station.insecure_url', { host: url.host }) }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return { ok: false, failure: failure('station.invalid_url') }
  return { ok: true, url: trimEndOf(address, '/') }
}
