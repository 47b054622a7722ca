import { z } from 'zod'
import type { ConnectionTest, StationDraft } from '#shared/bridge/views.ts'
import { environmentOf } from '#shared/domain/scope.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { errorBody } from '#shared/wire/error-body.ts'
import { routes } from '#shared/wire/routes.ts'
import { createAgents } from './agents.ts'
import { resolveBaseUrl } from './base-url.ts'
import { exchange } from './exchange.ts'
import { judge } from './judge.ts'
import { standardTimeouts, type Timeouts } from './timeouts.ts'

export interface ConnectionTestOptions {
  /** The proxy's address, or null. */
  readonly proxy?: string | null
  readonly timeouts?: Timeouts
}

/**
 * Asks the login endpoint with empty credentials, which nobody has: what it refuses, and in which words, tells who is
 * there and whether it knows the WMS code (api.md, Authentication). Changes nothing at the service.
 */
export async function testConnection(
  draft: StationDraft,
  { proxy = null, timeouts = standardTimeouts }: ConnectionTestOptions = {},
): Promise<ConnectionTest> {
  const agents = createAgents(proxy)
  const started = performance.now()
  const result = (
    facts: Pick<ConnectionTest, 'reachable' | 'isService' | 'wmsKnown'>,
    failure: Failure | null,
  ): ConnectionTest => ({
    ...facts,
    environment: environmentOf(draft),
    tookMs: Math.round(performance.now() - started),
    failure: failure && { code: failure.code, params: { ...failure.params } },
  })
  const nobody = { reachable: false, isService: false, wmsKnown: null }
  const base = resolveBaseUrl(draft.baseUrl, () => null)
  if (!base.ok) return result(nobody, base.failure)
  const url = new URL(base.url + routes.login.path)
  const answer = await exchange({
    url,
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      'x-wms-code': draft.wmsCode,
      'x-customer-code': draft.customerCode,
    },
    body: JSON.stringify({ username: '', password: '' }),
    agent: agents.forWrite(url),
    throughProxy: agents.throughProxy(url),
    timeouts,
    largestBytes: 1024 * 1024,
  })
  const outcome = judge(answer, z.unknown(), 'login', url.host)
  if (answer.kind !== 'response') return result(nobody, failureOf(outcome))
  if (outcome.kind !== 'refused')
    return result({ ...nobody, reachable: true }, failureOf(outcome) ?? foreign(url))
  if (outcome.status === 429) return result({ ...nobody, reachable: true }, outcome.failure)
  if (!speaksLikeTheService(answer.body)) return result({ ...nobody, reachable: true }, foreign(url))
  const wmsKnown = outcome.failure.code !== 'session.unknown_wms'
  return result({ reachable: true, isService: true, wmsKnown }, wmsKnown ? null : outcome.failure)
}

function failureOf(outcome: { kind: string; failure?: Failure }): Failure | null {
  return outcome.failure ?? null
}

function foreign(url: URL): Failure {
  return { code: 'network.not_the_service', params: { host: url.host } }
}

/** An error body in one of the service's shapes, and not an empty object. */
function speaksLikeTheService(body: Uint8Array): boolean {
  try {
    const parsed = errorBody.safeParse(JSON.parse(new TextDecoder().decode(body)))
    return parsed.success && Object.keys(parsed.data).length > 0
  } catch {
    return false
  }
}
