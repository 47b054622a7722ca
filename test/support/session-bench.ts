import { createLine } from '#desk/service/line.ts'
import type { ApiOutcome, ApiPort } from '#desk/ports/api.ts'
import type { SecretsPort } from '#desk/ports/secrets.ts'
import type { ScopeValues } from '#desk/ports/store.ts'
import { Session } from '#desk/service/session.ts'
import { refusalCode } from '#remote/judge.ts'
import { type Scope, scopeKey } from '#shared/domain/scope.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { Tokens } from '#shared/wire/auth.ts'
import { benchScope, memorySecrets } from './desk-bench.ts'
import { fakeClock, memorySessionStore, memoryValues, unusedApi } from './desk-fakes.ts'

export const offline: ApiOutcome<never> = { kind: 'not_sent', failure: failure('network.offline') }

export const refusal = (status: number): ApiOutcome<never> => ({
  kind: 'refused',
  status,
  failure: failure(refusalCode(status, 'other')),
  serverDate: null,
})

/** Returns the user name in a token that `SessionBench.issue` made with claims. */
export function userOf(token: string): unknown {
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  return (claims as { username: unknown }).username
}

/** Sessions at one service, with the secrets and settings of one PC. A test changes the responses of the service. */
export class SessionBench {
  readonly clock = fakeClock()
  /** The stored secrets. */
  readonly kept = new Map<string, string>()
  /** The values of `benchScope`. */
  readonly settings = memoryValues()
  readonly #stations = new Map([[scopeKey(benchScope), this.settings]])
  /** The refresh tokens that the service received. */
  refreshes: string[] = []
  /** Number of issued tokens. */
  issued = 0
  /** The user name and the roles in tokens that are issued from now on; null: these tokens contain no claims. */
  claimed: { username: string; roles: string[] } | null = null
  answerLogin: ApiPort['login'] = ({ password }) =>
    Promise.resolve(password === 'right' ? this.issue() : refusal(401))
  answerRefresh: (token: string) => Promise<ApiOutcome<Tokens>> = () => Promise.resolve(this.issue())
  nameCustomers: () => Promise<ApiOutcome<never>> = () => Promise.resolve(offline)
  onFault: (error: unknown) => void = (error) => {
    throw error
  }

  issue(exp = 3600): ApiOutcome<Tokens> {
    this.issued++
    const claims = { iat: 0, exp, user_id: '1', user_type: 'api', customer_ids: [], ...this.claimed }
    const token = this.claimed
      ? `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${this.issued}`
      : `access-${this.issued}`
    const value = { token, iat: 0, exp, refresh_token: `refresh-${this.issued}` }
    return { kind: 'answer', status: 200, value, serverDate: null }
  }

  open(secrets: SecretsPort = memorySecrets(this.kept), scope = benchScope): Session {
    const api: ApiPort = {
      ...unusedApi,
      login: (credentials) => this.answerLogin(credentials),
      refresh: (token) => {
        this.refreshes.push(token)
        return this.answerRefresh(token)
      },
      listCustomers: () => this.nameCustomers(),
    }
    return new Session({
      api,
      secrets,
      store: memorySessionStore(scope, this.#stations),
      clock: this.clock,
      line: createLine(this.clock, () => undefined),
      scope,
      changed: () => undefined,
      onFault: (error) => this.onFault(error),
    })
  }

  /** The values of a scope. */
  valuesAt(scope: Scope): ScopeValues {
    return memorySessionStore(scope, this.#stations).values
  }

  async signedOut(): Promise<Session> {
    const session = this.open()
    await session.restore()
    return session
  }

  async signedIn(secrets?: SecretsPort): Promise<Session> {
    const session = this.open(secrets)
    await session.restore()
    await session.login({ username: 'sam', password: 'right' })
    return session
  }
}
