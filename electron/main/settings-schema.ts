import { z } from 'zod'
import { someSettings, type PcSetting, pcSettingNames, pcSettings } from '#shared/bridge/pc-settings.ts'
import { type LostPart, settingsLoss } from '#shared/bridge/setup-views.ts'
import { commandSecret } from '#shared/bridge/views.ts'
import { printerEntry, printRoute, type PrintRoute } from '#shared/bridge/printer-views.ts'
import { scannerProfile } from '#shared/domain/wedge/scanner-profile.ts'
import { mostScanners, scannerEntry } from '#shared/bridge/scanner-views.ts'
import { entryOf } from './printer-entry.ts'

/** The station that is built in. */
export const sandboxId = 'sandbox'

const station = z.object({
  id: z.string(),
  name: z.string(),
  baseUrl: z.string(),
  wmsCode: z.string(),
  customerCode: z.string(),
  documentHosts: z.string().catch(''),
  /** Null where a provisioning file gave none: `Stations` makes one. */
  commandSecret: commandSecret.nullable().catch(null),
})
export type StoredStation = z.infer<typeof station>

/** Those that can be read: one that cannot must not cost the others. */
const stations = z
  .array(z.unknown())
  .catch([])
  .transform((rows) => readable(rows, station))

/** What is kept at most, as `printerSetup` of the bridge has it. */
const mostPrinters = 20

/** The same for printers; two of one id would be one for its print jobs. */
const printers = z
  .array(z.unknown())
  .catch([])
  .transform((rows) => firstOfEach(readable(rows, printerEntry), ({ id }) => id).slice(0, mostPrinters))

/** The same for scanners. */
const scanners = z
  .array(z.unknown())
  .catch([])
  .transform((rows) => firstOfEach(readable(rows, scannerEntry), ({ id }) => id).slice(0, mostScanners))

/** By station: which paper comes out of which printer, each kind and size once. */
const routes = z
  .record(z.string(), z.unknown())
  .catch({})
  .transform((rows) => {
    const lists = Object.entries(rows).filter((row): row is [string, unknown[]] => Array.isArray(row[1]))
    const kinds = ({ paper, size }: PrintRoute): string => `${paper} ${size}`
    return Object.fromEntries(lists.map(([id, list]) => [id, firstOfEach(readable(list, printRoute), kinds)]))
  })

function readable<T>(rows: readonly unknown[], schema: z.ZodType<T>): T[] {
  return rows.map((row) => schema.safeParse(row).data).filter((row) => row !== undefined)
}

function firstOfEach<T>(rows: readonly T[], keyOf: (row: T) => string): T[] {
  return rows.filter((row, at) => rows.findIndex((other) => keyOf(other) === keyOf(row)) === at)
}

const secrets = z
  .record(z.string(), z.unknown())
  .catch({})
  .transform((rows) =>
    Object.fromEntries(
      Object.entries(rows).filter((row): row is [string, string] => typeof row[1] === 'string'),
    ),
  )

const schema = z.object({
  ...someSettings.shape,
  stations: stations.prefault([]),
  currentStationId: z.string().nullable().catch(null),
  /** The printers of this PC, never none: its label folder until another is set up. */
  printers: printers.prefault([]),
  routes: routes.prefault({}),
  /** How the keyboard scanner of this PC types; null: not calibrated. */
  scannerProfile: scannerProfile.nullable().catch(null),
  /** The serial scanners of this PC. */
  scanners: scanners.prefault([]),
  /** The provisioning file that was taken last: its SHA-256, and when that was. */
  provisioned: z.object({ hash: z.string(), at: z.iso.datetime() }).nullable().catch(null),
  /** The set-up file that was refused last; `key`: its SHA-256, or why it cannot be read. Null: none is. */
  refused: z
    .object({ file: z.string(), key: z.string(), isAcknowledged: z.boolean() })
    .nullable()
    .catch(null),
  /** Settings that an earlier start lost, until that is repaired or acknowledged. */
  lost: settingsLoss.nullable().catch(null),
  /** Port of the embedded middleware, kept so that a restart answers where it did before. */
  sandboxPort: z.number().int().min(1).max(65535).nullable().catch(null),
  /** Ciphertexts by key, base64 (safeStorage); never a clear text. */
  secrets: secrets.prefault({}),
})
export type Settings = z.infer<typeof schema>

