import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createLine } from '#desk/service/line.ts'
import type { ApiOutcome, ApiPort } from '#desk/ports/api.ts'
import type { SecretsPort } from '#desk/ports/secrets.ts'
import { loginSecret, Session } from '#desk/service/session.ts'
import { refusalCode } from '#remote/judge.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import type { Tokens } from '#shared/wire/auth.ts'
import { count } from '#support/counts.ts'
import { benchScope, memorySecrets } from '#support/desk-bench.ts'
import { fakeClock, memoryValues, unusedApi } from '#support/desk-fakes.ts'

let clock: ReturnType<typeof fakeClock>
let kept: Map<string, string>
let settings: ReturnType<typeof memoryValues>
let refreshes: string[]
let issued: number
let answerLogin: ApiPort['login']
let answerRefresh: (token: string) => Promise<ApiOutcome<Tokens>>
let nameCustomers: () => Promise<ApiOutcome<never>>
let onFault: (error: unknown) => void

/** The claims of the next tokens; null: tokens without claims. */
let claimed: { username: string; roles: string[] } | null

function issue(exp = 3600): ApiOutcome<Tokens> {
  issued++
  const claims = { iat: 0, exp, user_id: '1', user_type: 'api', customer_ids: [], ...claimed }
  const token = claimed
    ? `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${issued}`
    : `access-${issued}`
  const value = { token, iat: 0, exp, refresh_token: `refresh-${issued}` }
  return { kind: 'answer', status: 200, value, serverDate: null }
}
/** Returns the user name in a token that `issue` made with claims. */
function userOf(token: string): unknown {
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  return (claims as { username: unknown }).username
}
const refusal = (status: number): ApiOutcome<never> => ({
  kind: 'refused',
  status,
  failure: failure(refusalCode(status, 'other')),
  serverDate: null,
})
const offline: ApiOutcome<never> = { kind: 'not_sent', failure: failure('network.offline') }

function open(secrets: SecretsPort = memorySecrets(kept)): Session {
  const api: ApiPort = {
    ...unusedApi,
    login: (credentials) => answerLogin(credentials),
    refresh: (token) => {
      refreshes.push(token)
      return answerRefresh(token)
    },
    listCustomers: () => nameCustomers(),
  }
  return new Session({
    api,
    secrets,
    values: settings,
    clock,
    line: createLine(clock, () => undefined),
    scope: benchScope,
    changed: () => undefined,
    onFault: (error) => onFault(error),
  })
}

async function signedOut(): Promise<Session> {
  const session = open()
  await session.restore()
  return session
}

async function signedIn(secrets?: SecretsPort): Promise<Session> {
  const session = open(secrets)
  await session.restore()
  await session.login({ username: 'sam', password: 'right' })
  return session
}

beforeEach(() => {
  clock = fakeClock()
  kept = new Map()
  settings = memoryValues()
  refreshes = []
  issued = 0
  claimed = null
  answerLogin = ({ password }) => Promise.resolve(password === 'right' ? issue() : refusal(401))
  answerRefresh = () => Promise.resolve(issue())
  nameCustomers = () => Promise.resolve(offline)
  onFault = (error) => {
    throw error
  }
})

