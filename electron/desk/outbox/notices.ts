import type { QueueNotice } from '#shared/bridge/queue-views.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { SeenRecord, Subject } from '../ports/commands.ts'
import type { QueueStore } from '../ports/queue-store.ts'
import { askedRecords } from './command-type.ts'

export type RaiseNotice = (
  kind: QueueNotice['kind'],
  subject: Subject,
  records: readonly SeenRecord[],
) => void

/** Writes down what was noticed afterwards, once; `changed` when it is news. */
export function createRaiseNotice(
  store: Pick<QueueStore, 'notice'>,
  clock: ClockPort,
  changed: () => void,
): RaiseNotice {
  return (kind, subject, records) => {
    const id = crypto.randomUUID()
    if (store.notice({ id, kind, subject, records: askedRecords(records), at: clock.now() })) changed()
  }
}
