import type { Database } from 'better-sqlite3'
import type { Ledgers } from '#desk/ports/store.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'
import type { SubjectKind } from '#shared/writes/write-kinds.ts'
import {
  createLabelFactsApplier,
  createLabelLedger,
  labelLimits,
  labelRetention,
} from './labels/label-ledger.ts'
import {
  createModificationLedger,
  createNoteFacts,
  modificationLimits,
  modificationRetention,
} from './modifications/modification-ledger.ts'
import type { FactsAppliers } from './outbox/command-rows.ts'
import { type LimitedCalls, limitMethods } from './write-limits.ts'

/**
 * Creates the ledgers of labels and bookings. For each of the two kinds, this file lists what differs: the ledger, the
 * function that stores the facts of responses, the rows that the purge removes, and the limits of the window's calls.
 * The other stores of desk.db are the same for both kinds. `calls` limits the methods that the window calls and that
 * `labelLimits` or `modificationLimits` names.
 */
export function createLedgers(database: Database, scope: ScopeKey, calls: LimitedCalls): Ledgers {
  return {
    labels: limitMethods(createLabelLedger(database, scope), labelLimits, calls),
    modifications: limitMethods(createModificationLedger(database, scope), modificationLimits, calls),
  }
}

/** Creates, for each kind of subject, the function that stores the facts of a response in the ledger for this kind. */
export function createFactsAppliers(database: Database, scope: ScopeKey): FactsAppliers {
  return {
    return_label: createLabelFactsApplier(database, scope),
    modification: createNoteFacts(database, scope),
  }
}

export const retentions: { readonly [K in SubjectKind]: Retention } = {
  return_label: labelRetention,
  modification: modificationRetention,
}

/**
 * Determines which subjects of a kind the purge removes, and which rows it removes with each subject. The SQL parameter
 * `@before` is a time: a subject that changed after this time stays.
 */
interface Retention {
  /**
   * SQL that selects the `id` of the subjects that may be removed. retention.ts also requires that their writes are
   * finished and their notices read.
   */
  readonly finished: string
  /**
   * Tables whose rows are removed before the subject, in an order that the references between the tables allow.
   * `which`: the condition for these rows; `ids`: SQL for the inside of `IN (…)`, which selects the subjects.
   */
  readonly parts: readonly { readonly table: string; readonly which: (ids: string) => string }[]
  /**
   * The table that contains the subjects, with their `id`. Null if there is no such table, because the commands contain
   * the complete subject.
   */
  readonly table: string | null
}
