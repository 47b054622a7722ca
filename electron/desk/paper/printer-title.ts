import type { PrintersPort } from '../ports/printers.ts'

/** What operators call a job's printer; its id where it stands here no more. */
export function printerTitle(printers: Pick<PrintersPort, 'named'>, name: string): string {
  return printers.named(name)?.title ?? name
}