describe('a session', () => {
  it('starts signed out, and remains signed out when a login is refused', async () => {
    const session = open()
    await session.restore()
    expect(session.state()).toMatchObject({ state: 'signed_out', username: null })
    expect(await session.access()).toEqual({ ok: false, failure: failure('session.signed_out') })
    expect(await session.login({ username: 'sam', password: 'wrong' })).toMatchObject({ ok: false })
    expect(session.state().state).toBe('signed_out')
  })

  it('requests one new token for fifty parallel calls that are refused with 401', async () => {
    for (let round = 0; round < count(20, 200); round++) {
      refreshes = []
      const session = await signedIn()
      const before = await session.access()
      if (!before.ok) throw new Error('no token')
      const calls = await Promise.all(
        Array.from({ length: 50 }, () =>
          session.withAccess(async (token): Promise<ApiOutcome<string>> => {
            await Promise.resolve()
            if (token === before.token) return refusal(401)
            return { kind: 'answer', status: 200, value: token, serverDate: null }
          }),
        ),
      )
      expect(calls.every((call) => call.kind === 'answer')).toBe(true)
      expect(refreshes).toHaveLength(1)
    }
  })

  it('makes a call at most twice when the service refuses every token', async () => {
    const session = await signedIn()
    let calls = 0
    const outcome = await session.withAccess(() => {
      calls++
      return Promise.resolve(refusal(401))
    })
    expect(outcome).toMatchObject({ kind: 'refused', status: 401 })
    expect(calls).toBe(2)
  })

  it('refreshes its token before the token expires, as measured by the monotonic clock', async () => {
    const session = await signedIn()
    clock.setWall(clock.now() + 10 * 3600_000)
    await session.access()
    expect(refreshes).toEqual([])
    clock.advance(3600_000 - 20_000)
    await session.access()
    expect(refreshes).toEqual(['refresh-1'])
  })

  it('stores the new refresh token before the new access token can be used', async () => {
    const memory = memorySecrets(kept)
    const slow: SecretsPort = {
      ...memory,
      write: async (key, value) => {
        await new Promise((resolve) => setImmediate(resolve))
        await memory.write(key, value)
      },
    }
    const session = await signedIn(slow)
    clock.advance(3600_000)
    const access = await session.access()
    expect(access).toEqual({ ok: true, token: 'access-2' })
    expect([...kept.values()]).toEqual(['refresh-2'])
  })

  it('remains signed in when a refresh does not reach the service', async () => {
    const session = await signedIn()
    clock.advance(3600_000)
    answerRefresh = () => Promise.resolve(offline)
    expect(await session.access()).toEqual({ ok: false, failure: failure('network.offline') })
    expect(session.state().state).toBe('signed_in')
    answerRefresh = () => Promise.resolve(issue())
    expect(await session.access()).toMatchObject({ ok: true })
    expect(refreshes).toEqual(['refresh-1', 'refresh-1'])
  })

  it.each([400, 403, 500])('remains signed in after a refresh with status %i', async (status) => {
    const session = await signedIn()
    clock.advance(3600_000)
    answerRefresh = () => Promise.resolve(refusal(status))
    await session.access()
    expect(session.state().state).toBe('signed_in')
    expect(kept.size).toBe(1)
  })

  it('expires when the service refuses the refresh token', async () => {
    const session = await signedIn()
    clock.advance(3600_000)
    answerRefresh = () => Promise.resolve(refusal(401))
    expect((await session.access()).ok).toBe(false)
    expect(session.state()).toMatchObject({ state: 'expired', username: 'sam' })
    expect(kept.size).toBe(0)
    await session.access()
    expect(refreshes).toHaveLength(1)
  })

  it('ignores the response to a refresh when the operator logged out meanwhile', async () => {
    const session = await signedIn()
    clock.advance(3600_000)
    const late = Promise.withResolvers<ApiOutcome<Tokens>>()
    answerRefresh = () => late.promise
    const access = session.access()
    await session.logout()
    late.resolve(issue())
    expect((await access).ok).toBe(false)
    expect(session.state().state).toBe('signed_out')
    expect(kept.size).toBe(0)
  })

  it('is signed out when the operator logs out before the login is complete', async () => {
    const late = Promise.withResolvers<ApiOutcome<never>>()
    nameCustomers = () => late.promise
    const session = open()
    await session.restore()
    const login = session.login({ username: 'sam', password: 'right' })
    await new Promise((resolve) => setImmediate(resolve))
    await session.logout()
    late.resolve(offline)
    expect(await login).toMatchObject({ ok: false, error: { code: 'session.signed_out' } })
    expect(session.state()).toMatchObject({ state: 'signed_out', username: null })
    expect(settings.read('last_session')).toBeNull()
    expect(kept.size).toBe(0)
  })

  it('is signed out when the operator logs out before the service responds to the login', async () => {
    const late = Promise.withResolvers<ApiOutcome<Tokens>>()
    answerLogin = () => late.promise
    const session = await signedOut()
    const login = session.login({ username: 'sam', password: 'right' })
    await session.logout()
    late.resolve(issue())
    expect(await login).toMatchObject({ ok: false, error: { code: 'session.signed_out' } })
    expect(session.state()).toMatchObject({ state: 'signed_out', username: null })
    expect(settings.read('last_session')).toBeNull()
    expect(kept.size).toBe(0)
  })

  it.each([
    ['before', [0, 1]],
    ['after', [1, 0]],
  ])('keeps the later of two logins if the service responds to the earlier one %s it', async (_, order) => {
    const late = [0, 1].map(() => Promise.withResolvers<ApiOutcome<Tokens>>())
    const waiting = [...late]
    answerLogin = () => waiting.shift()?.promise ?? Promise.resolve(refusal(401))
    const session = await signedOut()
    const logins = ['sam', 'kim'].map((username) => session.login({ username, password: 'right' }))
    for (const index of order) {
      late[index]?.resolve(issue())
      await logins[index]
    }
    expect(await logins[0]).toMatchObject({ ok: false, error: { code: 'session.signed_out' } })
    expect(session.state()).toMatchObject({ state: 'signed_in', username: 'kim' })
    expect(settings.read('last_session')).toContain('"kim"')
  })

  it('uses the response to a refresh that arrives while a login is refused', async () => {
    const session = await signedIn()
    clock.advance(3600_000)
    const late = Promise.withResolvers<ApiOutcome<Tokens>>()
    answerRefresh = () => late.promise
    const access = session.access()
    expect(await session.login({ username: 'sam', password: 'wrong' })).toMatchObject({ ok: false })
    late.resolve(issue())
    expect(await access).toEqual({ ok: true, token: 'access-2' })
    expect([...kept.values()]).toEqual(['refresh-2'])
  })

  it.each([
    ['while the login asks for the name of the customer', 'name'],
    ['while the login removes the stored token', 'removal'],
    ['while the login stores its token', 'store'],
  ])('never uses or stores a token of the previous user whose refresh begins %s', async (_, moment) => {
    const memory = memorySecrets(kept)
    let hold: (() => Promise<void>) | null = null
    const secrets: SecretsPort = {
      ...memory,
      write: async (...args) => {
        await hold?.()
        await memory.write(...args)
      },
      remove: async (...args) => {
        await hold?.()
        await memory.remove(...args)
      },
    }
    claimed = { username: 'anna', roles: ['A'] }
    const session = open(secrets)
    await session.restore()
    await session.login({ username: 'anna', password: 'right' })
    clock.advance(3600_000)
    const annas = claimed
    const late = Promise.withResolvers<ApiOutcome<Tokens>>()
    answerRefresh = () => late.promise
    const reached = Promise.withResolvers<undefined>()
    const go = Promise.withResolvers<undefined>()
    const wait = async (): Promise<void> => {
      reached.resolve(undefined)
      await go.promise
    }
    let writes = 0
    if (moment === 'name')
      nameCustomers = async () => {
        await wait()
        return offline
      }
    else hold = () => (++writes === (moment === 'removal' ? 1 : 2) ? wait() : Promise.resolve())
    claimed = { username: 'bob', roles: ['B'] }
    const login = session.login({ username: 'bob', password: 'right' })
    await reached.promise
    const access = session.access()
    go.resolve(undefined)
    expect(await login).toMatchObject({ ok: true })
    claimed = annas
    late.resolve(issue())
    await access
    expect(session.state()).toMatchObject({ username: 'bob', roles: ['B'] })
    expect([...kept.values()]).toEqual(['refresh-2'])
    const used = await session.access()
    expect(used.ok && userOf(used.token)).toBe('bob')
  })

  it('stores the token of a login that was made while an older token was being stored', async () => {
    const memory = memorySecrets(kept)
    const gate = Promise.withResolvers<undefined>()
    const slow: SecretsPort = {
      ...memory,
      write: async (key, value) => {
        if (value === 'refresh-2') await gate.promise
        await memory.write(key, value)
      },
    }
    const session = await signedIn(slow)
    clock.advance(3600_000)
    const access = session.access()
    await new Promise((resolve) => setImmediate(resolve))
    const login = session.login({ username: 'kim', password: 'right' })
    await new Promise((resolve) => setImmediate(resolve))
    gate.resolve(undefined)
    await Promise.all([access, login])
    expect(session.state()).toMatchObject({ state: 'signed_in', username: 'kim' })
    expect([...kept.values()]).toEqual(['refresh-3'])
  })

  it('does not use a token while no user is signed in', async () => {
    kept.set(loginSecret(benchScope), 'of an earlier user')
    const session = open()
    await session.restore()
    expect(await session.access()).toEqual({ ok: false, failure: failure('session.signed_out') })
    expect([refreshes, kept.size]).toEqual([[], 0])
  })

  it('neither stores nor uses the token of a login that cannot be stored', async () => {
    const full = vi.spyOn(settings, 'write').mockImplementation(() => {
      throw new CataloguedError('store.full')
    })
    const session = open()
    await session.restore()
    await expect(session.login({ username: 'sam', password: 'right' })).rejects.toThrow()
    expect(session.state()).toMatchObject({ state: 'signed_out', username: null })
    expect(kept.size).toBe(0)
    expect(await session.access()).toEqual({ ok: false, failure: failure('session.signed_out') })
    let calls = 0
    await session.withAccess(() => {
      calls++
      return Promise.resolve(offline)
    })
    expect([calls, refreshes]).toEqual([0, []])
    full.mockRestore()
    expect(await session.login({ username: 'sam', password: 'right' })).toMatchObject({ ok: true })
    expect(settings.read('last_session')).toContain('"sam"')
    expect([...kept.values()]).toEqual(['refresh-2'])
  })

  it('keeps its user when the login of another user cannot be stored', async () => {
    const session = await signedIn()
    vi.spyOn(settings, 'write').mockImplementation(() => {
      throw new CataloguedError('store.full')
    })
    await expect(session.login({ username: 'kim', password: 'right' })).rejects.toThrow()
    expect(session.state()).toMatchObject({ state: 'signed_in', username: 'sam' })
    expect(await session.access()).toEqual({ ok: true, token: 'access-1' })
    expect([...kept.values()]).toEqual(['refresh-1'])
    expect(settings.read('last_session')).toContain('"sam"')
  })

  it('never stores the token of one user while the name of another user is stored', async () => {
    const pairs = new Set<string>()
    const memory = memorySecrets(kept)
    const note = (): void => {
      const name = /"username":"(?<name>\w+)"/.exec(settings.read('last_session') ?? '')?.groups?.['name']
      pairs.add(`${name ?? 'no user'} ${[...kept.values()].join(' ') || 'no token'}`)
    }
    const noted = async (act: () => Promise<void>): Promise<void> => {
      note()
      await act()
      note()
    }
    const session = await signedIn({
      ...memory,
      write: (key, value) => noted(() => memory.write(key, value)),
      remove: (key) => noted(() => memory.remove(key)),
    })
    await session.login({ username: 'kim', password: 'right' })
    note()
    expect([...pairs].sort()).toEqual([
      ...['kim no token', 'kim refresh-2', 'no user no token', 'sam no token', 'sam refresh-1'],
    ])
  })

  it('uses the token of a refresh even if the roles of this token cannot be stored', async () => {
    const faults: unknown[] = []
    onFault = (error) => faults.push(error)
    claimed = { username: 'sam', roles: ['R0'] }
    const session = await signedIn()
    const full = vi.spyOn(settings, 'write').mockImplementation(() => {
      throw new CataloguedError('store.full')
    })
    claimed = { username: 'sam', roles: ['R1'] }
    clock.advance(3600_000)
    expect(await session.access()).toMatchObject({ ok: true })
    expect(await session.access()).toMatchObject({ ok: true })
    expect(session.state().roles).toEqual(['R1'])
    expect([refreshes, faults.length]).toEqual([['refresh-1'], 1])
    full.mockRestore()
    clock.advance(3600_000)
    await session.access()
    expect(settings.read('last_session')).toContain('"R1"')
  })

  it('works for the logged-in user, without a stored token, when the keyring fails', async () => {
    const faults: unknown[] = []
    onFault = (error) => faults.push(error)
    const broken = (): Promise<never> => Promise.reject(new Error('no keyring'))
    const session = open({ canProtect: broken, read: broken, write: broken, remove: broken })
    await session.restore()
    expect((await session.login({ username: 'sam', password: 'right' })).ok).toBe(true)
    expect(session.state()).toMatchObject({ state: 'signed_in', keepsLogin: false })
    expect((await session.access()).ok).toBe(true)
    expect(faults).toHaveLength(2)
  })
})

