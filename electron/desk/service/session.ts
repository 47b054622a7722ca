import type { ArgsOf } from '#shared/bridge/contract.ts'
import { type SessionView, sessionView } from '#shared/bridge/views.ts'
import type { Milliseconds } from '#shared/domain/instants.ts'
import { type Scope, type ScopeKey, scopeKey } from '#shared/domain/scope.ts'
import { type Failure, failure } from '#shared/errors/catalogue.ts'
import { fail, type Result } from '#shared/errors/result.ts'
import { type AccessClaims, accessClaims, type Tokens } from '#shared/wire/auth.ts'
import { isFinalRefusal, refusalReason } from './answers.ts'
import type { Line } from './line.ts'
import type { ApiOutcome, ApiPort } from '../ports/api.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { SecretsPort } from '../ports/secrets.ts'
import type { ScopeValues, StorePort } from '../ports/store.ts'
import { withTimeout } from '../timing/calls.ts'

export type Access =
  { readonly ok: true; readonly token: string } | { readonly ok: false; readonly failure: Failure }

/**
 * The part of the store that a session needs: the stored values of its own scope and of the scopes of the other
 * stations of this PC.
 */
export type SessionStore = Pick<StorePort, 'values' | 'scopesWith' | 'valuesOf'>

interface SessionParts {
  readonly api: ApiPort
  readonly secrets: SecretsPort
  readonly store: SessionStore
  readonly clock: ClockPort
  readonly line: Line
  readonly scope: Scope
  readonly changed: () => void
  readonly onFault: (error: unknown) => void
}

interface Held {
  readonly access: string
  /** When to renew the token, on the monotonic clock, because the wall clock of the machine may be wrong. */
  readonly renewAtTicks: number
}

/**
 * How long before its expiry a token is renewed, in milliseconds. A token with a lifetime of less than ten times this
 * value is renewed after nine tenths of its lifetime.
 */
const spareMs = 30_000
/**
 * A token that is valid for a shorter time is treated as valid for this time, in milliseconds. Otherwise the desk would
 * refresh the token before each call. After its real expiry the service refuses the token.
 */
const shortestLifeMs = 30_000
/**
 * If a refresh changes the roles, they are stored at most once within this time, in milliseconds, because a service
 * that changes roles at each refresh would fill the journal.
 */
const storingMs = 60_000
/**
 * If the service refuses a read with a new token too, the token is not the reason. For this time, in milliseconds, a
 * refused read then leads to no refresh, because such reads are repeated and would use up refresh tokens.
 */
const uselessMs = 60_000
/**
 * Longest refresh token that is stored, in characters; a longer token is kept in memory only. The limit is several
 * times the usual length. With this limit, the tokens of all stations together stay far below the size limit of the
 * settings file.
 */
const longestKept = 8_000

/**
 * The login session. The access token is kept in memory only. The refresh token is kept in memory and, if the machine
 * can encrypt it, in the secrets. The password is not kept. A refresh token works only once. Therefore one refresh runs
 * at a time, and the new token is stored before the old token is removed.
 */
export class Session {
  readonly #parts: SessionParts
  readonly #kept: KeptToken
  #state: SessionView['state'] = 'signed_out'
  #last: LastSession | null = null
  /**
   * `text`: the last session as stored; null if the last write failed. `atTicks`: when this run last tried to store a
   * session (monotonic clock). The whole value is null if no session is stored.
   */
  #stored: { readonly text: string | null; readonly atTicks: number } | null = null
  #held: Held | null = null
  #refreshToken: string | null = null
  /** Whether this machine can protect a token. */
  #canKeep = false
  #keepsLogin = false
  #refreshing: Promise<Access> | null = null
  /**
   * A counter that increases when a login replaces the previous session, with each logout, and when the desk closes.
   * The response to a refresh that began at a lower value is ignored.
   */
  #era = 0
  /** A counter that increases with each request for a login and each logout, and when the desk closes. */
  #loginRequest = 0
  #isClosed = false
  /**
   * Until this time of the monotonic clock, the 401 of a read leads to no refresh, because the last refresh was
   * useless.
   */
  #uselessUntilTicks = Number.NEGATIVE_INFINITY

  constructor(parts: SessionParts) {
    this.#parts = parts
    this.#kept = new KeptToken(parts.secrets, loginSecret(parts.scope), parts.onFault)
  }

