import type { Bitmap } from '#labels/pixels/bitmap.ts'
import type { Course } from './course.ts'
import { escposJob } from './escpos-bytes.ts'
import { escposStatus } from './escpos-status.ts'
import type { RawConnection } from './raw-sender.ts'

export interface EscposTimeouts {
  readonly connectMs: number
  /** For the answer to one status question. */
  readonly statusMs: number
  /** For the next piece of a job to leave. */
  readonly stallMs: number
  /** For a label to be worked off once the printer has all of it. */
  readonly labelMs: number
  /** For bytes under way to arrive where no answer can tell. */
  readonly settleMs: number
  /** For the printer to close after we did. */
  readonly closeMs: number
}

/**
 * Prints labels over a connection: asks how the printer is, sends, and hears what it says behind the last label. What
 * each answer means is in escpos-printer.ts. Leaves the connection open where the printer confirmed.
 */
export async function exchange(
  connection: RawConnection,
  labels: readonly Bitmap[],
  timeouts: EscposTimeouts,
): Promise<Course> {
  const status = escposStatus(connection)
  const before = await status.now(timeouts.statusMs)
  const why = before?.cause ?? connection.lost()
  if (why !== null) return { kind: 'refused', cause: why }
  const cut = await connection.write(escposJob(labels), timeouts.stallMs)
  if (cut !== null) return { kind: 'partial', cause: cut }
  if (before) {
    const inTurn = await status.inTurn(timeouts.labelMs * labels.length)
    const after = await status.now(timeouts.statusMs)
    const cause = after ? after.cause : (connection.lost() ?? 'silent')
    if (cause !== null) return { kind: 'unconfirmed', cause }
    // a printer that answers at once but never in turn says nothing of the label
    if (inTurn !== null) return { kind: 'confirmed', evidence: `GS r ${inTurn}, ${after?.text ?? ''}` }
  }
  const notClosed = await connection.finish(timeouts.closeMs, timeouts.settleMs)
  return notClosed === null ? { kind: 'sent' } : { kind: 'unconfirmed', cause: notClosed }
}
