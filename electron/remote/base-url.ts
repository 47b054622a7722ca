import { embeddedBaseUrl } from '#shared/domain/scope.ts'
import { isLoopback } from '#shared/domain/station-fields.ts'
import { trimEndOf } from '#shared/domain/text-forms.ts'
import { type Failure, failure } from '#shared/errors/catalogue.ts'

type BaseUrl = { readonly ok: true; readonly url: string } | { readonly ok: false; readonly failure: Failure }

/**
 * Returns the current address of the service. `embedded:` means the middleware in this app, whose port is known only
 * while it runs. Plain http is allowed only for this machine.
 */
export function resolveBaseUrl(baseUrl: string, embedded: () => string | null): BaseUrl {
  const address = baseUrl === embeddedBaseUrl ? embedded() : baseUrl
  if (address === null) return { ok: false, failure: failure('station.embedded_unavailable') }
  if (!URL.canParse(address)) return { ok: false, failure: failure('station.invalid_url') }
  const url = new URL(address)
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return { ok: false, failure: failure('station.insecure_url', { host: url.host }) }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return { ok: false, failure: failure('station.invalid_url') }
  return { ok: true, url: trimEndOf(address, '/') }
}
