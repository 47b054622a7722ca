import type { Database } from 'better-sqlite3'
import type { z } from 'zod'
import type {
  CatalogueState,
  FoundVariants,
  SkippedEntry,
  StoredList,
  StoredVariant,
} from '#desk/ports/catalogue-store.ts'
import type { FilePaths } from '#desk/ports/catalogue-sync.ts'
import type { Instant } from '#shared/domain/instants.ts'
import { locationType, type LocationType } from '#shared/wire/location-type.ts'
import { shippingMethod, type ShippingMethod } from '#shared/wire/shipping-method.ts'
import { variant } from '#shared/wire/variant.ts'
import { parseBody } from '../cache.ts'
import { type CacheFileReader, openCacheFile } from './catalogue-database.ts'
import { prepareSearched } from './catalogue-index.ts'
import { goodsFile } from './catalogue-schema.ts'
import { prepareSearch } from './catalogue-search.ts'
import { prepareFacts, prepareNewestSkipped } from './catalogue-statements.ts'

/** The main thread's access to the catalogue. Never throws: if a file cannot be read, all results are empty. */
export interface CatalogueReader extends Pick<
  CacheFileReader<unknown>,
  'isLost' | 'lose' | 'found' | 'takeReady' | 'close'
> {
  variant(id: string): StoredVariant | null
  /**
   * Returns each variant with this code once, at most `mostOfCode`, ordered by the kind of code. Variants with the same
   * kind of code have no particular order.
   */
  byCode(key: string): RankedVariant[]
  search(text: string, limit: number): FoundVariants
  methods(): StoredList<ShippingMethod>
  methodCode(id: string): string | null
  locationTypes(): StoredList<LocationType>
  state(): CatalogueState
  details(): FileDetails
}

/** A variant that was found by a code. `kind`: the kind of the code (see catalogue-schema.ts). */
export interface RankedVariant extends StoredVariant {
  readonly kind: number
}

interface FileDetails {
  readonly fullReadAt: Instant | null
  readonly pageRows: number | null
  readonly skippedRows: readonly SkippedEntry[]
}

interface VariantRecord {
  body: string
  as_of: number
  /** 1 if the variant's newest state at the service cannot be read, and this row is an earlier state; otherwise 0. */
  frozen: number
  /**
   * The watermark of the whole file: the file has all readable changes that the service made up to this time. Therefore
   * a row that is not frozen has the state of this time or a later one. Null: the list was never read completely.
   */
  watermark: number | null
}

interface CodeRecord extends VariantRecord {
  readonly number: number
  readonly kind: number
}

const empty: CatalogueState = {
  complete: false,
  variants: 0,
  shippingMethods: 0,
  locationTypes: 0,
  asOf: null,
  skipped: 0,
}

/**
 * Maximum number of variants that are returned for one code. A scan shows nine, and each returned variant is read and
 * checked completely.
 */
export const mostOfCode = 50
/**
 * Maximum number of rows of `codes` that are read for one code. A variant has at most three codes, so at least
 * `mostOfCode` variants are found if that many variants have the code.
 */
export const mostCodeRows = 3 * mostOfCode

/** Maximum number of unreadable rows that the desk lists for an operator. */
export const mostSkippedShown = 100

export function openCatalogueReader(paths: FilePaths, onLost: (error: unknown) => void): CatalogueReader {
  const file = openCacheFile({ paths, kind: goodsFile, prepare, onLost })
  return {
    variant: (id) =>
      file.read(({ variant }) => {
        const record = variant.get(id)
        return record ? toVariant(record) : null
      }, null),
    byCode: (key) =>
      file.read(
        ({ byCode }) => onceEach(byCode.all(key)).map((one) => ({ ...toVariant(one), kind: one.kind })),
        [],
      ),
    search: (text, limit) =>
      file.read((statements) => statements.search(text, limit), { variants: [], more: false }),
    methods: () => file.read((statements) => statements.methods(), { rows: [], asOf: null }),
    methodCode: (id) => file.read((statements) => statements.methodCode(id), null),
    locationTypes: () => file.read((statements) => statements.locationTypes(), { rows: [], asOf: null }),
    state: () => file.read((statements) => statements.state(), empty),
    details: () =>
      file.read((statements) => statements.details(), { fullReadAt: null, pageRows: null, skippedRows: [] }),
    isLost: () => file.isLost(),
    lose: (error) => file.lose(error),
    found: () => file.found(),
    takeReady: () => file.takeReady(),
    close: () => file.close(),
  }
}

