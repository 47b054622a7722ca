import { expect, it } from 'vitest'
import { LateWatch, OtherDesks } from '#desk/outbox/later-looks.ts'
import type { CommandType } from '#desk/outbox/command-type.ts'
import type { ClockPort } from '#desk/ports/clock.ts'
import type { CommandRow, DueWatch, EndedWatch } from '#desk/ports/commands.ts'
import type { Line } from '#desk/service/line.ts'
import type { Session } from '#desk/service/session.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { longestWatchGapMs } from '#shared/domain/queue-rules.ts'
import { commandIdOf } from '#support/ids.ts'
import { untried } from '#support/plain-command.ts'
import { turnsDuring } from '#support/turns.ts'
import { never } from '#support/strict-store.ts'

/** A clock whose ticks advance only by `look`: by 20 ms for each search for records at the service. */
let ticks = 0
const clock: ClockPort = {
  now: () => 120_000,
  ticks: () => ticks,
  after(delayMs, action) {
    const timer = setTimeout(action, delayMs)
    return () => {
      clearTimeout(timer)
    }
  },
}
const look = (): void => void (ticks += 20)

const command = (number: number): CommandRow => ({
  ...untried,
  id: commandIdOf(`c${number}`),
  subject: { kind: 'modification', id: `m${number}` },
  aggregate: '',
  type: 'modification.create',
  state: 'done',
  attempts: 1,
  firstSentAt: 0,
  endedAt: 0,
})
const commands = Array.from({ length: 120 }, (_, number) => command(number))
/** Returns a command as its due look, planned one minute after the attempt ended. */
const dueWatch = (one: CommandRow): DueWatch => ({ ...one, watchAt: 60_000, watchFrom: null })
const get = (id: CommandRow['id']): CommandRow | null => commands.find((one) => one.id === id) ?? null

const parts = {
  types: new Map([
    [
      'modification.create',
      {
        sightings: () => {
          look()
          return Promise.resolve({ kind: 'seen', matches: [] })
        },
        neighbours: () => {
          look()
          return Promise.resolve([])
        },
      } satisfies Partial<CommandType> as unknown as CommandType,
    ],
  ]),
  lists: { labels: never, modifications: never },
  session: { isSignedIn: true } as Session,
  line: { isOffline: () => false } as Line,
  clock,
  noticed: never,
  onFault: (error: unknown) => {
    throw error
  },
}

it('LateWatch lets the event loop run while it looks for the records of many writes', async () => {
  let watch: LateWatch | null = null
  const portions: (readonly EndedWatch[])[] = []
  const all = new Promise<void>((resolve) => {
    const watched = (looks: readonly EndedWatch[]): void => {
      portions.push(looks)
      if (portions.flat().length === commands.length) resolve()
    }
    const store = { get, toWatch: () => commands.map(dueWatch), nextWatch: () => null, watched }
    watch = new LateWatch({ ...parts, store })
    watch.kick()
  })
  expect(await turnsDuring(all)).toBeGreaterThanOrEqual(commands.length / 2)
  expect(portions.map(({ length }) => length)).toEqual([50, 50, 20])
  // this search was made two minutes after the attempt had ended; the next one is due five minutes after the end of the
  // attempt
  expect(portions[0]?.[0]).toEqual({ id: commands[0]?.id, endedAt: 0, watchFrom: null, nextAt: 300_000 })
  await (watch as LateWatch | null)?.close()
})

it('LateWatch.kick() does not read the whole row of a write while no look is due', async () => {
  const asked: (readonly number[])[] = []
  let next = 0
  const all = new Promise<void>((resolve) => {
    const store = {
      get: never,
      watched: never,
      toWatch(now: number, latest: number) {
        asked.push([now, latest])
        return []
      },
      nextWatch() {
        if (++next === 3) resolve()
        else watch.kick()
        return 600_000
      },
    }
    const watch = new LateWatch({ ...parts, store })
    watch.kick()
  })
  await all
  expect(asked).toEqual(Array.from({ length: 3 }, () => [120_000, 120_000 + longestWatchGapMs]))
})

it('LateWatch skips a write that is open again, and plans no further look for a command whose type has no look', async () => {
  const [open, invisible, seen] = [command(1), command(2), command(3)]
  const rows = [{ ...open, state: 'queued' as const }, { ...invisible, type: 'no look' }, seen]
  const looks = await new Promise<readonly EndedWatch[]>((resolve) => {
    const store = {
      get: (id: CommandRow['id']) => rows.find((one) => one.id === id) ?? null,
      toWatch: () => [open, ...rows.slice(1)].map(dueWatch),
      nextWatch: () => null,
      watched: resolve,
    }
    new LateWatch({ ...parts, store }).kick()
  })
  expect(looks).toEqual([
    { id: invisible.id, endedAt: 0, watchFrom: null, nextAt: null },
    { id: seen.id, endedAt: 0, watchFrom: null, nextAt: 300_000 },
  ])
})

