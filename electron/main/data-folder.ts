import type { Logger } from '#kit/logger.ts'
import { foreignIn, reportRights, takeDataFolder } from '#kit/private-files.ts'
import { askRights, readersBeside } from './windows-rights.ts'

/** The names of the desk's files in its data directory; all other files there belong to Electron. */
const ownNames =
  /^(?:desk\.|recent\.|recovery\.json|settings\.json|(?:backups|catalogue|journal|labels|logs|sandbox|support|vault)$)/

/**
 * Returns an error message if another account owns the data directory or a file of the desk in it; otherwise null. On
 * Windows it checks nothing. Call this before anything is read, because the desk executes the SQL statements in the
 * journal. The PDFs in the vault need no such check, because their names are hashes of their content.
 */
export function foreignDeskFile(dataDir: string): string | null {
  return foreignIn(dataDir, {
    isOurs: (name) => ownNames.test(name),
    isClosed: (name) => name === 'vault',
    mayLead: (name) => name === 'labels',
  })
}

/**
 * Makes the data directory private to this account, before anything is read from it or written to it. All files of the
 * desk are in it, also the labels of the folder printer, which contain names and addresses of people. `labels` may be a
 * link to a folder that the operator chose: the rights of that folder stay unchanged. Throws the message of
 * `foreignDeskFile` if that is not null. Throws the system's error if the directory cannot be created.
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
 * Logs which accounts, other than this account and administrators, may read the data directory. The names are those in
 * SDDL. On Windows files have no mode: a folder inherits the rights of its parent folder. Never rejects.
 */
export async function reportReaders(
  dataDir: string,
  logger: Pick<Logger, 'warn'>,
  ask: typeof askRights = askRights,
): Promise<void> {
  const asked = await ask([dataDir])
  const rights = asked?.rights[0]
  if (!rights) {
    logger.warn({ dataDir }, 'the access rights of the data directory cannot be read')
    return
  }
  const readers = readersBeside(rights, asked.user)
  if (readers.length > 0) logger.warn({ dataDir, readers }, 'other accounts may read the data of the desk')
}
