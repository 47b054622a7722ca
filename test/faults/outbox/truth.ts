import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { openSqlite } from '#kit/open-sqlite.ts'
import { serviceFile } from './world.ts'

/**
 * The content of the databases of the desk and the middleware. It is read after all processes have ended; the suite
 * `desks` also reads it while its processes run.
 */

export interface ServiceLabel {
  readonly id: string
  readonly external_reference: string
  readonly state: 'unrequested' | 'requesting' | 'requested' | 'cancelled'
  readonly shipment_id: string | null
  readonly shipping_method_id: string
  readonly city: string
  readonly street: string
  readonly created_at: string
  /** Number of times that a carrier drew the label, counted by the stored documents of the label. */
  readonly documents: number
}

export interface Line {
  readonly variant_id: string
  readonly location_id: string
  readonly quantity: number
}

export interface ServiceModification {
  readonly id: string
  readonly reason: string
  readonly note: string
  readonly lines: readonly Line[]
}

export interface ServiceTruth {
  readonly labels: readonly ServiceLabel[]
  readonly modifications: readonly ServiceModification[]
}

/** Reads the records of the middleware that were created at or after the time `since` (ISO 8601). */
export function readService(folder: string, since: string): ServiceTruth {
  const database = openSqlite(serviceFile(folder), 'cache', { readonly: true })
  try {
    const labels = database
      .prepare<[string], ServiceLabel>(
        `SELECT l.id, l.external_reference, l.state, l.shipment_id, l.shipping_method_id, l.created_at,
           json_extract(l.sender_address, '$.city') AS city, json_extract(l.sender_address, '$.street') AS street,
           (SELECT count(*) FROM documents d WHERE d.title = l.external_reference || '.R.pdf') AS documents
         FROM return_labels l WHERE l.created_at >= ? ORDER BY l.serial`,
      )
      .all(since)
    const lines = database.prepare<[string], Line>(
      `SELECT variant_id, location_id, quantity FROM modification_lines WHERE modification_id = ? ORDER BY position`,
    )
    const modifications = database
      .prepare<[string], Omit<ServiceModification, 'lines'>>(
        `SELECT id, reason, note FROM modifications WHERE created_at >= ? ORDER BY reference`,
      )
      .all(since)
    return { labels, modifications: modifications.map((one) => ({ ...one, lines: lines.all(one.id) })) }
  } finally {
    database.close()
  }
}

export interface DeskCommand {
  readonly id: string
  readonly subject_id: string
  readonly type: string
  readonly state: string
  readonly needs_operator: number
  readonly failure: string | null
  readonly payload: string | null
  readonly attempts: number
  readonly created_at: number
  readonly first_sent_at: number | null
  readonly ended_at: number | null
  readonly state_at: number
}

export interface DeskLabel {
  readonly id: string
  readonly origin: string
  readonly shipment_id: string | null
  readonly wished_reference: string | null
  readonly server_id: string | null
  readonly requested: number
  readonly cancelled: number
}

export interface DeskModification {
  readonly id: string
  readonly server_id: string | null
  readonly note: string
}

export interface DeskPrint {
  readonly id: string
  readonly label_id: string
  readonly state: string
}

export interface DeskTruth {
  readonly commands: readonly DeskCommand[]
  readonly labels: readonly DeskLabel[]
  readonly modifications: readonly DeskModification[]
  readonly prints: readonly DeskPrint[]
  /** Files that the folder printer wrote. */
  readonly papers: readonly string[]
  /** The result of SQLite's integrity check: `ok`, or a description of the damage. */
  readonly integrity: string
}

export function readDesk(deskFolder: string): DeskTruth {
  const database = openSqlite(join(deskFolder, 'desk.db'), 'cache', { readonly: true })
  try {
    return {
      commands: database.prepare<[], DeskCommand>('SELECT * FROM commands ORDER BY seq').all(),
      labels: database.prepare<[], DeskLabel>('SELECT * FROM return_labels ORDER BY seq').all(),
      modifications: database.prepare<[], DeskModification>('SELECT * FROM modifications ORDER BY seq').all(),
      prints: database
        .prepare<[], DeskPrint>(
          'SELECT id, label_id, state FROM print_jobs WHERE is_reprint = 0 ORDER BY seq',
        )
        .all(),
      papers: papersIn(join(deskFolder, 'paper')),
      integrity: z.string().parse(database.pragma('integrity_check', { simple: true })),
    }
  } finally {
    database.close()
  }
}

/** The print folder does not exist if nothing was printed. */
function papersIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.pdf'))
  } catch {
    return []
  }
}