describe('a session with hostile tokens of the service', () => {
  /** Refreshes the session, so that it has these roles. */
  async function refreshTo(session: Session, roles: string[]): Promise<void> {
    claimed = { username: 'sam', roles }
    clock.advance(3600_000)
    await session.access()
  }
  const storedRoles = (): unknown =>
    (JSON.parse(settings.read('last_session') ?? '{}') as { roles?: unknown }).roles

  it.each([0, -9_007_199_254_740_991, 1])(
    'refreshes at most once in 26.9 seconds when a token gives %i as its expiry',
    async (exp) => {
      answerRefresh = () => Promise.resolve(issue(exp))
      const session = await signedIn()
      clock.advance(3600_000)
      for (let call = 0; call < 10; call++) await session.access()
      expect(refreshes).toHaveLength(1)
      clock.advance(26_900)
      await session.access()
      expect(refreshes).toHaveLength(1)
      clock.advance(200)
      await session.access()
      expect(refreshes).toHaveLength(2)
    },
  )

  it('takes from each token at most 200 roles of 100 characters and a name of 200 characters', async () => {
    const session = open()
    await session.restore()
    claimed = {
      username: '漢'.repeat(10_000),
      roles: ['x'.repeat(101), 'ROLE_A', ...Array.from({ length: 5_000 }, (_, at) => `R${at}`)],
    }
    await session.login({ username: 'sam', password: 'right' })
    const { username, roles } = session.state()
    expect([username?.length, roles.length, roles[0], roles[199]]).toEqual([200, 200, 'ROLE_A', 'R198'])
  })

  it('stores its roles at most once a minute, even if they change every second', async () => {
    const session = open()
    await session.restore()
    claimed = { username: 'sam', roles: ['R0'] }
    await session.login({ username: 'sam', password: 'right' })
    const write = vi.spyOn(settings, 'write')
    for (let turn = 1; turn <= 120; turn++) {
      claimed = { username: 'sam', roles: [`R${turn}`] }
      // the service refuses each token, so each read refreshes the session
      await session.withAccess(() => Promise.resolve(refusal(401)))
      clock.advance(1_000)
    }
    expect(session.state().roles).toEqual(['R120'])
    expect(write).toHaveBeenCalledTimes(1)
    expect(storedRoles()).toEqual(['R61'])
  })

  it('stores its latest roles at a refresh after a minute, even if this refresh does not change the roles', async () => {
    const session = open()
    await session.restore()
    claimed = { username: 'sam', roles: ['R0'] }
    await session.login({ username: 'sam', password: 'right' })
    claimed = { username: 'sam', roles: ['R1'] }
    await session.withAccess(() => Promise.resolve(refusal(401)))
    expect(storedRoles()).toEqual(['R0'])
    await refreshTo(session, ['R1'])
    expect(storedRoles()).toEqual(['R1'])
    await refreshTo(session, ['R2'])
    expect(storedRoles()).toEqual(['R2'])
  })

  it('keeps a refresh token of more than 8,000 characters in memory only, and removes the stored token', async () => {
    const session = await signedIn()
    expect([session.state().keepsLogin, kept.size]).toEqual([true, 1])
    const long = { token: 'access', iat: 0, exp: 3600, refresh_token: 'r'.repeat(8_001) }
    const reply = (value: Tokens) => () =>
      Promise.resolve({ kind: 'answer', status: 200, value, serverDate: null } as const)
    answerRefresh = reply(long)
    clock.advance(3600_000)
    expect(await session.access()).toMatchObject({ ok: true })
    expect([session.state(), kept.size]).toMatchObject([{ state: 'signed_in', keepsLogin: false }, 0])
    answerRefresh = reply({ ...long, refresh_token: 'r'.repeat(8_000) })
    clock.advance(3600_000)
    await session.access()
    expect(refreshes.map(({ length }) => length)).toEqual([9, 8_001])
    expect([session.state().keepsLogin, kept.size]).toEqual([true, 1])
  })

  it('stores the name of an operator as soon as the operator logs in', async () => {
    const session = await signedIn()
    claimed = { username: 'kim', roles: ['R1'] }
    await session.login({ username: 'kim', password: 'right' })
    expect(settings.read('last_session')).toContain('"kim"')
  })
})