function prepare(database: Database) {
  return { ...prepareVariants(database), ...prepareLists(database) }
}

/**
 * Prepares the queries for variants. In a comparison with a bare `?`, SQLite plans the statement again for every bound
 * value. In a comparison with `+?`, SQLite plans the statement once, and a query takes a third of the time.
 */
function prepareVariants(database: Database) {
  const columns = `v.body, v.as_of,
    EXISTS (SELECT 1 FROM skipped s WHERE s.list = 'variants' AND s.key = v.id) AS frozen,
    (SELECT value FROM facts WHERE key = 'watermark') AS watermark`
  const byNumber = database.prepare<[number], VariantRecord>(
    `SELECT ${columns} FROM variants v WHERE v.number = +?`,
  )
  const searched = prepareSearched(database)
  // the search is prepared when it is first used, because the app is often used without any search
  let search: ReturnType<typeof prepareSearch> | null = null
  return {
    variant: database.prepare<[string], VariantRecord>(`SELECT ${columns} FROM variants v WHERE v.id = +?`),
    byCode: database.prepare<[string], CodeRecord>(
      `SELECT ${columns}, v.number, c.kind
       FROM (SELECT variant, kind FROM codes WHERE key = +? ORDER BY kind LIMIT ${mostCodeRows}) c
       CROSS JOIN variants v ON v.number = c.variant ORDER BY c.kind`,
    ),
    search(text: string, limit: number): FoundVariants {
      search ??= prepareSearch(database, searched)
      const { numbers, more } = search(text, limit)
      const records = numbers.flatMap((number) => byNumber.get(number) ?? [])
      return { variants: records.map(toVariant), more }
    },
  }
}

function prepareLists(database: Database) {
  const { fact } = prepareFacts(database)
  const newestSkipped = prepareNewestSkipped(database)
  const list = database
    .prepare<[string], string>('SELECT body FROM small_lists WHERE list = ? ORDER BY position LIMIT 2000')
    .pluck()
  const count = database.prepare<[string], number>('SELECT count(*) FROM small_lists WHERE list = ?').pluck()
  // the plus prevents SQLite from using the primary key; with that key, SQLite would read all rows of the list
  const codeOf = database
    .prepare<[string, string], string>(
      "SELECT body ->> 'code' FROM small_lists WHERE body ->> 'id' = ? AND +list = ?",
    )
    .pluck()
  const rowsOf = <Row>(name: string, row: z.ZodType<Row>): Row[] =>
    list.all(name).map((body) => parseBody(row, body))
  return {
    methods: () => ({ rows: rowsOf('shipping_methods', shippingMethod), asOf: fact('methods_as_of') }),
    methodCode: (id: string) => codeOf.get(id, 'shipping_methods') ?? null,
    locationTypes: () => ({ rows: rowsOf('location_types', locationType), asOf: fact('types_as_of') }),
    state: (): CatalogueState => ({
      complete: fact('full_read_at') !== null,
      variants: fact('variants') ?? 0,
      shippingMethods: count.get('shipping_methods') ?? 0,
      locationTypes: count.get('location_types') ?? 0,
      asOf: fact('watermark'),
      skipped: fact('skipped') ?? 0,
    }),
    details: (): FileDetails => ({
      fullReadAt: fact('full_read_at'),
      pageRows: fact('page_rows'),
      skippedRows: newestSkipped(mostSkippedShown),
    }),
  }
}

/** Returns each variant once: two codes of one variant may have the same text, and then the variant is found twice. */
function onceEach(records: readonly CodeRecord[]): readonly CodeRecord[] {
  const seen = new Set<number>()
  return records.filter(({ number }) => !seen.has(number) && seen.add(number)).slice(0, mostOfCode)
}

function toVariant({ body, as_of: asOf, frozen, watermark }: VariantRecord): StoredVariant {
  return {
    variant: parseBody(variant, body),
    asOf: frozen === 1 ? asOf : Math.max(asOf, watermark ?? 0),
  }
}
