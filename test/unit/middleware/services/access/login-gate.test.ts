import { describe, expect, it } from 'vitest'
import { createLogger } from '#kit/logger.ts'
import {
  type LoginAttempt,
  LoginGate,
  type LoginLimits,
  RefusedLoginsInMemory,
} from '#middleware/services/access/login-gate.ts'
import { Refusal } from '#middleware/services/refusal.ts'
import { Turns, usualWaitingLimits } from '#middleware/services/turns.ts'
import { seed } from '#support/counts.ts'
import { testClock, type TestClock } from '#support/middleware-server.ts'
import { randomFrom } from '#support/random.ts'

const limits: LoginLimits = {
  ...{ refusals: 3, refusalsOfNetwork: Infinity, windowMs: 60_000, refreshes: 2 },
  ...{ hashesAtOnce: 2, hashesWaiting: 4 },
}
const sam: LoginAttempt = { username: 'sam', address: '10.0.0.7' }
const wrong = (): Promise<boolean> => Promise.resolve(false)
const right = (): Promise<boolean> => Promise.resolve(true)

function gateOf(over: Partial<LoginLimits> = {}): {
  gate: LoginGate
  clock: TestClock
  refused: RefusedLoginsInMemory
} {
  const clock = testClock()
  const logger = createLogger('test', { level: 'silent' })
  const ours = { ...limits, ...over }
  const refused = new RefusedLoginsInMemory(clock, ours)
  return { gate: new LoginGate(ours, clock, logger, refused, new Turns(usualWaitingLimits)), clock, refused }
}

/** The result of a login: `true`, `false`, or the seconds for which a refused login must wait. */
async function outcome(login: Promise<boolean>): Promise<boolean | number | null> {
  try {
    return await login
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'too_many') return error.retryAfterSeconds
    throw error
  }
}

describe('refused logins at the login gate', () => {
  it('block a user name at an address until the oldest refusal is a minute old, without hashing a password', async () => {
    const { gate, clock } = gateOf()
    for (let guess = 0; guess < 3; guess++) {
      expect(await outcome(gate.pass(sam, wrong))).toBe(false)
      clock.advance(10_000)
    }
    let hashed = 0
    const counted = (): Promise<boolean> => Promise.resolve(++hashed > 0)
    expect(await outcome(gate.pass(sam, counted))).toBe(30)
    clock.advance(29_500)
    expect(await outcome(gate.pass(sam, counted))).toBe(1)
    expect(hashed).toBe(0)
    clock.advance(500)
    expect(await outcome(gate.pass(sam, counted))).toBe(true)
  })

  it('do not count for a different user name or a different address', async () => {
    const { gate } = gateOf()
    for (let guess = 0; guess < 3; guess++) await gate.pass(sam, wrong)
    expect(await outcome(gate.pass({ ...sam, username: 'kim' }, right))).toBe(true)
    expect(await outcome(gate.pass({ ...sam, address: '10.0.0.8' }, right))).toBe(true)
    expect(await outcome(gate.pass(sam, right))).toBe(60)
  })

  it('are forgotten after a successful login with the same user name', async () => {
    const { gate, refused } = gateOf()
    for (let round = 0; round < 4; round++) {
      for (let guess = 0; guess < 2; guess++) await gate.pass(sam, wrong)
      expect(await outcome(gate.pass(sam, right))).toBe(true)
    }
    expect(refused.remembered).toBe(0)
  })

  it('block an address after too many refusals for any user names; successful logins do not count', async () => {
    const { gate, clock } = gateOf({ refusalsOfNetwork: 20 })
    const loginAs = (username: string, verify: () => Promise<boolean>, address = sam.address) =>
      outcome(gate.pass({ username, address }, verify))
    for (let desk = 0; desk < 100; desk++) expect(await loginAs(`desk-${desk}`, right)).toBe(true)
    for (let guess = 0; guess < 20; guess++) expect(await loginAs(`random-${guess}`, wrong)).toBe(false)
    let hashed = 0
    const counted = (): Promise<boolean> => Promise.resolve(++hashed > 0)
    expect(await loginAs('sam', counted)).toBe(60)
    expect(hashed).toBe(0)
    expect(await loginAs('sam', right, '10.0.0.8')).toBe(true)
    clock.advance(60_000)
    expect(await loginAs('sam', right)).toBe(true)
  })

  it('are counted before their passwords are checked, so that parallel guesses do not exceed the limit', async () => {
    const { gate } = gateOf({ hashesAtOnce: 50 })
    let hashed = 0
    const guess = async (): Promise<boolean> => {
      hashed++
      await new Promise((resolve) => setImmediate(resolve))
      return false
    }
    await Promise.all(Array.from({ length: 50 }, () => outcome(gate.pass(sam, guess))))
    expect(hashed).toBe(3)
  })

  it('are not counted when the hash fails because of a fault in the middleware', async () => {
    const { gate, refused } = gateOf()
    for (let time = 0; time < 5; time++)
      await expect(gate.pass(sam, () => Promise.reject(new Error('no memory')))).rejects.toThrow('no memory')
    expect(refused.remembered).toBe(0)
  })

  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['::ffff:10.0.0.7', '10.0.0.7', true],
    ['::ffff:10.0.0.7', '::ffff:10.0.0.8', false],
    ['fe80::1%eth0', 'fe80::2%eth0', true],
  ])(
    'count together for two addresses only if both are in the same network: %s and %s: %s',
    async (one, other, together) => {
      const { gate } = gateOf()
      for (let guess = 0; guess < 3; guess++) await gate.pass({ ...sam, address: one }, wrong)
      expect(await outcome(gate.pass({ ...sam, address: other }, right))).toBe(together ? 60 : true)
    },
  )

  it('are stored for at most 10,000 pairs of user name and address; a further pair replaces the one refused longest ago', async () => {
    const { gate, refused } = gateOf()
    for (let guess = 0; guess < 3; guess++) await gate.pass(sam, wrong)
    for (let name = 0; name < 10_000; name++) await gate.pass({ ...sam, username: `name-${name}` }, wrong)
    expect(refused.remembered).toBe(10_000)
    expect(await outcome(gate.pass(sam, right))).toBe(true)
  })
})

