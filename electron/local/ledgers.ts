import type { Database } from 'better-sqlite3'
import type { Ledgers } from '#desk/ports/store.ts'
import type { SubjectKind } from '#shared/writes/write-kinds.ts'
import { createLabelFactsApplier, createLabelLedger, labelRetention } from './labels/label-ledger.ts'
import {
  createModificationLedger,
  createNoteFacts,
  modificationRetention,
} from './modifications/modification-ledger.ts'
import type { FactsAppliers } from './outbox/command-rows.ts'

/**
 * What desk.db does for each kind of write: the ledger of its subjects, what writes the facts of an answer into it, and
 * what is removed with a finished subject. Everything else in desk.db serves any kind.
 */
export function createLedgers(
  database: Database,
  scope: string,
): { readonly ledgers: Ledgers; readonly appliers: FactsAppliers } {
  return {
    ledgers: {
      labels: createLabelLedger(database, scope),
      modifications: createModificationLedger(database, scope),
    },
    appliers: {
      return_label: createLabelFactsApplier(database, scope),
      modification: createNoteFacts(database, scope),
    },
  }
}

export const retentions: { readonly [K in SubjectKind]: Retention } = {
  return_label: labelRetention,
  modification: modificationRetention,
}

/** The finished subjects of a kind, and what goes with them. `@before`: whatever was touched since then stays. */
interface Retention {
  /** SELECT of the `id` of the subjects that may go once their writes are over and their notices read (retention.ts). */
  readonly finished: string
  /** Rows that go before those of `table`, in the order that the references between them allow; `ids`: what stands in an IN. */
  readonly parts: readonly { readonly table: string; readonly which: (ids: string) => string }[]
  /** Where the subjects are, by their `id`; null: all of a subject is in its commands. */
  readonly table: string | null
}
