import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Instant } from '#shared/domain/instants.ts'

/** The paths of desk.db and of the files that protect it from loss. */
export interface DeskPaths {
  readonly folder: string
  readonly database: string
  readonly journal: string
  readonly backups: string
  /** The checksum of a desk.db that was closed (desk-seal.ts). */
  readonly seal: string
  /** Exists while desk.db is known to be damaged. */
  readonly suspect: string
  /** The report of the last recovery for the operator. */
  readonly recovery: string
}

export function deskPaths(dataDir: string): DeskPaths {
  const at = (name: string): string => join(dataDir, name)
  return {
    folder: dataDir,
    database: at('desk.db'),
    journal: at('journal'),
    backups: at('backups'),
    seal: at('desk.seal.json'),
    suspect: at('desk.suspect'),
    recovery: at('recovery.json'),
  }
}

/** A time as part of a file name that sorts by time: `20260301T120000123Z`. */
export function timeInName(at: Instant): string {
  return new Date(at).toISOString().replaceAll(/[-:.]/g, '')
}

/** The time that `timeInName` wrote, or null if the name has none. */
export function timeFromName(name: string): number | null {
  const parts = /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z/.exec(name)?.slice(1)
  if (!parts) return null
  const [year, month, day, hour, minute, second, ms] = parts
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`)
  return Number.isNaN(at) ? null : at
}

const asidePrefix = 'desk.damaged-'

export function asideName(at: Instant): string {
  return `${asidePrefix}${timeInName(at)}.db`
}

/** Damaged files that were put aside, with the files that SQLite keeps beside them. */
export function listAside({ folder }: DeskPaths): { readonly file: string; readonly at: Instant }[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith(asidePrefix))
    .map((name) => ({ file: join(folder, name), at: timeFromName(name) ?? 0 }))
}
