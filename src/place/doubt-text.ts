import { m } from '#messages/messages.js'
import type { WaitingWrite } from '#shared/bridge/views.ts'
import { formatDuration } from '#ui/format.ts'

/**
 * Returns the text about a write that got no response: Scandesk looks whether the write arrived, and how long it takes
 * at most until that is certain. `held` names an obstacle to the look. `write` is null until the status contains it.
 * `nowMs`: milliseconds since 1970.
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
