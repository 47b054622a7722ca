import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { ApiOutcome } from '#desk/ports/api.ts'
import type { SecretsPort } from '#desk/ports/secrets.ts'
import { loginSecret } from '#desk/service/session.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import type { Tokens } from '#shared/wire/auth.ts'
import { count } from '#support/counts.ts'
import { benchScope, memorySecrets } from '#support/desk-bench.ts'

import { offline, refusal, SessionBench, userOf } from '#support/session-bench.ts'
let bench: SessionBench
beforeEach(() => {
  bench = new SessionBench()
})

describe('a session', () => {
  it('starts signed out, and remains signed out when a login is refused', async () => {
    const session = bench.open()
    await session.restore()
    expect(session.state()).toMatchObject({ state: 'signed_out', username: null })
    expect(await session.access()).toEqual({ ok: false, failure: failure('session.signed_out') })
    expect(await session.login({ username: 'sam', password: 'wrong' })).toMatchObject({ ok: false })
    expect(session.state().state).toBe('signed_out')
  })

  it('requests one new token for fifty parallel calls that are refused with 401', async () => {
    for (let round = 0; round < count(20, 200); round++) {
      bench.refreshes = []
      const session = await bench.signedIn()
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
      expect(bench.refreshes).toHaveLength(1)
    }
  })

  it('makes a call at most twice when the service refuses every token', async () => {
    const session = await bench.signedIn()
    let calls = 0
    const outcome = await session.withAccess(() => {
      calls++
      return Promise.resolve(refusal(401))
    })
    expect(outcome).toMatchObject({ kind: 'refused', status: 401 })
    expect(calls).toBe(2)
  })

  it('refreshes its token before the token expires, as measured by the monotonic clock', async () => {
    const session = await bench.signedIn()
    bench.clock.setWall(bench.clock.now() + 10 * 3600_000)
    await session.access()
    expect(bench.refreshes).toEqual([])
    bench.clock.advance(3600_000 - 20_000)
    await session.access()
    expect(bench.refreshes).toEqual(['refresh-1'])
  })

  it('stores the new refresh token before the new access token can be used', async () => {
    const memory = memorySecrets(bench.kept)
    const slow: SecretsPort = {
      ...memory,
      write: async (key, value) => {
        await new Promise((resolve) => setImmediate(resolve))
        await memory.write(key, value)
      },
    }
    const session = await bench.signedIn(slow)
    bench.clock.advance(3600_000)
    const access = await session.access()
    expect(access).toEqual({ ok: true, token: 'access-2' })
    expect([...bench.kept.values()]).toEqual(['refresh-2'])
  })

  it('remains signed in when a refresh does not reach the service', async () => {
    const session = await bench.signedIn()
    bench.clock.advance(3600_000)
    bench.answerRefresh = () => Promise.resolve(offline)
    expect(await session.access()).toEqual({ ok: false, failure: failure('network.offline') })
    expect(session.state().state).toBe('signed_in')
    bench.answerRefresh = () => Promise.resolve(bench.issue())
    expect(await session.access()).toMatchObject({ ok: true })
    expect(bench.refreshes).toEqual(['refresh-1', 'refresh-1'])
  })

  const unavailable: ApiOutcome<never> = {
    kind: 'ambiguous',
    status: 500,
    failure: failure('api.unavailable', { status: 500 }),
  }
  const page: ApiOutcome<never> = { kind: 'not_sent', failure: failure('network.not_the_service') }

  it.each([
    ['a refusal that may pass (408)', refusal(408)],
    ['a refusal that may pass (425)', refusal(425)],
    ['a refusal that may pass (429)', refusal(429)],
    ['an error of the service (500)', unavailable],
    ['a web page of a firewall (403)', page],
  ])('remains signed in after %s in response to a refresh', async (_, outcome) => {
    const session = await bench.signedIn()
    bench.clock.advance(3600_000)
    bench.answerRefresh = () => Promise.resolve(outcome)
    await session.access()
    expect(session.state().state).toBe('signed_in')
    expect(bench.kept.size).toBe(1)
  })

  it.each([400, 401, 403, 404, 422])('expires when the service refuses a refresh with %i', async (status) => {
    const session = await bench.signedIn()
    bench.clock.advance(3600_000)
    bench.answerRefresh = () => Promise.resolve(refusal(status))
    expect((await session.access()).ok).toBe(false)
    expect(session.state()).toMatchObject({ state: 'expired', username: 'sam' })
    expect(bench.kept.size).toBe(0)
    await session.access()
    expect(bench.refreshes).toHaveLength(1)
  })

  it('ignores the response to a refresh when the operator logged out meanwhile', async () => {
    const session = await bench.signedIn()
    bench.clock.advance(3600_000)
    const late = Promise.withResolvers<ApiOutcome<Tokens>>()
    bench.answerRefresh = () => late.promise
    const access = session.access()
    await session.logout()
    late.resolve(bench.issue())
    expect((await access).ok).toBe(false)
    expect(session.state().state).toBe('signed_out')
    expect(bench.kept.size).toBe(0)
  })

  it('is signed out when the operator logs out before the login is complete', async () => {
    const late = Promise.withResolvers<ApiOutcome<never>>()
    bench.nameCustomers = () => late.promise
    const session = bench.open()
    await session.restore()
    const login = session.login({ username: 'sam', password: 'right' })
    await new Promise((resolve) => setImmediate(resolve))
    await session.logout()
    late.resolve(offline)
    expect(await login).toMatchObject({ ok: false, error: { code: 'session.signed_out' } })
    expect(session.state()).toMatchObject({ state: 'signed_out', username: null })
    expect(bench.settings.read('last_session')).toBeNull()
    expect(bench.kept.size).toBe(0)
  })

  it('is signed out when the operator logs out before the service responds to the login', async () => {
    const late = Promise.withResolvers<ApiOutcome<Tokens>>()
    bench.answerLogin = () => late.promise
    const session = await bench.signedOut()
    const login = session.login({ username: 'sam', password: 'right' })
    await session.logout()
    late.resolve(bench.issue())
    expect(await login).toMatchObject({ ok: false, error: { code: 'session.signed_out' } })
    expect(session.state()).toMatchObject({ state: 'signed_out', username: null })
    expect(bench.settings.read('last_session')).toBeNull()
    expect(bench.kept.size).toBe(0)
  })

  it.each([
    ['before', [0, 1]],
    ['after', [1, 0]],
  ])('keeps the second of two logins if the first login is answered %s the second', async (_, order) => {
    const late = [0, 1].map(() => Promise.withResolvers<ApiOutcome<Tokens>>())
    const waiting = [...late]
    bench.answerLogin = () => waiting.shift()?.promise ?? Promise.resolve(refusal(401))
    const session = await bench.signedOut()
    const logins = ['sam', 'kim'].map((username) => session.login({ username, password: 'right' }))
    for (const index of order) {
      late[index]?.resolve(bench.issue())
      await logins[index]
    }
    expect(await logins[0]).toMatchObject({ ok: false, error: { code: 'session.signed_out' } })
    expect(session.state()).toMatchObject({ state: 'signed_in', username: 'kim' })
    expect(bench.settings.read('last_session')).toContain('"kim"')
  })

  it('uses the response to a refresh if a login was refused while the refresh was under way', async () => {
    const session = await bench.signedIn()
    bench.clock.advance(3600_000)
    const late = Promise.withResolvers<ApiOutcome<Tokens>>()
    bench.answerRefresh = () => late.promise
    const access = session.access()
    expect(await session.login({ username: 'sam', password: 'wrong' })).toMatchObject({ ok: false })
    late.resolve(bench.issue())
    expect(await access).toEqual({ ok: true, token: 'access-2' })
    expect([...bench.kept.values()]).toEqual(['refresh-2'])
  })

  it.each([
    ['while the login asks for the name of the customer', 'name'],
    ['while the login removes the stored token', 'removal'],
    ['while the login stores its token', 'store'],
  ])('never uses or stores a token of the previous user if its refresh begins %s', async (_, moment) => {
    const memory = memorySecrets(bench.kept)
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
    bench.claimed = { username: 'anna', roles: ['A'] }
    const session = bench.open(secrets)
    await session.restore()
    await session.login({ username: 'anna', password: 'right' })
    bench.clock.advance(3600_000)
    const annas = bench.claimed
    const late = Promise.withResolvers<ApiOutcome<Tokens>>()
    bench.answerRefresh = () => late.promise
    const reached = Promise.withResolvers<undefined>()
    const go = Promise.withResolvers<undefined>()
    const wait = async (): Promise<void> => {
      reached.resolve(undefined)
      await go.promise
    }
    let writes = 0
    if (moment === 'name')
      bench.nameCustomers = async () => {
        await wait()
        return offline
      }
    else hold = () => (++writes === (moment === 'removal' ? 1 : 2) ? wait() : Promise.resolve())
    bench.claimed = { username: 'bob', roles: ['B'] }
    const login = session.login({ username: 'bob', password: 'right' })
    await reached.promise
    const access = session.access()
    go.resolve(undefined)
    expect(await login).toMatchObject({ ok: true })
    bench.claimed = annas
    late.resolve(bench.issue())
    await access
    expect(session.state()).toMatchObject({ username: 'bob', roles: ['B'] })
    expect([...bench.kept.values()]).toEqual(['refresh-2'])
    const used = await session.access()
    expect(used.ok && userOf(used.token)).toBe('bob')
  })

  it('stores the token of a login that was made while an older token was being stored', async () => {
    const memory = memorySecrets(bench.kept)
    const gate = Promise.withResolvers<undefined>()
    const slow: SecretsPort = {
      ...memory,
      write: async (key, value) => {
        if (value === 'refresh-2') await gate.promise
        await memory.write(key, value)
      },
    }
    const session = await bench.signedIn(slow)
    bench.clock.advance(3600_000)
    const access = session.access()
    await new Promise((resolve) => setImmediate(resolve))
    const login = session.login({ username: 'kim', password: 'right' })
    await new Promise((resolve) => setImmediate(resolve))
    gate.resolve(undefined)
    await Promise.all([access, login])
    expect(session.state()).toMatchObject({ state: 'signed_in', username: 'kim' })
    expect([...bench.kept.values()]).toEqual(['refresh-3'])
  })

  it('does not use a token while no user is signed in', async () => {
    bench.kept.set(loginSecret(benchScope), 'of an earlier user')
    const session = bench.open()
    await session.restore()
    expect(await session.access()).toEqual({ ok: false, failure: failure('session.signed_out') })
    expect([bench.refreshes, bench.kept.size]).toEqual([[], 0])
  })

  it('neither stores nor uses the token of a login that cannot be stored', async () => {
    const full = vi.spyOn(bench.settings, 'write').mockImplementation(() => {
      throw new CataloguedError('store.full')
    })
    const session = bench.open()
    await session.restore()
    await expect(session.login({ username: 'sam', password: 'right' })).rejects.toThrow()
    expect(session.state()).toMatchObject({ state: 'signed_out', username: null })
    expect(bench.kept.size).toBe(0)
    expect(await session.access()).toEqual({ ok: false, failure: failure('session.signed_out') })
    let calls = 0
    await session.withAccess(() => {
      calls++
      return Promise.resolve(offline)
    })
    expect([calls, bench.refreshes]).toEqual([0, []])
    full.mockRestore()
    expect(await session.login({ username: 'sam', password: 'right' })).toMatchObject({ ok: true })
    expect(bench.settings.read('last_session')).toContain('"sam"')
    expect([...bench.kept.values()]).toEqual(['refresh-2'])
  })

  it('keeps its user when the login of another user cannot be stored', async () => {
    const session = await bench.signedIn()
    vi.spyOn(bench.settings, 'write').mockImplementation(() => {
      throw new CataloguedError('store.full')
    })
    await expect(session.login({ username: 'kim', password: 'right' })).rejects.toThrow()
    expect(session.state()).toMatchObject({ state: 'signed_in', username: 'sam' })
    expect(await session.access()).toEqual({ ok: true, token: 'access-1' })
    expect([...bench.kept.values()]).toEqual(['refresh-1'])
    expect(bench.settings.read('last_session')).toContain('"sam"')
  })

  it('never stores the token of one user while the name of another user is stored', async () => {
    const pairs = new Set<string>()
    const memory = memorySecrets(bench.kept)
    const note = (): void => {
      const name = /"username":"(?<name>\w+)"/.exec(bench.settings.read('last_session') ?? '')?.groups?.[
        'name'
      ]
      pairs.add(`${name ?? 'no user'} ${[...bench.kept.values()].join(' ') || 'no token'}`)
    }
    const noted = async (act: () => Promise<void>): Promise<void> => {
      note()
      await act()
      note()
    }
    const session = await bench.signedIn({
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
    bench.onFault = (error) => faults.push(error)
    bench.claimed = { username: 'sam', roles: ['R0'] }
    const session = await bench.signedIn()
    const full = vi.spyOn(bench.settings, 'write').mockImplementation(() => {
      throw new CataloguedError('store.full')
    })
    bench.claimed = { username: 'sam', roles: ['R1'] }
    bench.clock.advance(3600_000)
    expect(await session.access()).toMatchObject({ ok: true })
    expect(await session.access()).toMatchObject({ ok: true })
    expect(session.state().roles).toEqual(['R1'])
    expect([bench.refreshes, faults.length]).toEqual([['refresh-1'], 1])
    full.mockRestore()
    bench.clock.advance(3600_000)
    await session.access()
    expect(bench.settings.read('last_session')).toContain('"R1"')
  })

  it('works for the logged-in user, without a stored token, when the keyring fails', async () => {
    const faults: unknown[] = []
    bench.onFault = (error) => faults.push(error)
    const broken = (): Promise<never> => Promise.reject(new Error('no keyring'))
    const session = bench.open({ canProtect: broken, read: broken, write: broken, remove: broken })
    await session.restore()
    expect((await session.login({ username: 'sam', password: 'right' })).ok).toBe(true)
    expect(session.state()).toMatchObject({ state: 'signed_in', keepsLogin: false })
    expect((await session.access()).ok).toBe(true)
    expect(faults).toHaveLength(2)
  })
})
