import type { Milliseconds } from '#shared/domain/instants.ts'
import type { Scope } from '#shared/domain/scope.ts'
import type { Pace } from './outbox/command-waits.ts'
import type { ApiPort } from './ports/api.ts'
import type { ClockPort } from './ports/clock.ts'
import type { NetworkPort } from './ports/network.ts'
import type { PrintersPort } from './ports/printers.ts'
import type { SecretsPort } from './ports/secrets.ts'
import type { StorePort } from './ports/store.ts'
import type { IndexOptions } from './shipments/index-reach.ts'

/** The ports that a desk needs. */
export interface DeskPorts {
  readonly store: StorePort
  readonly api: ApiPort
  readonly printers: PrintersPort
  readonly secrets: SecretsPort
  readonly clock: ClockPort
  readonly network: NetworkPort
}

/** Periods and settings of a desk. */
export interface DeskTuning {
  readonly index: IndexOptions
  readonly labelIndex: IndexOptions
  /** Time between two checks for changed articles, in milliseconds. */
  readonly catalogueEveryMs: Milliseconds
  /** How long an operator's question waits for the service, in milliseconds. */
  readonly askMs: Milliseconds
  /** How long a scan waits for a fresh response when the index has a copy, in milliseconds. */
  readonly freshMs: Milliseconds
  /** How long an ambiguous write may still arrive at the service, in milliseconds. */
  readonly quietMs: Milliseconds
  readonly pace: Pace
  /** Longest wait for requests under way when the desk closes, in milliseconds. */
  readonly closeMs: Milliseconds
  /** Finished records older than this number of days are purged. */
  readonly keepDays: number
  /** Time between two copies of desk.db, in milliseconds. */
  readonly backUpEveryMs: Milliseconds
  /**
   * The secret in the command barcodes of this station; null: this is the sandbox, whose command barcodes have no
   * secret.
   */
  readonly commandSecret: () => string | null
  /** Returns the scopes of all stations of this PC; null: unknown, so that no last session is removed. */
  readonly stations: () => readonly Scope[] | null
  /** Reports a fault that no other place can show to an operator. */
  readonly onFault: (error: unknown) => void
}
