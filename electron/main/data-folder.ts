import type { Logger } from '#kit/logger.ts'
import { reportRights, takeDataFolder } from '#kit/private-files.ts'

/** What the desk keeps in its data directory; everything else there is Electron's own. */
const ownNames =
  /^(?:desk\.|recent\.|recovery\.json|settings\.json|(?:backups|catalogue|journal|labels|sandbox|vault)$)/

/**
 * Makes the data directory for this account alone, before anything is read from it or written to it. Everything of the
 * desk lies in there, the folder printer's labels too: they bear names and addresses as the database does. `labels` may
 * be a link to a folder of somebody's choice: that folder keeps its rights. Throws the system's error where the
 * directory cannot be made.
 */
export function takeDeskFolder(dataDir: string, logger: Logger): void {
  reportRights(
    takeDataFolder(dataDir, (name) => ownNames.test(name)),
    logger,
  )
}
