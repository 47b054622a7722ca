import type { Database } from 'better-sqlite3'
import type { PrintChange, PrintJobStore, PrintMove, PrintNote } from '#desk/ports/print-jobs.ts'
import type { PrintState } from '#shared/domain/print-state.ts'
import { guard } from '../sqlite-failure.ts'

type Decisions = Pick<PrintJobStore, 'hold' | 'noteUnlisted' | 'wasUnlistedTold' | 'change' | 'decide'>
type Move = (id: string, from: PrintState, to: PrintState, details: PrintMove) => boolean

/** What was found out about a job before it printed, and what operators said to that. */
export function createPrintDecisions(database: Database, scope: string, move: Move): Decisions {
  const waiting = `scope = ? AND id = ? AND state IN ('queued', 'refused')`
  const hold = database.prepare<[string, string, string]>(`UPDATE print_jobs SET hold = ? WHERE ${waiting}`)
  const unlisted = database.prepare<[string, string, string]>(
    'UPDATE print_jobs SET unlisted = ? WHERE scope = ? AND id = ?',
  )
  const told = database.prepare<[string, string | null]>(
    `SELECT 1 FROM print_jobs p JOIN return_labels l ON l.id = p.label_id
     WHERE p.scope = ? AND p.unlisted IS NOT NULL AND l.shipping_method_id IS ? LIMIT 1`,
  )
  const release = database.prepare<[string, string]>(
    `UPDATE print_jobs SET hold = NULL, released = 1 WHERE ${waiting}`,
  )
  const place = database.prepare<[string, string, string]>(
    `UPDATE print_jobs SET hold = NULL, placement = ? WHERE ${waiting}`,
  )
  const toPrinter = database.prepare<[string, string, string]>(
    `UPDATE print_jobs SET hold = NULL, printer = ? WHERE ${waiting}`,
  )
  const remember = database.prepare<PrintNote & { id: string }>(
    `INSERT INTO print_decisions (job_id, at, decided_by, decision, details)
     VALUES (@id, @at, @by, @decision, @details)`,
  )
  const note = (id: string, { at, by, decision, details }: PrintNote): void => {
    remember.run({ id, at, by, decision, details })
  }
  const take = (id: string, change: PrintChange): boolean => {
    switch (change.do) {
      case 'release':
        return release.run(scope, id).changes > 0
      case 'place':
        return place.run(JSON.stringify(change.placement), scope, id).changes > 0
      case 'move':
        return toPrinter.run(change.printer, scope, id).changes > 0
    }
  }
  const change = database.transaction((id: string, said: PrintNote, wanted: PrintChange): boolean => {
    if (!take(id, wanted)) return false
    note(id, said)
    return true
  })
  const decide = database.transaction(
    (id: string, said: PrintNote, from: PrintState, to: PrintState, details: PrintMove): boolean => {
      if (!move(id, from, to, details)) return false
      note(id, said)
      return true
    },
  )
  return {
    hold: guard((id, why) => hold.run(JSON.stringify(why), scope, id).changes > 0),
    noteUnlisted: guard((id, codes) => void unlisted.run(JSON.stringify(codes), scope, id)),
    wasUnlistedTold: guard((methodId) => told.get(scope, methodId) !== undefined),
    change: guard((id, said, wanted) => change.immediate(id, said, wanted)),
    decide: guard((id, said, from, to, details) => decide.immediate(id, said, from, to, details)),
  }
}
