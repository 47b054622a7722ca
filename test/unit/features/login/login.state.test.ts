import { describe, expect, it } from 'vitest'
import { LoginState } from '#features/login/login.state.svelte.ts'
import type { SessionView } from '#shared/bridge/views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { MemoryDesk } from '#support/memory-desk/memory-desk.ts'
import { productionStation, sandboxStation } from '#support/memory-desk/station.ts'

function begin(): { desk: MemoryDesk; login: LoginState; sessions: SessionView[] } {
  const desk = new MemoryDesk()
  const sessions: SessionView[] = []
  return { desk, sessions, login: new LoginState(desk.bridge, (session) => sessions.push(session)) }
}

describe('LoginState', () => {
  it('fills in the user name and password of the sandbox, and empties the password after the login', async () => {
    const { login, sessions } = begin()
    login.prefill(sandboxStation)
    await login.submit()
    expect(sessions.map(({ state }) => state)).toEqual(['signed_in'])
    expect(login.password).toBe('')
  })

  it('fills in no field for a real server, and does not send an incomplete login', async () => {
    const { desk, login } = begin()
    login.prefill(productionStation)
    login.username = 'anna'
    await login.submit()
    expect(desk.calls).toEqual([])
  })

  it('keeps the user name, but not the password, during a visit to the set-up', () => {
    const { login } = begin()
    const come = (station = productionStation): string[] => {
      login.prefill(station)
      return [login.username, login.password]
    }
    come()
    login.username = 'anna'
    login.password = 'secret'
    expect(come()).toEqual(['anna', ''])
    login.leave()
    expect(come()).toEqual(['', ''])
    login.username = 'anna'
    come(sandboxStation)
    expect(come()).toEqual(['', ''])
  })

  it('sends the login with the id of the station for which it was typed, so that no other station gets the password', async () => {
    const { desk } = begin()
    const sent: unknown[] = []
    const { session } = desk.bridge
    const login = new LoginState(
      { ...desk.bridge, session: { ...session, login: (args, at) => (sent.push(at), session.login(args)) } },
      () => undefined,
    )
    login.prefill(sandboxStation)
    await login.submit()
    expect(sent).toEqual([sandboxStation.id])
  })

  it('keeps the user name when the login is refused', async () => {
    const { desk, login, sessions } = begin()
    desk.world.failures['session:login'] = failure('session.invalid_credentials')
    login.prefill(sandboxStation)
    login.noteScan()
    await login.submit()
    expect(sessions).toEqual([])
    expect(login).toMatchObject({ username: 'anna', busy: false, scanned: false })
    expect(login.failure?.code).toBe('session.invalid_credentials')
  })

  it('fills in the user name of a scanned badge, and empties the password if the badge is of another user', async () => {
    const { desk, login, sessions } = begin()
    login.prefill(sandboxStation)
    login.takeBadge('kees')
    expect(login).toMatchObject({ username: 'kees', password: '', hasBadge: true, complete: false })
    await login.submit()
    expect(desk.calls).toEqual([])
    login.password = 'secret'
    login.takeBadge('kees')
    expect(login.password).toBe('secret')
    await login.submit()
    expect(sessions).toHaveLength(1)
    expect(login.hasBadge).toBe(false)
  })
})