it('LateWatch begins its looks again, once, if a look is more than an hour late or is planned more than an hour ahead', async () => {
  const hourMs = 3600_000
  const now = clock.now()
  /** Looks for one command. Returns what is stored after the look. */
  const lookAt = (
    endedAt: number,
    watchAt: number,
    watchFrom: number | null,
  ): Promise<EndedWatch | undefined> =>
    new Promise((resolve) => {
      const one = { ...command(1), endedAt }
      const store = {
        get: () => one,
        toWatch: () => [{ ...one, watchAt, watchFrom }],
        nextWatch: () => null,
        watched: (looks: readonly EndedWatch[]) => {
          resolve(looks[0])
        },
      }
      new LateWatch({ ...parts, store }).kick()
    })
  const again = { watchFrom: now, nextAt: now + 60_000 }
  for (const wrongMs of [-1_800 * 24 * hourMs, -2 * hourMs, 2 * hourMs, 30 * 24 * hourMs]) {
    const endedAt = now + wrongMs
    expect(await lookAt(endedAt, endedAt + 60_000, null)).toMatchObject(again)
    // the clock was set back again
    expect(await lookAt(endedAt, now + 2 * hourMs, now + 1)).toMatchObject(again)
    const late = now - 25 * hourMs
    expect(await lookAt(endedAt, late + 60_000, late)).toMatchObject({ watchFrom: late, nextAt: null })
  }
})

it('LateWatch repeats a failed look at the next planned time, later once an hour, and for the last time two days after the attempt', async () => {
  const hourMs = 3600_000
  const now = clock.now()
  let isOffline = false
  const sightings: CommandType['sightings'] = () =>
    Promise.resolve({
      kind: 'unreadable',
      failure: failure('api.malformed_answer'),
      isRefused: false,
      alike: [],
    })
  const types = new Map([['modification.create', { sightings } as unknown as CommandType]])
  const line = { isOffline: () => isOffline } as Line
  /** Makes a failed look this many milliseconds after the attempt. Returns the milliseconds until the next look. */
  const failedLook = async (afterMs: number, lateMs = 0): Promise<number | null | undefined> => {
    const one = { ...command(1), endedAt: now - afterMs }
    const looks: EndedWatch[] = []
    const store = {
      get: () => one,
      toWatch: () => [{ ...one, watchAt: now - lateMs, watchFrom: one.endedAt }],
      nextWatch: () => null,
      watched: (some: readonly EndedWatch[]) => void looks.push(...some),
    }
    const watch = new LateWatch({ ...parts, types, line, store })
    watch.kick()
    for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve))
    await watch.close()
    const nextAt = looks[0]?.nextAt
    return nextAt ? nextAt - now : nextAt
  }
  expect(await failedLook(60_000)).toBe(240_000)
  expect(await failedLook(23 * hourMs)).toBe(hourMs)
  expect(await failedLook(24 * hourMs)).toBe(hourMs)
  expect(await failedLook(48 * hourMs)).toBeNull()
  // no user was signed in for a long time before this look, so another look follows
  expect(await failedLook(72 * hourMs, 2 * hourMs)).toBe(hourMs)
  // after a lost connection the same look is repeated when the connection is back
  const lost: CommandType['sightings'] = () => {
    isOffline = true
    return Promise.resolve({
      kind: 'unreadable',
      failure: failure('network.offline'),
      isRefused: false,
      alike: [],
    })
  }
  types.set('modification.create', { sightings: lost } as unknown as CommandType)
  expect(await failedLook(60_000)).toBeUndefined()
})

it('OtherDesks lets the event loop run while it checks whether other desks made records similar to those of many creations', async () => {
  let left = [...commands]
  let others: OtherDesks | null = null
  const all = new Promise<void>((resolve) => {
    const store = {
      get,
      toLookAround: () => left,
      nextLookAround: () => null,
      lookedAround: (id: CommandRow['id']): void => {
        left = left.filter((one) => one.id !== id)
        if (left.length === 0) resolve()
      },
    }
    others = new OtherDesks({ ...parts, store, quietMs: 300 })
    others.kick()
  })
  expect(await turnsDuring(all)).toBeGreaterThanOrEqual(commands.length / 2)
  await (others as OtherDesks | null)?.close()
})