  state(): SessionView {
    const last = this.#state === 'signed_out' ? null : this.#last
    return {
      state: this.#state,
      username: last?.username ?? null,
      roles: [...(last?.roles ?? [])],
      customer: last?.customer ?? null,
      keepsLogin: this.#keepsLogin,
    }
  }

  get isSignedIn(): boolean {
    return this.#state === 'signed_in'
  }

  /**
   * Reads the stored refresh token and the last session; needs no network. With a last session but no token the desk
   * reopens as `expired`: scanning and queueing continue, and only sending waits for a login. A token without a last
   * session is removed, because the window could not show whose login it is.
   */
  async restore(): Promise<void> {
    const { store, changed } = this.#parts
    this.#last = readLastSession(store.values)
    if (this.#last) this.#stored = { text: JSON.stringify(this.#last), atTicks: Number.NEGATIVE_INFINITY }
    this.#canKeep = await this.#kept.canKeep()
    this.#keepsLogin = this.#canKeep
    this.#refreshToken = this.#canKeep ? await this.#kept.read() : null
    if (this.#last) this.#state = this.#refreshToken === null ? 'expired' : 'signed_in'
    else if (this.#refreshToken !== null) {
      this.#refreshToken = null
      await this.#kept.store(null)
    }
    changed()
  }

  /**
   * Logs in, and ends the kept logins of other users at the other stations of this PC. Fails with `session.signed_out`
   * if another login begins, a logout happens, or the desk closes, during this login. If the store cannot keep the
   * session, does not keep the new tokens and throws the store's error, because at the next start the desk would not
   * know to which user the tokens belong. If the store cannot remove the session of another station, throws its error,
   * and the previous session continues.
   */
  async login(credentials: ArgsOf<'session', 'login'>): Promise<Result<SessionView>> {
    const { api, line, scope, changed } = this.#parts
    if (this.#isClosed) return fail('session.signed_out')
    const request = ++this.#loginRequest
    const outcome = await api.login(credentials)
    line.observe(outcome, undefined, false)
    if (request !== this.#loginRequest) return fail('session.signed_out')
    if (outcome.kind !== 'answer') return { ok: false, error: outcome.failure }
    this.#canKeep = await this.#kept.canKeep()
    const customer = await nameCustomer(api, outcome.value.token, scope.customerCode)
    if (request !== this.#loginRequest) return fail('session.signed_out')
    const claims = readAccessClaims(outcome.value.token)
    const session = {
      username: claims?.username ?? credentials.username,
      roles: claims?.roles ?? [],
      customer,
    }
    await endOtherLogins(this.#parts, session.username)
    if (request !== this.#loginRequest) return fail('session.signed_out')
    // The service has accepted this login, so the previous session ends: it begins no further refresh. The response to
    // a refresh that is under way is ignored, because its tokens would replace those of this login.
    const era = ++this.#era
    const previous = { held: this.#held, refreshToken: this.#refreshToken }
    this.#held = null
    this.#refreshToken = null
    // removes the stored token of another user first: even if the program stops between two writes, the stored token
    // and the stored name must belong to the same user
    if (this.#canKeep && session.username !== this.#last?.username) await this.#kept.store(null)
    if (era !== this.#era) return fail('session.signed_out')
    this.#storeFirst(session, previous)
    await this.#keep(outcome.value)
    if (era !== this.#era) return fail('session.signed_out')
    this.#last = session
    this.#state = 'signed_in'
    changed()
    return { ok: true, value: this.state() }
  }

  /**
   * Removes the tokens, and ends the kept logins of the other stations of this PC. Commands in the outbox stay there
   * and are sent after the next login. The logout always takes effect. If the store cannot remove a last session, this
   * method throws the store's error after the logout.
   */
  async logout(): Promise<SessionView> {
    this.#era++
    this.#loginRequest++
    this.#held = null
    this.#refreshToken = null
    this.#last = null
    this.#stored = null
    this.#enter('signed_out')
    try {
      forgetLastSession(this.#parts.store.values)
    } finally {
      await this.#kept.store(null)
      await endOtherLogins(this.#parts, null)
    }
    return this.state()
  }

  /**
   * Ends the session of a desk that closes. Waits at most `limitMs` for a refresh under way, because its response
   * contains the token that replaces the stored one. Ignores a later response and writes no secret afterwards: the
   * login may have been removed, or another desk may use it.
   */
  async close(limitMs: Milliseconds): Promise<void> {
    const underWay = Promise.allSettled([this.#refreshing, this.#kept.written()])
    await withTimeout<unknown>(this.#parts.clock, limitMs, underWay, () => null)
    this.#isClosed = true
    this.#era++
    this.#loginRequest++
    this.#held = null
    this.#refreshToken = null
    this.#kept.close()
  }

  /** Returns a token for a call, after a refresh if the token is about to expire. */
  access(): Promise<Access> {
    const now = this.#current()
    if (now.ok || this.#state === 'signed_out') return Promise.resolve(now)
    this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = null))
    return this.#refreshing
  }

  /**
   * Removes a token that the service refused (401), so that no further call uses it. If the session already has a newer
   * token, keeps the newer token.
   */
  accessRefused(token: string): void {
    if (this.#held?.access === token) this.#held = null
  }

  /**
   * Runs a read with a token. After a 401 it refreshes once and runs the read again, unless a refresh for this reason
   * was useless within the last minute. Never use it for a write. `observe`: the method of `Line` that judges the
   * connection by the outcome.
   */
  async withAccess<T>(
    call: (token: string) => Promise<ApiOutcome<T>>,
    observe: 'observe' | 'observeOne' | 'observePage' = 'observeOne',
  ): Promise<ApiOutcome<T>> {
    for (let again = true; ; again = false) {
      const access = await this.access()
      if (!access.ok) return { kind: 'not_sent', failure: access.failure }
      const begunTicks = this.#parts.clock.ticks()
      const outcome = await call(access.token)
      this.#parts.line[observe](outcome, begunTicks)
      if (refusalReason(outcome) !== 'token') return outcome
      const ticks = this.#parts.clock.ticks()
      if (!again) this.#uselessUntilTicks = ticks + uselessMs
      if (ticks < this.#uselessUntilTicks) return outcome
      this.accessRefused(access.token)
    }
  }

  /**
   * Reads a page of a long list with a token, like `withAccess`, but does not count the connection as lost because of a
   * slow page.
   */
  pageWithAccess<T>(call: (token: string) => Promise<ApiOutcome<T>>): Promise<ApiOutcome<T>> {
    return this.withAccess(call, 'observePage')
  }

  #current(): Access {
    if (this.#state === 'signed_out') return { ok: false, failure: failure('session.signed_out') }
    if (this.#held && this.#parts.clock.ticks() < this.#held.renewAtTicks)
      return { ok: true, token: this.#held.access }
    return { ok: false, failure: failure('session.expired') }
  }

  async #refresh(): Promise<Access> {
    const { api, line } = this.#parts
    const era = this.#era
    if (this.#refreshToken === null) return this.#current()
    const outcome = await api.refresh(this.#refreshToken)
    line.observe(outcome, undefined, false)
    if (era !== this.#era) return this.#current()
    if (outcome.kind === 'answer') {
      const claims = readAccessClaims(outcome.value.token)
      // The session ends if the token belongs to another user than the stored name, for example after desk.db was
      // restored from a backup. Otherwise the window would show one user while the desk sends as another.
      if (claims && this.#last && claims.username !== this.#last.username) {
        await this.#expire()
        return this.#current()
      }
      await this.#keep(outcome.value)
      if (era !== this.#era) return this.#current()
      if (claims && this.#last) this.#changeRoles({ ...this.#last, roles: claims.roles })
      return { ok: true, token: outcome.value.token }
    }
    if (!endsLogin(outcome)) return { ok: false, failure: outcome.failure }
    await this.#expire()
    return this.#current()
  }

  async #expire(): Promise<void> {
    this.#held = null
    this.#refreshToken = null
    this.#enter('expired')
    await this.#kept.store(null)
  }

  async #keep(tokens: Tokens): Promise<void> {
    const era = this.#era
    this.#keepsLogin = this.#canKeep && tokens.refresh_token.length <= longestKept
    // the service has replaced the stored token with a new one, so the stored token is overwritten or removed
    if (this.#canKeep) await this.#kept.store(this.#keepsLogin ? tokens.refresh_token : null)
    // if a logout happened while the secret was being written, the logout takes precedence
    if (era !== this.#era) return
    const lifetimeMs = Math.max((tokens.exp - tokens.iat) * 1000, shortestLifeMs)
    this.#refreshToken = tokens.refresh_token
    this.#held = {
      access: tokens.token,
      renewAtTicks: this.#parts.clock.ticks() + lifetimeMs - Math.min(spareMs, lifetimeMs / 10),
    }
  }

  /**
   * Applies the roles at once. Stores the roles at once too, unless a session was stored within the last minute; then
   * the first refresh after this minute stores them. An error of the store does not fail the refresh, because the
   * service has already replaced the token.
   */
  #changeRoles(session: LastSession): void {
    const isNews = JSON.stringify(session) !== JSON.stringify(this.#last)
    this.#last = session
    const isRecent = this.#stored !== null && this.#parts.clock.ticks() - this.#stored.atTicks < storingMs
    try {
      if (!isRecent) this.#store(session)
    } catch (error) {
      this.#parts.onFault(error)
    }
    if (isNews) this.#parts.changed()
  }

  /** Stores the session of a login. If this fails, continues the previous session with its tokens. */
  #storeFirst(session: LastSession, previous: { held: Held | null; refreshToken: string | null }): void {
    try {
      this.#store(session)
    } catch (error) {
      this.#held = previous.held
      this.#refreshToken = previous.refreshToken
      if (this.#last && this.#keepsLogin) void this.#kept.store(previous.refreshToken)
      throw error
    }
  }

  #store(session: LastSession): void {
    const text = JSON.stringify(session)
    if (text === this.#stored?.text) return
    // the time of the attempt is set before the write, so that a failed write is not repeated at each refresh
    this.#stored = { text: null, atTicks: this.#parts.clock.ticks() }
    writeLastSession(this.#parts.store.values, session)
    this.#stored = { ...this.#stored, text }
  }

  #enter(state: SessionView['state']): void {
    if (state === this.#state) return
    this.#state = state
    this.#parts.changed()
  }
}

/**
 * Statuses of refusals that may pass although their failure is a final one: a slow request (408), a conflict with
 * another call (409), a connection to another server (421), a lock (423), and early data of TLS (425).
 */
const passingRefusals: ReadonlySet<number> = new Set([408, 409, 421, 423, 425])

/**
 * Whether this outcome of a refresh ends the login: the service refused the token, the user or the request, so it would
 * refuse the same token again. A failed connection, an error of the service, too many calls, and a web page of another
 * program do not end it, because a later refresh may succeed.
 */
function endsLogin(outcome: ApiOutcome<unknown>): boolean {
  if (outcome.kind !== 'refused' || passingRefusals.has(outcome.status)) return false
  return refusalReason(outcome) === 'token' || isFinalRefusal(outcome)
}

/** Returns the key of the secret that contains the refresh token of this scope. */
export function loginSecret(scope: Scope): string {
  return secretOf(scopeKey(scope))
}

function secretOf(key: ScopeKey): string {
  return `refresh ${key}`
}

/**
 * Ends the kept logins of the other stations of this PC; if `username` is not null, only those of other users. If they
 * were kept, the next operator could open another station and work there under the name of the previous user, without a
 * password. Removes the last sessions first, because a token without one is never used. Reports an error of the secrets
 * to `onFault`. If the store cannot remove a session, removes the tokens and throws the error of the store.
 */
async function endOtherLogins(
  { store, secrets, scope, onFault }: Pick<SessionParts, 'store' | 'secrets' | 'scope' | 'onFault'>,
  username: string | null,
): Promise<void> {
  const own = scopeKey(scope)
  const ended = store.scopesWith(lastSessionKey).filter((key) => {
    if (key === own) return false
    return username === null || readLastSession(store.valuesOf(key))?.username !== username
  })
  try {
    for (const key of ended) forgetLastSession(store.valuesOf(key))
  } finally {
    for (const key of ended) await secrets.remove(secretOf(key)).catch(onFault)
  }
}

/**
 * Removes the stored login of a scope: first the token, then the last session. Call it only while no desk is open at
 * this scope. Throws the store's error if the store cannot remove the last session.
 */
export async function forgetLogin(
  { secrets, values }: { readonly secrets: SecretsPort; readonly values: ScopeValues },
  scope: Scope,
): Promise<void> {
  await secrets.remove(loginSecret(scope))
  forgetLastSession(values)
}

/**
 * Removes the stored session of every scope that no station has. Otherwise an operator who adds a station with such a
 * scope again would see the name of the earlier user. If the store cannot remove a session, throws the error of the
 * store.
 */
export function forgetUnusedSessions(
  store: Pick<StorePort, 'scopesWith' | 'valuesOf'>,
  used: readonly Scope[],
): void {
  const keys = new Set(used.map(scopeKey))
  for (const scope of store.scopesWith(lastSessionKey))
    if (!keys.has(scope)) forgetLastSession(store.valuesOf(scope))
}

/**
 * Returns the customer's name for the header, or the customer's code if the name cannot be read (no role, no
 * connection). Never fails.
 */
async function nameCustomer(api: ApiPort, token: string, code: string): Promise<LastSession['customer']> {
  const outcome = await api.listCustomers(token, 1)
  const customers = outcome.kind === 'answer' ? outcome.value : []
  const found = customers.find((customer) => customer.code.toUpperCase() === code.toUpperCase())
  return { code: found?.code ?? code, name: found?.name ?? code }
}

/**
 * Reads the claims of the access token. They are decoded, not verified: the service decides, and the desk only shows
 * them.
 */
function readAccessClaims(token: string): AccessClaims | null {
  try {
    const payload = token.split('.')[1] ?? ''
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (char) =>
      char.charCodeAt(0),
    )
    const parsed = accessClaims.safeParse(JSON.parse(new TextDecoder().decode(bytes)))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}

/**
 * The refresh token in the secrets of the machine. Writes run one after another. Each writes the newest value at the
 * time of its start, so that a slow write never overwrites a later login or logout. If the keyring fails, the next
 * start needs a login, but this session is not affected.
 */
class KeptToken {
  readonly #secrets: SecretsPort
  readonly #key: string
  readonly #onFault: (error: unknown) => void
  #wanted: string | null = null
  #writing: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(secrets: SecretsPort, key: string, onFault: (error: unknown) => void) {
    this.#secrets = secrets
    this.#key = key
    this.#onFault = onFault
  }

  /** Whether this machine can protect a token. */
  async canKeep(): Promise<boolean> {
    try {
      return await this.#secrets.canProtect()
    } catch (error) {
      this.#onFault(error)
      return false
    }
  }

  async read(): Promise<string | null> {
    try {
      return await this.#secrets.read(this.#key)
    } catch (error) {
      this.#onFault(error)
      return null
    }
  }

  /** Stores a token; null removes the stored token. Resolves when this token or a newer one is stored. */
  store(token: string | null): Promise<void> {
    this.#wanted = token
    this.#writing = this.#writing.then(() => this.#write()).catch(this.#onFault)
    return this.#writing
  }

  /** Resolves when no token is being written. */
  written(): Promise<void> {
    return this.#writing
  }

  /** After this call no further write of a token starts. */
  close(): void {
    this.#isClosed = true
  }

  async #write(): Promise<void> {
    if (this.#isClosed) return
    await (this.#wanted === null
      ? this.#secrets.remove(this.#key)
      : this.#secrets.write(this.#key, this.#wanted))
  }
}

/** The last signed-in user, shown at an offline start. Contains no token and no password. */
interface LastSession {
  readonly username: string
  readonly roles: readonly string[]
  readonly customer: NonNullable<SessionView['customer']>
}

const lastSessionKey = 'last_session'

const stored = sessionView.pick({ username: true, roles: true, customer: true })

/** Returns the stored session; null if there is none or if it is unreadable. */
function readLastSession(values: ScopeValues): LastSession | null {
  const text = values.read(lastSessionKey)
  if (text === null) return null
  const parsed = stored.safeParse(parse(text))
  if (!parsed.success || parsed.data.username === null || parsed.data.customer === null) return null
  return { username: parsed.data.username, roles: parsed.data.roles, customer: parsed.data.customer }
}

function writeLastSession(values: ScopeValues, session: LastSession): void {
  values.write(lastSessionKey, JSON.stringify(session))
}

function forgetLastSession(values: ScopeValues): void {
  values.remove(lastSessionKey)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Returns the failure of an act that needs a login; null: an operator is logged in. */
export function loginFailure({ state }: Pick<SessionView, 'state'>): Failure | null {
  if (state === 'signed_in') return null
  return failure(state === 'expired' ? 'session.expired' : 'session.signed_out')
}
