import type { Database } from 'better-sqlite3'
import type { Ledgers } from '#desk/ports/store.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'
import type { SubjectKind } from '#shared/writes/write-kinds.ts'
import { createLabelFactsApplier, createLabelLedger, labelRetention } from './labels/label-ledger.ts'
import {
  createModificationLedger,
  createNoteFacts,
  modificationRetention,
} from './modifications/modification-ledger.ts'
import type { FactsAppliers } from './outbox/command-rows.ts'

/**
 * The parts of desk.db that differ by the kind of write: the ledger of its subjects, the function that writes the facts
 * of a response into it, and the rows that are removed with a finished subject. Everything else in desk.db serves any
 * kind.
 */
export function createLedgers(
  database: Database,
  scope: ScopeKey,
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

/**
 * The finished subjects of a kind, and the rows that are removed with them. `@before`: subjects changed since then
 * stay.
 */
interface Retention {
  /**
   * SELECT of the `id` of the subjects that may be removed after their writes are finished and their notices read
   * (retention.ts).
   */
  readonly finished: string
  /**
   * Rows that are removed before the rows of `table`, in the order that their references allow. `ids`: the content of
   * an IN.
   */
  readonly parts: readonly { readonly table: string; readonly which: (ids: string) => string }[]
  /** The table of the subjects, by their `id`; null: the commands contain the whole subject. */
  readonly table: string | null
}
