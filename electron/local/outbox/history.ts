import type { Database } from 'better-sqlite3'

/** Who was what when: every move of a command or a print job, for the operator's questions afterwards. */
export interface History {
  note(subjectId: string, at: number, from: string, to: string, failure: string | null): void
}

export function createHistory(database: Database): History {
  const insert = database.prepare<[string, number, string, string, string | null]>(
    'INSERT INTO history (subject_id, at, from_state, to_state, failure) VALUES (?, ?, ?, ?, ?)',
  )
  return {
    note: (subjectId, at, from, to, failure) => void insert.run(subjectId, at, from, to, failure),
  }
}
