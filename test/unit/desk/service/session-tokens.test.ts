import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { ApiOutcome } from '#desk/ports/api.ts'
import type { Session } from '#desk/service/session.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import type { Tokens } from '#shared/wire/auth.ts'
import { memorySecrets } from '#support/desk-bench.ts'

import { refusal, SessionBench } from '#support/session-bench.ts'
let bench: SessionBench
beforeEach(() => {
  bench = new SessionBench()
})

describe('a session with hostile tokens of the service', () => {
  /** Refreshes the session, so that it has these roles. */
  async function refreshTo(session: Session, roles: string[]): Promise<void> {
    bench.claimed = { username: 'sam', roles }
    bench.clock.advance(3600_000)
    await session.access()
  }
  const done: ApiOutcome<string> = { kind: 'answer', status: 200, value: 'ok', serverDate: null }
  const storedRoles = (): unknown =>
    (JSON.parse(bench.settings.read('last_session') ?? '{}') as { roles?: unknown }).roles

  it.each([0, -9_007_199_254_740_991, 1])(
    'refreshes at most once in 26.9 seconds when a token gives %i as its expiry',
    async (exp) => {
      bench.answerRefresh = () => Promise.resolve(bench.issue(exp))
      const session = await bench.signedIn()
      bench.clock.advance(3600_000)
      for (let call = 0; call < 10; call++) await session.access()
      expect(bench.refreshes).toHaveLength(1)
      bench.clock.advance(26_900)
      await session.access()
      expect(bench.refreshes).toHaveLength(1)
      bench.clock.advance(200)
      await session.access()
      expect(bench.refreshes).toHaveLength(2)
    },
  )

  it('takes from each token at most 200 roles of 100 characters and a name of 200 characters', async () => {
    const session = bench.open()
    await session.restore()
    bench.claimed = {
      username: '漢'.repeat(10_000),
      roles: ['x'.repeat(101), 'ROLE_A', ...Array.from({ length: 5_000 }, (_, at) => `R${at}`)],
    }
    await session.login({ username: 'sam', password: 'right' })
    const { username, roles } = session.state()
    expect([username?.length, roles.length, roles[0], roles[199]]).toEqual([200, 200, 'ROLE_A', 'R198'])
  })

  it('stores its roles at most once a minute, even if they change every second', async () => {
    const session = bench.open()
    await session.restore()
    bench.claimed = { username: 'sam', roles: ['R0'] }
    await session.login({ username: 'sam', password: 'right' })
    const write = vi.spyOn(bench.settings, 'write')
    for (let turn = 1; turn <= 120; turn++) {
      bench.claimed = { username: 'sam', roles: [`R${turn}`] }
      // the service refuses each token when it is used again, so each read refreshes the session
      let calls = 0
      await session.withAccess(() => Promise.resolve(calls++ === 0 ? refusal(401) : done))
      bench.clock.advance(1_000)
    }
    expect(session.state().roles).toEqual(['R120'])
    expect(write).toHaveBeenCalledTimes(1)
    expect(storedRoles()).toEqual(['R61'])
  })

  it('refreshes at most once a minute for reads that the service refuses with each token', async () => {
    const session = await bench.signedIn()
    for (let turn = 0; turn < 120; turn++) {
      expect(await session.withAccess(() => Promise.resolve(refusal(401)))).toEqual(refusal(401))
      bench.clock.advance(1_000)
    }
    expect(bench.refreshes).toHaveLength(2)
    expect(await session.access()).toMatchObject({ ok: true })
    expect(session.state().state).toBe('signed_in')
  })

  it('stores the latest roles of its user at the first refresh that is at least a minute after the last store, even if this refresh does not change the roles', async () => {
    const session = bench.open()
    await session.restore()
    bench.claimed = { username: 'sam', roles: ['R0'] }
    await session.login({ username: 'sam', password: 'right' })
    bench.claimed = { username: 'sam', roles: ['R1'] }
    await session.withAccess(() => Promise.resolve(refusal(401)))
    expect(storedRoles()).toEqual(['R0'])
    await refreshTo(session, ['R1'])
    expect(storedRoles()).toEqual(['R1'])
    await refreshTo(session, ['R2'])
    expect(storedRoles()).toEqual(['R2'])
  })

  it('keeps a refresh token of more than 8,000 characters in memory only, and removes the stored token', async () => {
    const session = await bench.signedIn()
    expect([session.state().keepsLogin, bench.kept.size]).toEqual([true, 1])
    const long = { token: 'access', iat: 0, exp: 3600, refresh_token: 'r'.repeat(8_001) }
    const reply = (value: Tokens) => () =>
      Promise.resolve({ kind: 'answer', status: 200, value, serverDate: null } as const)
    bench.answerRefresh = reply(long)
    bench.clock.advance(3600_000)
    expect(await session.access()).toMatchObject({ ok: true })
    expect([session.state(), bench.kept.size]).toMatchObject([{ state: 'signed_in', keepsLogin: false }, 0])
    bench.answerRefresh = reply({ ...long, refresh_token: 'r'.repeat(8_000) })
    bench.clock.advance(3600_000)
    await session.access()
    expect(bench.refreshes.map(({ length }) => length)).toEqual([9, 8_001])
    expect([session.state().keepsLogin, bench.kept.size]).toEqual([true, 1])
  })

  it('stores the name of an operator as soon as the operator logs in', async () => {
    const session = await bench.signedIn()
    bench.claimed = { username: 'kim', roles: ['R1'] }
    await session.login({ username: 'kim', password: 'right' })
    expect(bench.settings.read('last_session')).toContain('"kim"')
  })
})