interface ReadSettings {
  readonly settings: Settings
  /** Fields that are none of this version: kept as they are. */
  readonly others: Readonly<Record<string, unknown>>
  /** Nothing was there that could not be read and would be gone with the next change. */
  readonly isWhole: boolean
  /** What a person set up and is gone; null: the text is no settings at all. */
  readonly lost: readonly LostPart[] | null
  /** It has nothing that is written every time: there is no file, or somebody put another one in its place. */
  readonly isNew: boolean
}

const missed: Partial<Record<keyof Settings, LostPart>> = Object.fromEntries(
  pcSettingNames.filter((name) => pcSettings[name].isMissed).map((name) => [name, name]),
)

/** What a person set up and would miss; anything else is made again without one. */
const partOf: typeof missed = {
  stations: 'stations',
  currentStationId: 'current_station',
  printers: 'printers',
  routes: 'routes',
  scanners: 'scanners',
  scannerProfile: 'calibration',
  ...missed,
}

/** Far deeper than anything that was ever written; electron-store refuses to write what is deeper than a thousand. */
const deepest = 100

/** The text of settings.json; each wrong value falls back alone. Null text: there is no file. Never throws. */
export function readSettings(text: string | null): ReadSettings {
  // an editor's byte order mark is no part of JSON, and electron-store does not read past it
  const bare = text?.replace(/^\uFEFF/, '') ?? '{}'
  const raw = parse(bare)
  const fields = isRecord(raw) ? raw : {}
  const parsed = schema.parse(readableSettings(fields))
  const { stations: kept, currentStationId } = parsed
  // an id that leads nowhere would open the sandbox at every start
  const isNowhere = ![null, sandboxId, ...kept.map(({ id }) => id)].includes(currentStationId)
  const settings = {
    ...parsed,
    ...(parsed.printers.length > 0 ? {} : { printers: [entryOf({ kind: 'folder' })] }),
    ...(isNowhere ? { currentStationId: null } : {}),
  }
  const isKept = (key: string, value: unknown): boolean =>
    !Object.hasOwn(fields, key) || same(fields[key], value)
  const others = Object.entries(fields).filter(([key]) => !(key in schema.shape))
  const sane = others.filter(([key, value]) => key !== '__proto__' && !isDeeper(value, deepest))
  const isWhole =
    isRecord(raw) &&
    bare === (text ?? bare) &&
    // bytes that are no UTF-8
    !bare.includes('\uFFFD') &&
    sane.length === others.length &&
    schema.keyof().options.every((key) => isKept(key, settings[key]))
  const parts = Object.entries(partOf) as [keyof Settings, LostPart][]
  const lost = parts.filter(([key]) => !isKept(key, settings[key])).map(([, part]) => part)
  return {
    settings,
    others: Object.fromEntries(sane),
    isWhole,
    lost: isRecord(raw) ? lost : null,
    isNew: !Object.hasOwn(fields, 'stations'),
  }
}

/** Without the single values that are none of theirs: each falls back alone. */
function readableSettings(fields: Record<string, unknown>): Record<string, unknown> {
  const isWrong = (name: PcSetting): boolean => !pcSettings[name].schema.safeParse(fields[name]).success
  const wrong = new Set<string>(pcSettingNames.filter(isWrong))
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !wrong.has(key)))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether nothing of what was read is missing in what was made of it, whatever the order of the fields. */
function same(read: unknown, made: unknown): boolean {
  if (typeof read !== 'object' || read === null) return read === made
  if (typeof made !== 'object' || made === null || Array.isArray(read) !== Array.isArray(made)) return false
  const fields = new Map(Object.entries(made))
  return Object.entries(read).every(([key, value]) => fields.has(key) && same(value, fields.get(key)))
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1))
}
