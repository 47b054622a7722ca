import { z } from 'zod'
import { languageCodes, languageOf } from '../domain/languages.ts'

/**
 * The settings of this PC that are single values: one row each. From the table come the fields of settings.json, the
 * values of a set-up file under the same names, the options of the command line, the fields of `app.info` with the calls
 * that change them, and what a PC is told to have lost. Lists, such as printers, are in settings-schema.ts.
 */
interface SettingRow {
  /** What it may be. */
  readonly schema: z.ZodType
  /** What it is until somebody sets it, and where what is kept cannot be read. */
  readonly standard?: unknown
  /** In place of `standard`: what it is by the language of the system. */
  readonly ofSystem?: (language: string) => unknown
  /**
   * Where the window shows it and who may change it: `app`, in `app.info`, and `app.set<Name>` changes it for any operator;
   * `storage`, on the page of what this PC keeps, which has calls of its own.
   */
  readonly shown: 'app' | 'storage'
  /** Sets it until the app ends, unless it is changed; `read` returns null for what it may not be. */
  readonly option?: { readonly name: `--${string}`; readonly read: (text: string | null) => unknown }
  /** What it is called where it is lost (setup-views.ts); left out: nobody would miss it. */
  readonly lostAs?: string
}

export const pcSettings = {
  language: {
    schema: z.enum(languageCodes),
    ofSystem: (system: string) => languageOf(system) ?? 'en',
    shown: 'app',
    option: { name: '--lang', read: languageOf },
  },
  /** Finished work older than this many days is purged from this PC. */
  keepDays: {
    schema: z.number().int().min(7).max(730),
    /** As far back as shipments and return labels are kept findable. */
    standard: 180,
    shown: 'storage',
    lostAs: 'keep_days',
  },
} as const satisfies Record<string, SettingRow>

type Rows = typeof pcSettings
export type PcSetting = keyof Rows
/** The settings whose rows have a column, or a value in it. */
type With<C> = { [K in PcSetting]: Rows[K] extends C ? K : never }[PcSetting]

type PcValues = { [K in PcSetting]: z.infer<Rows[K]['schema']> }

export type AppSetting = With<{ readonly shown: 'app' }>
/** The settings that `app.info` has. */
export type AppSettings = { [K in AppSetting]: z.infer<Rows[K]['schema']> }
/** The settings that the command line may set; null: it does not. */
export type SettingOptions = {
  [K in With<{ readonly option: object }>]: z.infer<Rows[K]['schema']> | null
}
type LostSetting = With<{ readonly lostAs: string }>

const rows: readonly (readonly [string, SettingRow])[] = Object.entries(pcSettings)

/** Each setting that `choose` returns something for. The casts below say what a type cannot follow through it. */
function collected(choose: (row: SettingRow) => unknown): Record<string, unknown> {
  const chosen = rows.map(([name, row]) => [name, choose(row)] as const)
  return Object.fromEntries(chosen.filter(([, value]) => value !== undefined))
}

/** Their fields in settings.json. */
export const keptSettings = collected(({ schema, standard }) =>
  standard === undefined ? schema.optional().catch(undefined) : schema.catch(standard),
) as {
  [K in PcSetting]: Rows[K] extends { readonly standard: unknown }
    ? z.ZodCatch<Rows[K]['schema']>
    : z.ZodCatch<z.ZodOptional<Rows[K]['schema']>>
}

/** Their values in a set-up file. */
export const provisionedSettings = collected(({ schema }) => schema.optional()) as {
  [K in PcSetting]: z.ZodOptional<Rows[K]['schema']>
}

/** Those that a set-up file names. */
export function namedIn(values: Partial<Record<PcSetting, unknown>>): Partial<PcValues> {
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => Object.hasOwn(pcSettings, name) && value !== undefined),
  )
}

/** What `app.info` has of them. */
export const appSettings = collected(({ schema, shown }) => (shown === 'app' ? schema : undefined)) as {
  [K in AppSetting]: Rows[K]['schema']
}

export const appSettingNames = Object.keys(appSettings) as AppSetting[]

export type SetterName<K extends AppSetting = AppSetting> = `set${Capitalize<K>}`

/** The name of the call that changes a setting: `setLanguage`. */
export function setterName(name: AppSetting): SetterName {
  return `set${name.charAt(0).toUpperCase()}${name.slice(1)}` as SetterName
}

/** The arguments of the calls that change them. */
export const setterArguments = Object.fromEntries(
  appSettingNames.map((name) => [setterName(name), z.object({ [name]: appSettings[name] })]),
) as { [K in AppSetting as SetterName<K>]: z.ZodObject<{ [P in K]: Rows[K]['schema'] }> }

/** What the command line says of them; `valueOf` returns the text behind an option, or null. */
export function readSettingOptions(valueOf: (option: string) => string | null): SettingOptions {
  return collected(({ option }) => option?.read(valueOf(option.name))) as SettingOptions
}

/** What they are by the system's language, until somebody sets them. */
export function settingsOfSystem(language: string): Partial<AppSettings> {
  return collected(({ ofSystem }) => ofSystem?.(language))
}

/** What they are called where they are lost, by their names. */
export const lostSettings = collected(({ lostAs }) => lostAs) as { [K in LostSetting]: Rows[K]['lostAs'] }

/** Whether each that may be lost is set by `values`, by what it is called where it is lost. */
export function lostOnesIn(
  values: Partial<Record<PcSetting, unknown>>,
): Record<Rows[LostSetting]['lostAs'], boolean> {
  const names = Object.entries(lostSettings) as [LostSetting, Rows[LostSetting]['lostAs']][]
  return Object.fromEntries(names.map(([name, part]) => [part, values[name] !== undefined])) as Record<
    Rows[LostSetting]['lostAs'],
    boolean
  >
}
