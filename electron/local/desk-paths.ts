import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Instant } from '#shared/domain/instants.ts'

/** The paths of desk.db and of the files that protect its data. */
export interface DeskPaths {
  readonly folder: string
  readonly database: string
  readonly journal: string
  readonly backups: string
  /** The file with the checksum of a closed desk.db (desk-seal.ts). */
  readonly seal: string
  /** This file exists while desk.db is known to be damaged. */
  readonly suspect: string
  /** The file with the report of the last recovery, for the operator. */
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

/** Returns a time for a file name; such names sort by time: `20260301T120000123Z`. */
export function timeInName(at: Instant): string {
  return new Date(at).toISOString().replaceAll(/[-:.]/g, '')
}

/** Returns the time that `timeInName` wrote into the name, or null if the name contains no time. */
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

/** Returns the damaged databases that were put aside, with the files that SQLite keeps beside them. */
export function listAside({ folder }: DeskPaths): { readonly file: string; readonly at: Instant }[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith(asidePrefix))
    .map((name) => ({ file: join(folder, name), at: timeFromName(name) ?? 0 }))
}
