import type {
  CatalogueDetails,
  CatalogueState,
  CatalogueStore,
  StoredVariant,
} from '#desk/ports/catalogue-store.ts'
import type { LotsStore } from '#desk/ports/recent-store.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'
import type { RecentDatabase } from '../recent/recent-database.ts'
import { createSeenVariants } from '../recent/seen-variants.ts'
import { cataloguePaths } from './catalogue-disk.ts'
import { mostSkippedShown, openCatalogueReader } from './catalogue-reader.ts'
import { type CatalogueThreadOptions, startCatalogueThread } from './catalogue-thread.ts'
import { createLotsStore, openLotsReader } from './lots-store.ts'

interface CatalogueOptions {
  readonly dataDir: string
  readonly scope: ScopeKey
  readonly recent: RecentDatabase
  /** Called when a file cannot be read and will be rebuilt. */
  readonly onLost: (error: unknown) => void
  /**
   * The options of the thread that reads the catalogue from the service. Null if the desk must not read the catalogue:
   * every sync then ends at once.
   */
  readonly thread: CatalogueThreadOptions | null
}

interface OpenCatalogueStore extends CatalogueStore {
  readonly lots: LotsStore
  close(): void
}

/**
 * Creates the catalogue from its files and from variants in other responses of the service. If both contain a variant,
 * the newer state is used. A search by text uses only one of the two: until the first complete read, the variants in
 * other responses; afterwards, the files.
 */
export function createCatalogueStore({
  dataDir,
  scope,
  recent,
  onLost,
  thread,
}: CatalogueOptions): OpenCatalogueStore {
  const paths = cataloguePaths(dataDir, scope)
  const reader = openCatalogueReader(paths.goods, onLost)
  const lots = openLotsReader(paths.lots, onLost)
  const seen = createSeenVariants(recent, scope)
  return {
    variant: (id) => later(reader.variant(id), seen.get(id)),
    byCode(key) {
      // leaves out a variant of the file if another response had a newer state of the variant, because the variant may
      // no longer have the code in the newer state
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
    search: (text, limit) =>
      reader.state().complete ? reader.search(text, limit) : seen.search(text, limit),
    keep: (variants, asOf) => seen.keep(variants, asOf),
    methods: () => reader.methods(),
    methodCode: (id) => reader.methodCode(id),
    locationTypes: () => reader.locationTypes(),
    state: (): CatalogueState => {
      const state = reader.state()
      return { ...state, skipped: state.skipped + lots.state().skipped }
    },
    details: (): CatalogueDetails => {
      const { skippedRows, ...details } = reader.details()
      const { asOf, count } = lots.state()
      const all = [...skippedRows, ...lots.skipped(mostSkippedShown)].sort((a, b) => b.seenAt - a.seenAt)
      return { ...details, lots: { asOf, count }, skippedRows: all.slice(0, mostSkippedShown) }
    },
    lots: createLotsStore(recent, scope, lots),
    sync: (listener, options) =>
      thread
        ? startCatalogueThread({ ...thread, ...options }, paths, { goods: reader, lots }, listener)
        : { ended: Promise.resolve({ kind: 'stopped' }), stop: () => Promise.resolve() },
    close() {
      reader.close()
      lots.close()
    },
  }
}

function later(one: StoredVariant | null, other: StoredVariant | null): StoredVariant | null {
  if (!one || !other) return one ?? other
  return one.asOf >= other.asOf ? one : other
}
