import { z } from 'zod'
import { languageCodes, languageOf, languages } from '../domain/languages.ts'

/**
 * The settings of this PC that are single values: one row each. From the rows come the fields of settings.json, the values
 * of a set-up file, the options of the command line, what a PC is told to have lost, and the calls that read and change
 * them. Lists, such as printers, are in electron/main/settings-schema.ts.
 */
export interface SettingRow {
  /** The values that it may have. */
  readonly schema: z.ZodType
  /** Its value until somebody sets it. */
  readonly standard: (systemLanguage: string) => unknown
  /** What the values of a choice are called, the same in every language. */
  readonly names?: Readonly<Record<string, string>>
  /** Sets it until the app ends, or until it is changed; `read` returns null for a text that is no value of it. */
  readonly option?: { readonly name: `--${string}`; readonly read: (text: string | null) => unknown }
  /** Whether an operator is told that it was lost; its name there is the message `notice_part_<name>`. */
  readonly isMissed: boolean
}
type SettingRows = Readonly<Record<string, SettingRow>>

/**
 * Those that the set-up draws, each by its schema, and that whoever is at the PC may change (`app.change`). Their words are
 * the messages `setting_<name>` and `setting_<name>_hint`.
 */
const inSetup = {
  language: {
    schema: z.enum(languageCodes),
    standard: (system: string) => languageOf(system) ?? 'en',
    names: Object.fromEntries(languageCodes.map((code) => [code, languages[code].name])),
    option: { name: '--lang', read: languageOf },
    isMissed: false,
  },
} as const satisfies SettingRows

/** Those on the page of what this PC keeps, which has calls of its own. */
const inStorage = {
  /** Finished work older than this many days is purged from this PC; as far back as shipments and labels can be found. */
  keepDays: { schema: z.number().int().min(7).max(730), standard: () => 180, isMissed: true },
} as const satisfies SettingRows

export const pcSettings = { ...inSetup, ...inStorage }
export type PcSetting = keyof typeof pcSettings
export const pcSettingNames = Object.keys(pcSettings) as PcSetting[]

function schemaOf<T extends SettingRows>(rows: T): z.ZodObject<{ [K in keyof T]: T[K]['schema'] }> {
  const fields = Object.entries(rows).map(([name, { schema }]) => [name, schema])
  return z.object(Object.fromEntries(fields) as { [K in keyof T]: T[K]['schema'] })
}

const allSettings = schemaOf(pcSettings)
/** All of them, as they hold. */
export type PcSettings = z.infer<typeof allSettings>
/** Some of them: those that are kept, in a set-up file, or on the command line. */
export const someSettings = allSettings.partial()
export type SomeSettings = z.infer<typeof someSettings>

/** Those that the set-up draws. */
export const setupSettings = schemaOf(inSetup)
export type SetupSettings = z.infer<typeof setupSettings>
/** Some of them, to be changed. */
export const settingsChange = setupSettings.partial()
export type SettingsChange = z.infer<typeof settingsChange>
export const setupSettingNames = Object.keys(inSetup) as (keyof SetupSettings)[]

/** How the set-up lets one be changed. */
export type SettingControl =
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'number'; readonly min: number; readonly max: number }
  | { readonly kind: 'switch' }

export function controlOf(schema: z.ZodType): SettingControl {
  if (schema instanceof z.ZodEnum) return { kind: 'choice', values: schema.options.map(String) }
  if (schema instanceof z.ZodBoolean) return { kind: 'switch' }
  if (schema instanceof z.ZodNumber && schema.minValue !== null && schema.maxValue !== null)
    return { kind: 'number', min: schema.minValue, max: schema.maxValue }
  throw new Error('The set-up draws choices, switches, and numbers with a least and a greatest value.')
}
