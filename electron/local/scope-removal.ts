import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import { folderKey, type ScopeKey } from '#shared/domain/scope.ts'
import { failure, type Failure } from '#shared/errors/catalogue.ts'
import { type SubjectKind, subjectKinds } from '#shared/writes/write-kinds.ts'
import { retentions } from './ledgers.ts'
import {
  createSubjectRemoval,
  documentsInUse,
  findPapers,
  noPapers,
  type Papers,
  rowsAtOnce,
  subjectsAtOnce,
} from './retention.ts'

/**
 * Removes some of the rows of the scope in one transaction. Returns the number of changed rows, or of labels of which
 * only files were removed; 0: none are left.
 */
type Piece = (scope: ScopeKey) => number

/**
 * The tables from which rows are removed one by one, after the labels and bookings, with the columns of their primary
 * keys.
 */
const rowTables = {
  commands: 'seq',
  decisions: 'seq',
  notices: 'seq',
  return_label_codes: 'scope, code, label_id',
  scans: 'seq',
  scan_choices: 'scope, reach, code, expect',
  modification_draft: 'scope, seq',
  locations: 'scope, id',
  modifications_read: 'scope, server_id',
} as const

/**
 * Removes all rows of a scope from desk.db, also those of unfinished work. The files of a label's prints in `dataDir`
 * are removed before its rows. When all labels and print jobs of the scope are gone, removes their PDFs from `vault`,
 * except those that a label or print job of another scope uses. Each transaction removes a limited number of rows; the
 * event loop runs between two transactions. The values in `settings` are removed last, so that a value of the scope
 * exists until all other rows are gone. If the print files of a label cannot be deleted, the row of the label stays,
 * but it moves to `folderKey`. No desk finds it there, and the purge can delete the files later. The value with the key
 * `keptValue` stays. Resolves to `purge.files_kept` with the number of the labels that stay, otherwise to null. No desk
 * of this scope may be working.
 */
export async function removeScope(
  database: Database,
  { dataDir, vault }: { readonly dataDir: string; readonly vault: string },
  scope: ScopeKey,
  keptValue: string | null = null,
): Promise<Failure | null> {
  const documents = documentsOf(database, scope)
  const papers = await findPapers(database, dataDir, idsOf('return_label'), { scope })
  const pieces = [
    ...subjectKinds.map((kind) => subjectsOf(database, kind, kind === 'return_label' ? papers : null)),
    ...Object.entries(rowTables).map(([table, key]) => rowsOf(database, table, key)),
  ]
  for (const piece of pieces) while (piece(scope) > 0) await setImmediate()
  const used = documentsInUse(database)
  for (const hash of documents) if (!used.has(hash)) await rm(join(vault, `${hash}.pdf`), { force: true })
  database
    .prepare<[string, string | null]>('DELETE FROM settings WHERE scope = ? AND key IS NOT ?')
    .run(scope, keptValue)
  const causes = [...(papers?.kept.values() ?? [])]
  const cause = causes.at(-1)
  return cause === undefined ? null : failure('purge.files_kept', { labels: causes.length, cause })
}

/** Returns the hashes of the PDFs of the scope's labels and print jobs. */
function documentsOf(database: Database, scope: ScopeKey): string[] {
  return database
    .prepare<{ scope: ScopeKey }, string>(
      `SELECT document_hash FROM return_labels WHERE scope = @scope AND document_hash IS NOT NULL
       UNION SELECT document_hash FROM print_jobs WHERE scope = @scope`,
    )
    .pluck()
    .all({ scope })
}

/** Returns SQL that selects the ids of the scope's labels or bookings. */
function idsOf(kind: SubjectKind): string {
  const { table } = retentions[kind]
  return table === null
    ? `SELECT subject_id AS id FROM commands WHERE scope = @scope AND subject_kind = '${kind}'`
    : `SELECT id FROM ${table} WHERE scope = @scope`
}

/** Removes labels or bookings, each with all rows that belong to it, also its history. */
function subjectsOf(database: Database, kind: SubjectKind, papers: Papers | null): Piece {
  const some = database
    .prepare<{ scope: ScopeKey }, string>(`${idsOf(kind)} ORDER BY seq LIMIT ${subjectsAtOnce}`)
    .pluck()
  const history = [
    `SELECT id FROM commands WHERE subject_kind = '${kind}' AND subject_id = @id`,
    ...(kind === 'return_label' ? ['SELECT id FROM print_jobs WHERE label_id = @id'] : []),
  ].map((ids) => database.prepare<{ id: string }>(`DELETE FROM history WHERE subject_id IN (${ids})`))
  const remove = createSubjectRemoval(database, kind)
  const moves = [
    'UPDATE print_jobs SET scope = @scope WHERE label_id = @id',
    'UPDATE return_labels SET scope = @scope WHERE id = @id',
  ].map((sql) => database.prepare<{ id: string; scope: ScopeKey }>(sql))
  const piece = database.transaction((scope: ScopeKey) => {
    let [rows, files] = [0, 0]
    for (const id of some.all({ scope })) {
      if (rows + files >= rowsAtOnce) break
      for (const one of history) rows += one.run({ id }).changes
      const removed = papers?.remove(id) ?? noPapers
      files += removed.files
      if (removed.left === 'none') rows += remove(id)
      // a later transaction removes the other files of this label
      else if (removed.left === 'some') rows++
      else for (const move of moves) rows += move.run({ id, scope: folderKey }).changes
    }
    return rows
  })
  return (scope) => piece.immediate(scope)
}

function rowsOf(database: Database, table: string, key: string): Piece {
  const remove = database.prepare<{ scope: ScopeKey }>(
    `DELETE FROM ${table} WHERE (${key}) IN
       (SELECT ${key} FROM ${table} WHERE scope = @scope ORDER BY ${key} LIMIT ${rowsAtOnce})`,
  )
  return (scope) => remove.run({ scope }).changes
}
