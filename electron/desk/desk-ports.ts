import type { Pace } from './outbox/command-waits.ts'
import type { ApiPort } from './ports/api.ts'
import type { ClockPort } from './ports/clock.ts'
import type { NetworkPort } from './ports/network.ts'
import type { PrintersPort } from './ports/printers.ts'
import type { SecretsPort } from './ports/secrets.ts'
import type { StorePort } from './ports/store.ts'
import type { IndexOptions } from './shipments/index-reach.ts'

/** What a desk stands on. */
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
  /** Between two looks for changed articles, in milliseconds. */
  readonly catalogueEveryMs: number
  /** How long an operator who asks for something waits for the service, in milliseconds. */
  readonly askMs: number
  /** How long a scan waits for a fresh answer when the index has a copy, in milliseconds. */
  readonly freshMs: number
  /** How long an ambiguous write may still arrive at the service, in milliseconds. */
  readonly quietMs: number
  readonly pace: Pace
  /** Longest wait for what is on its way when the desk closes, in milliseconds. */
  readonly closeMs: number
  /** Finished work older than this many days is purged. */
  readonly keepDays: number
  /** Between two copies of desk.db, in milliseconds. */
  readonly backUpEveryMs: number
  /** What command barcodes of this station carry; null: it is the sandbox, whose commands carry nothing. */
  readonly commandSecret: () => string | null
  /** Something went wrong that no operator can be told in a better place. */
  readonly onFault: (error: unknown) => void
}
