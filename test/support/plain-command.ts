import type { CommandRow } from '#desk/ports/commands.ts'

/**
 * The fields of a command that was created at time 0 and never sent. A test adds the id, the subject, the aggregate and
 * the type, and replaces the fields that it needs.
 */
export const untried: Omit<CommandRow, 'id' | 'subject' | 'aggregate' | 'type'> = {
  payload: null,
  state: 'queued',
  needsOperator: false,
  attempts: 0,
  createdAt: 0,
  stateAt: 0,
  firstSentAt: null,
  endedAt: null,
  baseline: null,
  failure: null,
  madeBy: null,
  question: null,
  acknowledged: [],
  sendsUnseen: false,
}
