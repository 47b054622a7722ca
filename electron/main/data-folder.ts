import type { Logger } from '#kit/logger.ts'
import { foreignIn, reportRights, takeDataFolder } from '#kit/private-files.ts'
import { askRights, readersBeside } from './windows-rights.ts'

/** What the desk keeps in its data directory; everything else there is Electron's own. */
const ownNames =
  /^(?:desk\.|recent\.|recovery\.json|settings\.json|(?:backups|catalogue|journal|labels|sandbox|vault)$)/

/**
 * A sentence where the data directory, or a file of the desk in it, belongs to another account; null where nothing does.
 * What the journal holds is executed, so nothing may be read before this. PDFs of the vault are proven by their names.
 */
export function foreignDeskFile(dataDir: string): string | null {
  return foreignIn(dataDir, {
    isOurs: (name) => ownNames.test(name),
    isClosed: (name) => name === 'vault',
    mayLead: (name) => name === 'labels',
  })
}

/**
 * Makes the data directory for this account alone, before anything is read from it or written to it. Everything of the
 * desk lies in there, the folder printer's labels too: they bear names and addresses as the database does. `labels` may
 * be a link to a folder of somebody's choice: that folder keeps its rights. Throws a sentence as of
 * `foreignDeskFile`, and the system's error where the directory cannot be made.
 */
export function takeDeskFolder(dataDir: string, logger: Logger): void {
  const foreign = foreignDeskFile(dataDir)
  if (foreign !== null) throw new Error(foreign)
  reportRights(
    takeDataFolder(dataDir, (name) => ownNames.test(name)),
    logger,
  )
  if (process.platform === 'win32') void reportReaders(dataDir, logger)
}

/**
 * Windows has no modes: a folder has the rights of the one that it is in. Says in the log which other accounts may read
 * the data directory, as SDDL names them; administrators are left out. Never rejects.
 */
export async function reportReaders(
  dataDir: string,
  logger: Pick<Logger, 'warn'>,
  ask: typeof askRights = askRights,
): Promise<void> {
  const asked = await ask([dataDir])
  const rights = asked?.rights[0]
  if (!rights) {
    logger.warn({ dataDir }, 'Windows does not say who may read the data of the desk')
    return
  }
  const readers = readersBeside(rights, asked.user)
  if (readers.length > 0) logger.warn({ dataDir, readers }, 'other accounts may read the data of the desk')
}
