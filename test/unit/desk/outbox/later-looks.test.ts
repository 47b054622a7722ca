import { expect, it } from 'vitest'
import { LateWatch, OtherDesks } from '#desk/outbox/later-looks.ts'
import type { CommandType } from '#desk/outbox/command-type.ts'
import type { ClockPort } from '#desk/ports/clock.ts'
import type { CommandRow, EndedWatch } from '#desk/ports/commands.ts'
import type { Line } from '#desk/service/line.ts'
import type { Session } from '#desk/service/session.ts'
import { watchForMs } from '#shared/domain/queue-rules.ts'
import { commandIdOf } from '#support/ids.ts'
import { untried } from '#support/plain-command.ts'
import { turnsDuring } from '#support/turns.ts'

const never = (): never => {
  throw new Error('not expected')
}

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
    const store = { get, toWatch: () => commands, nextWatch: () => null, watched }
    watch = new LateWatch({ ...parts, store })
    watch.kick()
  })
  expect(await turnsDuring(all)).toBeGreaterThanOrEqual(commands.length / 2)
  expect(portions.map(({ length }) => length)).toEqual([50, 50, 20])
  // this search was made two minutes after the attempt had ended; the next one is due five minutes after the end of the
  // attempt
  expect(portions[0]?.[0]).toEqual({ id: commands[0]?.id, endedAt: 0, nextAt: 300_000 })
  await (watch as LateWatch | null)?.close()
})

it('LateWatch.kick() does not read the whole row of a write while no look is due', async () => {
  const asked: (readonly number[])[] = []
  let next = 0
  const all = new Promise<void>((resolve) => {
    const store = {
      get: never,
      watched: never,
      toWatch(since: number, until: number) {
        asked.push([since, until])
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
  expect(asked).toEqual(Array.from({ length: 3 }, () => [120_000 - 2 * watchForMs, 120_000]))
})

it('LateWatch skips a write that is open again, and plans no further look for a command whose type has no look', async () => {
  const [open, invisible, seen] = [command(1), command(2), command(3)]
  const rows = [{ ...open, state: 'queued' as const }, { ...invisible, type: 'no look' }, seen]
  const looks = await new Promise<readonly EndedWatch[]>((resolve) => {
    const store = {
      get: (id: CommandRow['id']) => rows.find((one) => one.id === id) ?? null,
      toWatch: () => [open, ...rows.slice(1)],
      nextWatch: () => null,
      watched: resolve,
    }
    new LateWatch({ ...parts, store }).kick()
  })
  expect(looks).toEqual([
    { id: invisible.id, endedAt: 0, nextAt: null },
    { id: seen.id, endedAt: 0, nextAt: 300_000 },
  ])
})

it('OtherDesks lets the event loop run while it checks for many creations whether other desks made similar records', async () => {
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