describe('a session whose desk closes', () => {
  const limitMs = 1_000

  it('waits for a refresh under way, so that the new token is stored', async () => {
    const session = await bench.signedIn()
    bench.clock.advance(3600_000)
    const refreshed = Promise.withResolvers<ApiOutcome<Tokens>>()
    bench.answerRefresh = () => refreshed.promise
    const access = session.access()
    const closed = session.close(limitMs)
    refreshed.resolve(bench.issue())
    await Promise.all([access, closed])
    expect([...bench.kept.values()]).toEqual(['refresh-2'])
  })

  it('ignores a response to a refresh that arrives after the limit for closing and after a new login', async () => {
    const session = await bench.signedIn()
    bench.clock.advance(3600_000)
    const late = Promise.withResolvers<ApiOutcome<Tokens>>()
    bench.answerRefresh = () => late.promise
    const access = session.access()
    const closed = session.close(limitMs)
    bench.clock.advance(limitMs)
    await closed
    const next = await bench.signedIn()
    expect(next.isSignedIn).toBe(true)
    late.resolve(bench.issue())
    expect(await access).toMatchObject({ ok: false })
    expect([...bench.kept.values()]).toEqual(['refresh-2'])
  })

  it('starts no refresh and stores no login afterwards', async () => {
    const session = await bench.signedIn()
    bench.clock.advance(3600_000)
    await session.close(limitMs)
    bench.kept.clear()
    expect(await session.access()).toMatchObject({ ok: false })
    const login = await session.login({ username: 'kim', password: 'right' })
    expect(login).toMatchObject({ error: { code: 'session.signed_out' } })
    expect([bench.refreshes, bench.kept.size]).toEqual([[], 0])
    expect(bench.settings.read('last_session')).toContain('"sam"')
  })

  it('closes after the time limit even if the keyring has not stored a token yet', async () => {
    const memory = memorySecrets(bench.kept)
    const gate = Promise.withResolvers<undefined>()
    const writes: string[] = []
    const session = await bench.signedIn({
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
    bench.clock.advance(limitMs)
    await closed
    gate.resolve(undefined)
    await new Promise((resolve) => setImmediate(resolve))
    expect(writes).toEqual(['refresh-1', 'refresh-2'])
  })
})

describe('a session after a restart or a logout', () => {
  it('is signed in with the stored token, and calls the service only when it needs an access token', async () => {
    await bench.signedIn()
    const session = bench.open()
    await session.restore()
    expect(session.state()).toMatchObject({ state: 'signed_in', username: 'sam', keepsLogin: true })
    expect(bench.refreshes).toEqual([])
    expect(await session.access()).toMatchObject({ ok: true })
    expect(bench.refreshes).toEqual(['refresh-1'])
  })

  it('stores the operator again after a refresh only if the refresh returned different roles', async () => {
    bench.claimed = { username: 'sam', roles: ['R0'] }
    await bench.signedIn()
    const session = bench.open()
    await session.restore()
    const write = vi.spyOn(bench.settings, 'write')
    await session.access()
    expect(write).not.toHaveBeenCalled()
    bench.claimed = { username: 'sam', roles: ['R1'] }
    bench.clock.advance(3600_000)
    await session.access()
    expect(write).toHaveBeenCalledOnce()
  })

  it('is expired after a restart if the PC cannot encrypt secrets, because no token was stored', async () => {
    await bench.signedIn(memorySecrets(bench.kept, false))
    expect(bench.kept.size).toBe(0)
    const session = bench.open(memorySecrets(bench.kept, false))
    await session.restore()
    expect(session.state()).toMatchObject({ state: 'expired', username: 'sam', keepsLogin: false })
  })

  it('has no stored token after a logout, even if the settings could not store the logout', async () => {
    const session = await bench.signedIn()
    expect(bench.kept.size).toBe(1)
    bench.settings.remove = () => {
      throw new CataloguedError('store.full')
    }
    await expect(session.logout()).rejects.toThrow(CataloguedError)
    expect([session.state().state, session.isSignedIn, bench.kept.size]).toEqual(['signed_out', false, 0])
  })

  it('is signed out if the operator logged out before the restart', async () => {
    await (await bench.signedIn()).logout()
    const session = bench.open()
    await session.restore()
    expect(session.state()).toMatchObject({ state: 'signed_out', username: null, customer: null })
  })
})

describe('a session whose stored token belongs to another user than the stored name', () => {
  it.each([true, false])(
    'expires, and sends nothing with that token (after a restart: %s)',
    async (restarts) => {
      bench.claimed = { username: 'anna', roles: ['A'] }
      const before = await bench.signedIn()
      const session = restarts ? bench.open() : before
      if (restarts) await session.restore()
      else bench.clock.advance(3600_000)
      bench.claimed = { username: 'ben', roles: ['B'] }
      const sent: string[] = []
      const outcome = await session.withAccess((token) => {
        sent.push(token)
        return Promise.resolve(refusal(500))
      })
      expect(outcome).toMatchObject({ kind: 'not_sent', failure: { code: 'session.expired' } })
      expect(sent).toEqual([])
      expect(session.state()).toMatchObject({ state: 'expired', username: 'anna', roles: ['A'] })
      expect([bench.kept.size, bench.refreshes]).toEqual([0, ['refresh-1']])
      await session.access()
      expect(bench.refreshes).toHaveLength(1)
      expect(await session.login({ username: 'ben', password: 'right' })).toMatchObject({ ok: true })
      expect(session.state()).toMatchObject({ state: 'signed_in', username: 'ben', roles: ['B'] })
    },
  )
})
