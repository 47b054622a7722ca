import { createNameLookup } from '#kit/name-lookups.ts'

/**
 * Looks up the host name of a printer. Only one name is looked up at a time, because the process can make only two
 * look-ups at a time, and the service needs the other one. If the name of an idle printer cannot be resolved, the other
 * printers are still found at the addresses of the last ten minutes.
 */
export const lookUpPrinter = createNameLookup({ most: 1, keptMs: 10 * 60_000 })