describe('a session of a desk that closes', () => {
  const limitMs = 1_000

  it('waits for a refresh under way, so that the new token is stored', async () => {
    const session = await signedIn()
    clock.advance(3600_000)
    const refreshed = Promise.withResolvers<ApiOutcome<Tokens>>()
    answerRefresh = () => refreshed.promise
    const access = session.access()
    const closed = session.close(limitMs)
    refreshed.resolve(issue())
    await Promise.all([access, closed])
    expect([...kept.values()]).toEqual(['refresh-2'])
  })

  it('ignores a response to a refresh that arrives after the limit for closing and after a new login', async () => {
    const session = await signedIn()
    clock.advance(3600_000)
    const late = Promise.withResolvers<ApiOutcome<Tokens>>()
    answerRefresh = () => late.promise
    const access = session.access()
    const closed = session.close(limitMs)
    clock.advance(limitMs)
    await closed
    const next = await signedIn()
    expect(next.isSignedIn).toBe(true)
    late.resolve(issue())
    expect(await access).toMatchObject({ ok: false })
    expect([...kept.values()]).toEqual(['refresh-2'])
  })

  it('starts no refresh and stores no login after it was closed', async () => {
    const session = await signedIn()
    clock.advance(3600_000)
    await session.close(limitMs)
    kept.clear()
    expect(await session.access()).toMatchObject({ ok: false })
    const login = await session.login({ username: 'kim', password: 'right' })
    expect(login).toMatchObject({ error: { code: 'session.signed_out' } })
    expect([refreshes, kept.size]).toEqual([[], 0])
    expect(settings.read('last_session')).toContain('"sam"')
  })

  it('closes after the limit even if the keyring has not stored a token', async () => {
    const memory = memorySecrets(kept)
    const gate = Promise.withResolvers<undefined>()
    const writes: string[] = []
    const session = await signedIn({
      ...memory,
      async write(key, value) {
        writes.push(value)
        if (value === 'refresh-2') await gate.promise
        await memory.write(key, value)
      },
    })
    for (const username of ['kim', 'eva']) {
      void session.login({ username, password: 'right' })
      await new Promise((resolve) => setImmediate(resolve))
    }
    const closed = session.close(limitMs)
    clock.advance(limitMs)
    await closed
    gate.resolve(undefined)
    await new Promise((resolve) => setImmediate(resolve))
    expect(writes).toEqual(['refresh-1', 'refresh-2'])
  })
})

