import { expect, it } from 'vitest'
import { LateWatch, OtherDesks } from '#desk/outbox/later-looks.ts'
import type { CommandType } from '#desk/outbox/command-type.ts'
import type { ClockPort } from '#desk/ports/clock.ts'
import type { CommandRow } from '#desk/ports/commands.ts'
import type { Line } from '#desk/service/line.ts'
import type { Session } from '#desk/service/session.ts'
import { commandIdOf } from '#support/ids.ts'
import { untried } from '#support/plain-command.ts'
import { turnsDuring } from '#support/turns.ts'

const never = (): never => {
  throw new Error('not expected')
}

/** A clock on which each look takes 20 ms. */
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
  lookAroundAt: 0,
})
const commands = Array.from({ length: 40 }, (_, number) => command(number))

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
  const seen = new Promise<number>((resolve) => {
    const watched = (ids: readonly unknown[]): void => {
      resolve(ids.length)
    }
    watch = new LateWatch({ ...parts, store: { endedAmbiguously: () => commands, watched } })
    watch.kick()
  })
  expect(await turnsDuring(seen)).toBeGreaterThanOrEqual(commands.length / 2)
  expect(await seen).toBe(commands.length)
  await (watch as LateWatch | null)?.close()
})

it('OtherDesks lets the event loop run while it looks for records similar to many creations', async () => {
  let left = [...commands]
  let others: OtherDesks | null = null
  const all = new Promise<void>((resolve) => {
    const store = {
      toLookAround: () => left,
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
