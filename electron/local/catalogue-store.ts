import type { CatalogueStore, StoredVariant } from '#desk/ports/catalogue-store.ts'
import { cataloguePaths } from './catalogue-paths.ts'
import { openCatalogueReader } from './catalogue-reader.ts'
import { type CatalogueThreadOptions, startCatalogueThread } from './catalogue-thread.ts'
import type { RecentDatabase } from './recent-database.ts'
import { createSeenVariants } from './seen-variants.ts'

export interface CatalogueOptions {
  readonly dataDir: string
  readonly scope: string
  readonly recent: RecentDatabase
  /** The file cannot be read and will be made anew. */
  readonly onLost: (error: unknown) => void
  /** Null where nothing is to be read from the service: then a sync ends at once. */
  readonly thread: CatalogueThreadOptions | null
}

/** Catalogue file and seen variants as one: of two answers about the same variant the later one counts. */
export function createCatalogueStore({
  dataDir,
  scope,
  recent,
  onLost,
  thread,
}: CatalogueOptions): CatalogueStore & { close(): void } {
  const paths = cataloguePaths(dataDir, scope)
  const reader = openCatalogueReader(paths, onLost)
  const seen = createSeenVariants(recent, scope)
  return {
    variant: (id) => later(reader.variant(id), seen.get(id)),
    byCode(key) {
      // an older answer may carry a code that the variant no longer has
      const inFile = reader
        .byCode(key)
        .filter(({ variant, asOf }) => asOf >= (seen.get(variant.id)?.asOf ?? 0))
      const inAnswers = seen
        .byCode(key)
        .filter(({ variant, asOf }) => asOf > (reader.variant(variant.id)?.asOf ?? -1))
      return [...inFile, ...inAnswers].sort(
        (a, b) => a.kind - b.kind || Date.parse(b.variant.modified_at) - Date.parse(a.variant.modified_at),
      )
    },
    keep: (variants, asOf) => seen.keep(variants, asOf),
    methods: () => reader.methods(),
    locationTypes: () => reader.locationTypes(),
    state: () => reader.state(),
    sync: (listener) =>
      thread
        ? startCatalogueThread(thread, paths, reader, listener)
        : { ended: Promise.resolve({ kind: 'stopped' }), stop: () => Promise.resolve() },
    close: () => reader.close(),
  }
}

function later(one: StoredVariant | null, other: StoredVariant | null): StoredVariant | null {
  if (!one || !other) return one ?? other
  return one.asOf >= other.asOf ? one : other
}
