import type { QueueNotice } from '#shared/bridge/queue-views.ts'
import type { Answer, CommandType } from './command-type.ts'
import type { Line } from '../service/line.ts'
import type { Pace } from '../timing/pace.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { OutboxStore, SeenRecord, Subject } from '../ports/commands.ts'
import type { Session } from '../service/session.ts'

/** What the outbox works with, and whom it tells. */
export interface OutboxParts {
  readonly store: OutboxStore
  readonly types: ReadonlyMap<string, CommandType>
  readonly session: Session
  readonly clock: ClockPort
  readonly line: Line
  /** How long an ambiguous write may still arrive, in milliseconds. */
  readonly quietMs: number
  readonly pace: Pace
  /** A command of this subject moved; `answer` when the service just described it. */
  readonly moved: (subject: Subject, answer: Answer | null) => void
  /** The service has it. */
  readonly arrived: () => void
  /** Something that no write can mend. */
  readonly noticed: (kind: QueueNotice['kind'], subject: Subject, records: readonly SeenRecord[]) => void
  readonly onFault: (error: unknown) => void
}
