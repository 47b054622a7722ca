import type { Logger } from '#kit/logger.ts'
import { CallLog } from '../../electron/main/ipc/call-log.ts'

/** A line of the log: its level, its data, and its message. */
export type KeptLine = readonly [level: string, facts: Record<string, unknown>, words: string]

/**
 * Returns a log of calls that adds its lines to `lines`. `after` replaces the timer of ten seconds after which the log
 * writes.
 */
export function callLogInto(
  lines: KeptLine[] = [],
  now: () => number = () => 0,
  after: (delayMs: number, action: () => void) => void = () => undefined,
): CallLog {
  const keep =
    (level: string) =>
    (facts: Record<string, unknown>, words: string): void =>
      void lines.push([level, facts, words])
  const levels = { error: keep('error'), warn: keep('warn'), info: keep('info'), debug: keep('debug') }
  const logger = levels as unknown as Logger
  return new CallLog({ logger, always: logger }, now, after)
}
