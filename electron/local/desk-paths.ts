import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Where desk.db lies, and what keeps it from being lost. */
export interface DeskPaths {
  readonly folder: string
  readonly database: string
  readonly journal: string
  readonly backups: string
  /** The checksum of a desk.db that was closed (desk-seal.ts). */
  readonly seal: string
  /** There while desk.db is known to be damaged. */
  readonly suspect: string
  /** What the operator is told of the last recovery. */
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

/** A moment as part of a file's name, which sorts as time does: `20260301T120000123Z`. */
export function timeInName(at: number): string {
  return new Date(at).toISOString().replaceAll(/[-:.]/g, '')
}

/** The moment that `timeInName` wrote, or null where there is none. */
export function timeFromName(name: string): number | null {
  const parts = /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z/.exec(name)?.slice(1)
  if (!parts) return null
  const [year, month, day, hour, minute, second, ms] = parts
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`)
  return Number.isNaN(at) ? null : at
}

const asidePrefix = 'desk.damaged-'

export function asideName(at: number): string {
  return `${asidePrefix}${timeInName(at)}.db`
}

/** Damaged files put aside, with the files that SQLite keeps beside them. */
export function listAside({ folder }: DeskPaths): { readonly file: string; readonly at: number }[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith(asidePrefix))
    .map((name) => ({ file: join(folder, name), at: timeFromName(name) ?? 0 }))
}
