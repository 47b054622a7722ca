import type { CommandType } from '#desk/outbox/command-type.ts'
import { standardPace } from '#desk/outbox/command-waits.ts'
import { Outbox } from '#desk/outbox/outbox.ts'
import type { OutboxStore } from '#desk/ports/commands.ts'
import type { Line } from '#desk/service/line.ts'
import type { Session } from '#desk/service/session.ts'
import type { FakeClock } from './desk-fakes.ts'
import { never } from './strict-store.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

interface OutboxWorld {
  readonly store: OutboxStore
  /** The type of all commands, which create bookings. */
  readonly type: CommandType
  readonly clock: FakeClock
  readonly line: Line
  readonly quietMs: number
  /** The login. Left out: that of the user `sam`, whose token is always valid. */
  readonly session?: object
}

/**
 * Creates an outbox without the other parts of a desk. `faults`: the errors that it reported. `pass`: lets time pass in
 * steps of half a second, in which the outbox works.
 */
export function createLoneOutbox({ store, type, clock, line, quietMs, session }: OutboxWorld): {
  readonly outbox: Outbox
  readonly faults: readonly unknown[]
  readonly pass: (ms: number) => Promise<void>
} {
  const faults: unknown[] = []
  const login = {
    isSignedIn: true,
    state: () => ({ username: 'sam', roles: [] }),
    access: () => Promise.resolve({ ok: true, token: 'token' }),
  }
  const outbox = new Outbox({
    store,
    types: new Map([['modification.create', type]]),
    session: (session ?? login) as unknown as Session,
    clock,
    line,
    quietMs,
    pace: standardPace,
    moved: () => undefined,
    arrived: () => undefined,
    noticed: never,
    onFault: (error) => void faults.push(error),
  })
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 500) {
      for (let turns = 0; turns < 6; turns++) await turn()
      clock.advance(500)
    }
    for (let turns = 0; turns < 6; turns++) await turn()
  }
  return { outbox, faults, pass }
}
