import { type Database, SqliteError, type Statement } from 'better-sqlite3'
import type { z } from 'zod'
import type { CatalogueState, StoredList, StoredVariant } from '#desk/ports/catalogue-store.ts'
import { locationType, type LocationType } from '#shared/wire/location-type.ts'
import { shippingMethod, type ShippingMethod } from '#shared/wire/shipping-method.ts'
import { variant } from '#shared/wire/variant.ts'
import { openCatalogueToRead, UnusableCatalogue } from './catalogue-database.ts'
import type { CataloguePaths } from './catalogue-paths.ts'
import { takeReadyFile } from './catalogue-paths.ts'
import type { Fact } from './catalogue-statements.ts'

/** The catalogue as main reads it. Never throws: what cannot be read is lost, and everything is empty from then on. */
export interface CatalogueReader {
  variant(id: string): StoredVariant | null
  byCode(key: string): RankedVariant[]
  methods(): StoredList<ShippingMethod>
  locationTypes(): StoredList<LocationType>
  state(): CatalogueState
  /** The file is of no use, and the sync thread must make it anew. Nothing has it open here. */
  isLost(): boolean
  lose(error: unknown): void
  /** The sync thread began a new one in its place. */
  found(): void
  /** Takes a finished file into use, if there is one: in one go, so that no read comes in between. */
  takeReady(): void
  close(): void
}

/** A variant and the kind of code that named it; see variant-codes.ts. */
export interface RankedVariant extends StoredVariant {
  readonly kind: number
}

interface VariantRecord {
  body: string
  as_of: number
}

const empty: CatalogueState = {
  complete: false,
  variants: 0,
  shippingMethods: 0,
  locationTypes: 0,
  asOf: null,
}

export function openCatalogueReader(
  paths: CataloguePaths,
  onLost: (error: unknown) => void,
): CatalogueReader {
  let open: { readonly database: Database; readonly statements: Statements } | null = null
  let isLost = false
  const close = (): void => {
    open?.database.close()
    open = null
  }
  const lose = (error: unknown): void => {
    close()
    if (!isLost) onLost(error)
    isLost = true
  }
  const takeReady = (): void => {
    close()
    if (takeReadyFile(paths)) isLost = false
  }
  const read = <T>(action: (statements: Statements) => T, otherwise: T): T => {
    if (isLost) return otherwise
    try {
      if (!open) {
        const database = openCatalogueToRead(paths.current)
        if (!database) return otherwise
        open = { database, statements: prepare(database) }
      }
      return action(open.statements)
    } catch (error) {
      // held by the thread for longer than the wait: busy, not broken
      if (!isBusy(error)) lose(error)
      return otherwise
    }
  }
  takeReady()
  return {
    variant: (id) => read(({ variant, fact }) => toStored(variant.get(id), fact('watermark')), null),
    byCode: (key) =>
      read(
        ({ byCode, fact }) =>
          byCode.all(key).map((record) => ({ ...toVariant(record, fact('watermark')), kind: record.kind })),
        [],
      ),
    methods: () => read((statements) => statements.methods(), { rows: [], asOf: null }),
    locationTypes: () => read((statements) => statements.locationTypes(), { rows: [], asOf: null }),
    state: () => read((statements) => statements.state(), empty),
    isLost: () => isLost,
    lose,
    found() {
      close()
      isLost = false
    },
    takeReady,
    close,
  }
}

interface Statements {
  readonly variant: Statement<[string], VariantRecord>
  readonly byCode: Statement<[string], VariantRecord & { kind: number }>
  readonly fact: (key: Fact) => number | null
  methods(): StoredList<ShippingMethod>
  locationTypes(): StoredList<LocationType>
  state(): CatalogueState
}

function prepare(database: Database): Statements {
  const fact = database.prepare<[string], number | null>('SELECT value FROM facts WHERE key = ?').pluck()
  const list = database
    .prepare<[string], string>('SELECT body FROM small_lists WHERE list = ? ORDER BY position')
    .pluck()
  const count = database.prepare<[string], number>('SELECT count(*) FROM small_lists WHERE list = ?').pluck()
  const factOf = (key: Fact): number | null => fact.get(key) ?? null
  const rowsOf = <Row>(name: string, row: z.ZodType<Row>): Row[] =>
    list.all(name).map((body) => row.parse(JSON.parse(body)))
  return {
    variant: database.prepare('SELECT body, as_of FROM variants WHERE id = ?'),
    byCode: database.prepare(
      `SELECT v.body, v.as_of, min(c.kind) AS kind FROM codes c JOIN variants v ON v.number = c.variant
       WHERE c.key = ? GROUP BY v.number ORDER BY kind, v.modified_at DESC, v.id`,
    ),
    fact: factOf,
    methods: () => ({ rows: rowsOf('shipping_methods', shippingMethod), asOf: factOf('methods_as_of') }),
    locationTypes: () => ({ rows: rowsOf('location_types', locationType), asOf: factOf('types_as_of') }),
    state: () => ({
      complete: factOf('full_read_at') !== null,
      variants: factOf('variants') ?? 0,
      shippingMethods: count.get('shipping_methods') ?? 0,
      locationTypes: count.get('location_types') ?? 0,
      asOf: factOf('watermark'),
    }),
  }
}

function toStored(record: VariantRecord | undefined, watermark: number | null): StoredVariant | null {
  return record ? toVariant(record, watermark) : null
}

/** No change since means: still so at the watermark. */
function toVariant(record: VariantRecord, watermark: number | null): StoredVariant {
  const parsed = variant.safeParse(parseJson(record.body))
  if (!parsed.success) throw new UnusableCatalogue('a row is no longer what was written')
  return { variant: parsed.data, asOf: Math.max(record.as_of, watermark ?? 0) }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof SqliteError && /^SQLITE_(BUSY|LOCKED)/.test(error.code)
}
