import type { Milliseconds } from '#shared/domain/instants.ts'
import type { Scope } from '#shared/domain/scope.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Pace } from './outbox/command-waits.ts'
import type { ApiPort, SkippedRow } from './ports/api.ts'
import type { ClockPort } from './ports/clock.ts'
import type { NetworkPort } from './ports/network.ts'
import type { PrintersPort } from './ports/printers.ts'
import type { IndexList } from './ports/recent-store.ts'
import type { SecretsPort } from './ports/secrets.ts'
import type { StorePort } from './ports/store.ts'
import type { IndexOptions } from './shipments/index-reach.ts'

/**
 * The interfaces through which a desk uses its storage, the service, the printers, the secrets, the clock and the
 * network.
 */
export interface DeskPorts {
  readonly store: StorePort
  readonly api: ApiPort
  readonly printers: PrintersPort
  readonly secrets: SecretsPort
  readonly clock: ClockPort
  readonly network: NetworkPort
}

/** Durations and settings of a desk. */
export interface DeskTuning {
  readonly index: IndexOptions
  readonly labelIndex: IndexOptions
  /** Time between two checks for changed articles, in milliseconds. */
  readonly catalogueEveryMs: Milliseconds
  /** Maximum time for which a request of an operator waits for the service, in milliseconds. */
  readonly askMs: Milliseconds
  /** Maximum time for which a scan waits for a new response of the service if the index has a copy, in milliseconds. */
  readonly freshMs: Milliseconds
  /** How long an ambiguous write may still arrive at the service, in milliseconds. */
  readonly quietMs: Milliseconds
  readonly pace: Pace
  /** How long a closing desk waits for its running requests, in milliseconds. */
  readonly closeMs: Milliseconds
  /** Finished records older than this number of days are purged. */
  readonly keepDays: number
  /** Time between two backups of desk.db, in milliseconds. */
  readonly backUpEveryMs: Milliseconds
  /**
   * The secret in the command barcodes of this station; null: this is the sandbox, whose command barcodes have no
   * secret.
   */
  readonly commandSecret: () => string | null
  /** Returns the scopes of all stations of this PC; null: the stations are unknown, so no stored session is removed. */
  readonly stations: () => readonly Scope[] | null
  /** Reports rows of a list that the desk could not read. */
  readonly onSkipped: (list: IndexList, rows: readonly SkippedRow[]) => void
  /** Reports a failure because of which the desk does not read a list at present. */
  readonly onListStopped: (list: IndexList, failure: Failure) => void
  /** Reports a fault that no screen shows to an operator. */
  readonly onFault: (error: unknown) => void
}
