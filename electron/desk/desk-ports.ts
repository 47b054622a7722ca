import type { ApiPort } from './ports/api.ts'
import type { ClockPort } from './ports/clock.ts'
import type { NetworkPort } from './ports/network.ts'
import type { PrintersPort } from './ports/printers.ts'
import type { SecretsPort } from './ports/secrets.ts'
import type { StorePort } from './ports/store.ts'

/** What a desk stands on. */
export interface DeskPorts {
  readonly store: StorePort
  readonly api: ApiPort
  readonly printers: PrintersPort
  readonly secrets: SecretsPort
  readonly clock: ClockPort
  readonly network: NetworkPort
}
