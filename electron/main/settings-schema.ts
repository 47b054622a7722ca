import { z } from 'zod'
import { someSettings, type PcSetting, pcSettingNames, pcSettings } from '#shared/bridge/pc-settings.ts'
import { type LostPart, settingsLoss } from '#shared/bridge/setup-views.ts'
import { commandSecret } from '#shared/bridge/views.ts'
import { printerEntry, printRoute, type PrintRoute } from '#shared/bridge/printer-views.ts'
import { scannerProfile } from '#shared/domain/wedge/scanner-profile.ts'
import { mostScanners, scannerEntry } from '#shared/bridge/scanner-views.ts'
import { entryOf } from './printer-entry.ts'

/** The id of the built-in station. */
export const sandboxId = 'sandbox'

const station = z.object({
  id: z.string(),
  name: z.string(),
  baseUrl: z.string(),
  wmsCode: z.string(),
  customerCode: z.string(),
  documentHosts: z.string().catch(''),
  /**
   * The station's command secret; null if a provisioning file contained no secret: `Stations` then creates a secret.
   */
  commandSecret: commandSecret.nullable().catch(null),
})
export type StoredStation = z.infer<typeof station>

/** Parses the stations and drops those that are unreadable, so that the others are kept. */
const stations = z
  .array(z.unknown())
  .catch([])
  .transform((rows) => readable(rows, station))

/** Maximum number of printers, the same as in the bridge's `printerSetup`. */
const mostPrinters = 20

/**
 * Parses the printers and drops those that are unreadable. Of several printers with the same id only the first is kept,
 * because print jobs are stored by printer id. Keeps at most `mostPrinters` printers.
 */
const printers = z
  .array(z.unknown())
  .catch([])
  .transform((rows) => firstOfEach(readable(rows, printerEntry), ({ id }) => id).slice(0, mostPrinters))

/**
 * Parses the scanners and drops those that are unreadable. Of several scanners with the same id only the first is kept.
 * Keeps at most `mostScanners` scanners.
 */
const scanners = z
  .array(z.unknown())
  .catch([])
  .transform((rows) => firstOfEach(readable(rows, scannerEntry), ({ id }) => id).slice(0, mostScanners))

/**
 * The routes of each station. A route assigns one kind and size of paper to a printer. A station has at most one route
 * for each kind and size.
 */
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
  /** The printers of this PC, at least one: the label folder is the default. */
  printers: printers.prefault([]),
  routes: routes.prefault({}),
  /** The profile of this PC's keyboard scanner; null: not calibrated. */
  scannerProfile: scannerProfile.nullable().catch(null),
  /** The serial scanners of this PC. */
  scanners: scanners.prefault([]),
  /** The last applied provisioning file: its SHA-256, and the time. */
  provisioned: z.object({ hash: z.string(), at: z.iso.datetime() }).nullable().catch(null),
  /** The set-up file that was refused last. `key`: its SHA-256, or why it cannot be read. Null: no file was refused. */
  refused: z
    .object({ file: z.string(), key: z.string(), isAcknowledged: z.boolean() })
    .nullable()
    .catch(null),
  /** Addresses that a person at this PC or a set-up file confirmed (`confirmed-addresses.ts`). */
  confirmedAddresses: z.array(z.string()).readonly().catch([]),
  /**
   * The settings that were lost at an earlier start. The entry stays until the loss is repaired or an operator confirms
   * it.
   */
  lost: settingsLoss.nullable().catch(null),
  /** Port of the embedded middleware, stored so that it listens at the same address after a restart. */
  sandboxPort: z.number().int().min(1).max(65535).nullable().catch(null),
  /** Encrypted secrets in base64 (safeStorage), by key; never plain text. */
  secrets: secrets.prefault({}),
})
export type Settings = z.infer<typeof schema>

interface ReadSettings {
  readonly settings: Settings
  /** Fields that this version does not know. They are kept unchanged. */
  readonly others: Readonly<Record<string, unknown>>
  /** Whether all parts of the text are readable. If not, the next write would delete the unreadable parts. */
  readonly isWhole: boolean
  /** The parts that an operator had set up and that cannot be read. Null: the text is not a settings file. */
  readonly lost: readonly LostPart[] | null
  /**
   * Whether the text lacks the field `stations`, which the app writes into every settings file. If so, there is no
   * readable file, or a user has replaced it.
   */
  readonly isNew: boolean
}

/**
 * For each setting, the part of the set-up that is reported as lost if the setting is lost. Null: no loss is reported,
 * because the desk creates the value again. For the settings in `pcSettings`, the rows there contain this part.
 */
const partOf: Readonly<Record<Exclude<keyof Settings, PcSetting>, LostPart | null>> = {
  stations: 'stations',
  currentStationId: 'current_station',
  printers: 'printers',
  routes: 'routes',
  scanners: 'scanners',
  scannerProfile: 'calibration',
  provisioned: null,
  refused: null,
  confirmedAddresses: null,
  lost: null,
  sandboxPort: null,
  secrets: null,
}

/** Returns the part of the set-up to which a field belongs. Null: operators do not notice the loss of the field. */
function partOfField(key: keyof Settings): LostPart | null {
  if (key in pcSettings) return pcSettings[key as PcSetting].isMissed ? (key as PcSetting) : null
  return partOf[key as keyof typeof partOf]
}

/**
 * Maximum nesting of the values, far more than any settings have. electron-store cannot write more than a thousand
 * levels.
 */
const deepest = 100

/**
 * Reads the text of settings.json. Each unreadable value is replaced with the default of that value. A null text means
 * that there is no file. Never throws.
 */
export function readSettings(text: string | null): ReadSettings {
  // removes an editor's byte order mark, which is not part of JSON and which electron-store cannot read
  const bare = text?.replace(/^\uFEFF/, '') ?? '{}'
  const raw = parse(bare)
  const fields = isRecord(raw) ? raw : {}
  const parsed = schema.parse(readableSettings(fields))
  const { stations: kept, currentStationId } = parsed
  // an id without a station is dropped, because otherwise every start would open the sandbox
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
    // U+FFFD in the text shows that the file has bytes that are not UTF-8
    !bare.includes('\uFFFD') &&
    sane.length === others.length &&
    schema.keyof().options.every((key) => isKept(key, settings[key]))
  const isLost = (key: keyof Settings): boolean => !isKept(key, settings[key])
  const lost = schema
    .keyof()
    .options.filter(isLost)
    .map(partOfField)
    .filter((part) => part !== null)
  return {
    settings,
    others: Object.fromEntries(sane),
    isWhole,
    lost: isRecord(raw) ? lost : null,
    isNew: !Object.hasOwn(fields, 'stations'),
  }
}

/** Removes unreadable values of the settings in `pcSettings`. Each of them then gets its default. */
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

/** Whether the parsed value contains everything that the text contains. The order of the fields does not matter. */
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