describe('a session after a restart', () => {
  it('is signed in with the stored token, and calls the service only when it needs an access token', async () => {
    await signedIn()
    const session = open()
    await session.restore()
    expect(session.state()).toMatchObject({ state: 'signed_in', username: 'sam', keepsLogin: true })
    expect(refreshes).toEqual([])
    expect(await session.access()).toMatchObject({ ok: true })
    expect(refreshes).toEqual(['refresh-1'])
  })

  it('stores the operator again only when a refresh returns different roles', async () => {
    claimed = { username: 'sam', roles: ['R0'] }
    await signedIn()
    const session = open()
    await session.restore()
    const write = vi.spyOn(settings, 'write')
    await session.access()
    expect(write).not.toHaveBeenCalled()
    claimed = { username: 'sam', roles: ['R1'] }
    clock.advance(3600_000)
    await session.access()
    expect(write).toHaveBeenCalledOnce()
  })

  it('is expired when the PC cannot encrypt secrets, because no token was stored', async () => {
    await signedIn(memorySecrets(kept, false))
    expect(kept.size).toBe(0)
    const session = open(memorySecrets(kept, false))
    await session.restore()
    expect(session.state()).toMatchObject({ state: 'expired', username: 'sam', keepsLogin: false })
  })

  it('has no stored token after a logout that could not be written to the settings', async () => {
    const session = await signedIn()
    expect(kept.size).toBe(1)
    settings.remove = () => {
      throw new CataloguedError('store.full')
    }
    await expect(session.logout()).rejects.toThrow(CataloguedError)
    expect([session.state().state, session.isSignedIn, kept.size]).toEqual(['signed_out', false, 0])
  })

  it('is signed out if the operator logged out before the restart', async () => {
    await (await signedIn()).logout()
    const session = open()
    await session.restore()
    expect(session.state()).toMatchObject({ state: 'signed_out', username: null, customer: null })
  })
})
