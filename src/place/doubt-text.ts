import { m } from '#messages/messages.js'
import type { WaitingWrite } from '#shared/bridge/views.ts'
import { formatDuration } from '#ui/format.ts'

/**
 * Returns the text about a write without a response. It says that Scandesk is checking whether the write arrived and,
 * if this is known, how long the check takes at most. `held`: why the check cannot run now; the text then says when it
 * will run. `write` is null until the status of the desk contains the write. `nowMs`: milliseconds since 1970.
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
