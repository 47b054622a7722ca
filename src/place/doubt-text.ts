import { m } from '#messages/messages.js'
import type { WaitingWrite } from '#shared/bridge/views.ts'
import { formatDuration } from '#ui/format.ts'

/**
 * What is said of a write that got no answer: Scandesk looks for it, and how long it takes at most until it is certain
 * whether it arrived. `held`: what has to come first. `write`: null where the status has not named it yet. `nowMs`: milliseconds since 1970.
 */
export function doubtText(
  write: Pick<WaitingWrite, 'certainAt'> | null,
  held: 'offline' | 'login' | null,
  nowMs: number,
): string {
  if (held === 'login') return m.doubt_login()
  if (held === 'offline') return m.doubt_offline()
  const certainAt = write?.certainAt ?? null
  const seconds = certainAt === null ? 0 : Math.ceil((Date.parse(certainAt) - nowMs) / 1000)
  return seconds > 0 ? m.doubt_wait({ duration: formatDuration(seconds) }) : m.doubt_looking()
}
