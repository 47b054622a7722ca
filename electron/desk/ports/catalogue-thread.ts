import type { Scope } from '#shared/domain/scope.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { SkippedRow } from './api.ts'
import type { LotsNews, SyncEnd, SyncOptions, SyncProgress } from './catalogue-store.ts'

/** What main and the sync thread say to each other; plain data, copied from one to the other. */

/** How the service is reached from a thread that inherits nothing. */
export interface ServiceReach {
  readonly scope: Scope
  /** Where the embedded middleware listens, or null. */
  readonly embeddedUrl: string | null
  readonly proxy: string | null
  /** Certificate authorities (PEM) to trust: main's choice does not reach other threads. Null: Node's own. */
  readonly authorities: readonly string[] | null
  readonly timeouts: {
    readonly connectMs: number
    readonly headersMs: number
    readonly idleMs: number
    readonly totalMs: number
  }
}

/** A cache file, and its next version on the way. */
export interface FilePaths {
  /** The one in use. */
  readonly current: string
  /** A read of everything that is under way. */
  readonly next: string
  /** A finished one that waits to be taken into use; nobody has it open. */
  readonly ready: string
  /** The last one that was of no use, until its successor is whole. */
  readonly damaged: string
}

/** What the thread starts with. */
export interface SyncOrder extends SyncOptions {
  readonly files: { readonly goods: FilePaths; readonly lots: FilePaths }
  /** The file in use is of no use: make it anew. Nobody else has it open. */
  readonly rebuild: boolean
  readonly fullEveryMs: number
  readonly reach: ServiceReach
}

export type ThreadToMain =
  | { readonly kind: 'access'; readonly refused: string | null }
  | { readonly kind: 'progress'; readonly progress: SyncProgress | null }
  | { readonly kind: 'lots'; readonly news: LotsNews }
  | { readonly kind: 'changed' }
  /** The file in use was made anew and may be read again. */
  | { readonly kind: 'remade' }
  /** The file in use is damaged. */
  | { readonly kind: 'damaged'; readonly problem: string }
  | { readonly kind: 'skipped'; readonly rows: readonly SkippedRow[] }
  | { readonly kind: 'ended'; readonly end: SyncEnd }

export type MainToThread =
  | {
      readonly kind: 'access'
      readonly access:
        { readonly ok: true; readonly token: string } | { readonly ok: false; readonly failure: Failure }
    }
  | { readonly kind: 'stop' }
