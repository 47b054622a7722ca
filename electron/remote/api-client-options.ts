import type { Scope } from '#shared/domain/scope.ts'
import type { Agents } from './agents.ts'
import type { Timeouts } from './timeouts.ts'

export interface ApiClientOptions {
  readonly scope: Scope
  readonly embedded: () => string | null
  readonly agents: Agents
  readonly timeouts: Timeouts
  /** Hosts beside the service's own that may serve label PDFs. */
  readonly documentHosts: readonly string[]
}
