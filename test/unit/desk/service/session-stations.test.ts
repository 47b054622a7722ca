import { beforeEach, describe, expect, it } from 'vitest'
import type { Session } from '#desk/service/session.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import type { Scope } from '#shared/domain/scope.ts'
import { benchScope, memorySecrets } from '#support/desk-bench.ts'
import { SessionBench } from '#support/session-bench.ts'

const scopeX: Scope = { ...benchScope, customerCode: 'X' }
const scopeY: Scope = { ...benchScope, customerCode: 'Y' }

let bench: SessionBench
beforeEach(() => {
  bench = new SessionBench()
})

/** Opens a session at a station, as after a change of the station or a restart. */
async function openAt(scope: Scope, secrets = memorySecrets(bench.kept)): Promise<Session> {
  const session = bench.open(secrets, scope)
  await session.restore()
  return session
}

async function logInAt(scope: Scope, username: string): Promise<Session> {
  const session = await openAt(scope)
  expect(await session.login({ username, password: 'right' })).toMatchObject({ ok: true })
  return session
}

const nobody = { state: 'signed_out', username: null }

describe('the logins of several stations of one PC', () => {
  it.each([true, false])('all end with a logout at one of them (tokens are stored: %s)', async (stores) => {
    await logInAt(scopeX, 'anna')
    const atY = await logInAt(scopeY, 'anna')
    if (!stores) bench.kept.clear()
    await atY.logout()
    expect(bench.kept.size).toBe(0)
    const atX = await openAt(scopeX)
    expect(atX.state()).toMatchObject(nobody)
    expect(await atX.access()).toMatchObject({ ok: false, failure: { code: 'session.signed_out' } })
    expect(bench.refreshes).toEqual([])
  })

  it('end when another user logs in at one of the stations', async () => {
    await logInAt(scopeX, 'anna')
    await logInAt(scopeY, 'ben')
    expect([...bench.kept.values()]).toEqual(['refresh-2'])
    expect((await openAt(scopeX)).state()).toMatchObject(nobody)
    expect((await openAt(scopeY)).state()).toMatchObject({ state: 'signed_in', username: 'ben' })
  })

  it('stay when the same user logs in at another station', async () => {
    await logInAt(scopeX, 'anna')
    await logInAt(scopeY, 'anna')
    expect((await openAt(scopeX)).state()).toMatchObject({ state: 'signed_in', username: 'anna' })
  })

  it('stay when the service refuses the login of another user', async () => {
    await logInAt(scopeX, 'anna')
    await (await openAt(scopeY)).login({ username: 'ben', password: 'wrong' })
    expect((await openAt(scopeX)).state()).toMatchObject({ state: 'signed_in', username: 'anna' })
  })

  it('end with a logout even if the settings cannot remove the tokens, which are then not used', async () => {
    const faults: unknown[] = []
    bench.onFault = (error) => faults.push(error)
    await logInAt(scopeX, 'anna')
    const remove = (): Promise<never> => Promise.reject(new Error('no keyring'))
    const atY = await openAt(scopeY, { ...memorySecrets(bench.kept), remove })
    await atY.logout()
    expect(faults).toHaveLength(2)
    const atX = await openAt(scopeX)
    expect(atX.state()).toMatchObject(nobody)
    expect([bench.kept.size, bench.refreshes]).toEqual([0, []])
  })

  it('have no token after a logout, or after a login of another user, that failed because the store could not remove the users', async () => {
    await logInAt(scopeX, 'anna')
    const atY = await openAt(scopeY)
    bench.valuesAt(scopeX).remove = () => {
      throw new CataloguedError('store.full')
    }
    await expect(atY.login({ username: 'ben', password: 'right' })).rejects.toThrow(CataloguedError)
    expect(atY.state()).toMatchObject(nobody)
    expect(bench.kept.size).toBe(0)
    await expect(atY.logout()).rejects.toThrow(CataloguedError)
  })
})
