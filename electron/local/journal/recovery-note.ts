import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { z } from 'zod'
import type { Recovery } from '#desk/ports/storage.ts'
import { syncFolder, writeNow } from '#kit/durable-files.ts'
import type { DeskPaths } from '../desk-paths.ts'

const note = z.object({
  at: z.number(),
  backupAt: z.number().nullable(),
  replayed: z.number().int(),
  putAside: z.string(),
  wholeSince: z.number().nullable(),
  /** What may have been sent since is in doubt from then on (restored-doubts.ts); false: that has still to be done. */
  isSettled: z.boolean(),
})
type RecoveryNote = z.infer<typeof note>

/** The recovery that nobody has read of yet. It lies beside desk.db, which may have to be restored once more. */
export function readRecovery({ recovery }: DeskPaths): RecoveryNote | null {
  try {
    return note.parse(JSON.parse(readFileSync(recovery, 'utf8')))
  } catch {
    return null
  }
}

export function writeRecovery(
  { recovery }: DeskPaths,
  what: Recovery & Pick<RecoveryNote, 'isSettled'>,
): void {
  writeNow(recovery, JSON.stringify(what))
}

export async function forgetRecovery({ recovery, folder }: DeskPaths): Promise<void> {
  await rm(recovery, { force: true })
  syncFolder(folder)
}