describe('password hashes at the login gate', () => {
  it('are computed two at a time in order; logins beyond the queue are refused with a time to wait', async () => {
    const { gate } = gateOf()
    const begun: number[] = []
    let most = 0
    let running = 0
    const releases: (() => void)[] = []
    const logins = Array.from({ length: 8 }, (_, number) =>
      outcome(
        gate.pass({ ...sam, username: `name-${number}` }, async () => {
          begun.push(number)
          most = Math.max(most, ++running)
          await new Promise<void>((resolve) => releases.push(resolve))
          running--
          return true
        }),
      ),
    )
    await new Promise((resolve) => setImmediate(resolve))
    expect(begun).toEqual([0, 1])
    while (begun.length < 6 || running > 0) {
      releases.shift()?.()
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await Promise.all(logins)).toEqual([true, true, true, true, true, true, 2, 2])
    expect(begun).toEqual([0, 1, 2, 3, 4, 5])
    expect(most).toBe(2)
  })

  it.each([1, 16, 200])(
    'are computed for each network in turn, so that a flood from %i networks delays another login by one hash of each',
    async (networks) => {
      const { gate } = gateOf({ hashesAtOnce: 1 })
      const begun: string[] = []
      const releases: (() => void)[] = []
      let names = 0
      const login = (address: string): Promise<boolean | number | null> =>
        outcome(
          gate.pass({ username: `name-${names++}`, address }, async () => {
            begun.push(address)
            await new Promise<void>((resolve) => releases.push(resolve))
            return true
          }),
        )
      const flood = Array.from({ length: 8 * networks }, (_, number) => login(`10.1.${number % networks}.1`))
      await new Promise((resolve) => setImmediate(resolve))
      const user = login('10.0.0.7')
      await new Promise((resolve) => setImmediate(resolve))
      const floods = Promise.all(flood)
      while (!begun.includes('10.0.0.7') && releases.length > 0) {
        releases.shift()?.()
        await new Promise((resolve) => setImmediate(resolve))
      }
      // one hash had begun before the user logged in, so at most this hash and one of each network precede the hash of
      // the user
      expect(begun).toContain('10.0.0.7')
      expect(begun.indexOf('10.0.0.7')).toBeLessThanOrEqual(networks + 1)
      while (releases.length > 0) {
        releases.shift()?.()
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(await user).toBe(true)
      expect((await floods).filter((result) => result === 2).length).toBeGreaterThan(0)
    },
  )

  it('are computed at most two at a time, in whatever order logins arrive and end', async () => {
    const { gate } = gateOf({ hashesWaiting: Infinity })
    const random = randomFrom(seed)
    const turns = async (): Promise<void> => {
      for (let left = Math.floor(random() * 8); left > 0; left--) await Promise.resolve()
    }
    let most = 0
    let running = 0
    await Promise.all(
      Array.from({ length: 250 }, async (_, number) => {
        await turns()
        await gate.pass({ ...sam, username: `name-${number}` }, async () => {
          most = Math.max(most, ++running)
          await turns()
          running--
          return true
        })
      }),
    )
    expect(most).toBe(2)
  })

  it('do not block the next hash if they fail', async () => {
    const { gate } = gateOf({ hashesAtOnce: 1, hashesWaiting: 0 })
    await expect(gate.pass(sam, () => Promise.reject(new Error('no memory')))).rejects.toThrow('no memory')
    expect(await outcome(gate.pass(sam, right))).toBe(true)
  })
})

describe('refreshes at the login gate', () => {
  it('are refused for a login beyond the limit until a minute is over, but not for a different login', () => {
    const { gate, clock } = gateOf()
    const refresh = (login: string): number | null => {
      try {
        gate.passRefresh(login)
        return null
      } catch (error) {
        return error instanceof Refusal && error.kind === 'too_many' ? error.retryAfterSeconds : null
      }
    }
    expect([refresh('a'), refresh('a'), refresh('a'), refresh('b')]).toEqual([null, null, 60, null])
    clock.advance(59_500)
    expect(refresh('a')).toBe(1)
    clock.advance(500)
    expect(refresh('a')).toBeNull()
  })
})
