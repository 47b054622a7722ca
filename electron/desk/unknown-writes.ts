import type { DeskStatus } from '#shared/bridge/views.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import type { Decision } from './desk.ts'
import type { Outbox } from './outbox.ts'
import type { ClockPort } from './ports/clock.ts'
import type { OutboxStore, Subject } from './ports/commands.ts'

export interface UnknownWritesParts {
  readonly commands: OutboxStore
  readonly outbox: Outbox
  readonly clock: ClockPort
  readonly moved: (subject: Subject) => void
  readonly status: () => DeskStatus
}

/** Takes the operator's word on a write; what became of it follows as an event of its subject. */
export function resolveUnknown(
  { commands, outbox, clock, moved, status }: UnknownWritesParts,
  commandId: string,
  decision: Decision,
): Result<DeskStatus> {
  const command = commands.get(commandId)
  if (!command) return fail(`return_label.unknown`)
  // meanwhile decided by a read-back: then there is nothing left to decide, and the subject says how it ended
  if (command.state === 'unknown') {
    if (decision === 'send_again') commands.requeue(commandId, clock.now(), command.failure)
    else commands.discard(commandId, clock.now())
  }
  moved(command.subject)
  outbox.retryNow()
  return ok(status())
}
