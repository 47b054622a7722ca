import type { Migration } from './migration.ts'

/** Print jobs that are held before they print, placed by an operator's word, printed once more for a reason. */
export const deskPaper: Migration = {
  version: 8,
  sql: `
    ALTER TABLE print_jobs ADD COLUMN hold TEXT;
    ALTER TABLE print_jobs ADD COLUMN placement TEXT;
    ALTER TABLE print_jobs ADD COLUMN reason TEXT;
    -- barcodes on the paper that nothing here knows, as a JSON list
    ALTER TABLE print_jobs ADD COLUMN unlisted TEXT;
    ALTER TABLE print_jobs ADD COLUMN released INTEGER NOT NULL DEFAULT 0 CHECK (released IN (0, 1));
    CREATE INDEX print_jobs_on_paper ON print_jobs (scope, seq)
      WHERE file IS NULL AND state IN ('sent', 'spooled', 'confirmed');

    CREATE TABLE print_decisions (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      job_id TEXT NOT NULL REFERENCES print_jobs (id),
      at INTEGER NOT NULL,
      decided_by TEXT,
      decision TEXT NOT NULL,
      details TEXT
    ) STRICT;
    CREATE INDEX print_decisions_by_job ON print_decisions (job_id, seq);
  `,
}
