import { z } from 'zod'
import { languageCodes, languageOf, languages } from '../domain/languages.ts'

/**
 * The settings of this PC that are single values, one row each. The rows define the fields of settings.json, the values
 * of a set-up file, the command-line options, the list of lost settings, and the calls that read and change them.
 * Lists, such as printers, are in electron/main/settings-schema.ts.
 */
export interface SettingRow {
  /** Schema of the setting's value. */
  readonly schema: z.ZodType
  /** Returns the setting's default value. */
  readonly standard: (systemLanguage: string) => unknown
  /** Display names of the values, the same in every language. */
  readonly names?: Readonly<Record<string, string>>
  /**
   * Command-line option that sets the value until the app ends or the value is changed. `read` returns null for an
   * invalid text.
   */
  readonly option?: { readonly name: `--${string}`; readonly read: (text: string | null) => unknown }
  /** Whether the operator is notified if the value was lost. The message `notice_part_<name>` names the setting. */
  readonly isMissed: boolean
}
type SettingRows = Readonly<Record<string, SettingRow>>

/** The levels of the log. Each level also contains the lines of the levels before it in this list. */
const logLevels = ['error', 'warn', 'info', 'debug'] as const

function logLevelOf(text: string | null): (typeof logLevels)[number] | null {
  return logLevels.find((level) => level === text) ?? null
}

/**
 * Settings that any operator may change on the set-up screen (`app.change`). Their texts are the messages
 * `setting_<name>` and `setting_<name>_hint`, and `setting_<name>_<value>` for the values of a choice without `names`.
 */
const inSetup = {
  language: {
    schema: z.enum(languageCodes),
    standard: (system: string) => languageOf(system) ?? 'en',
    names: Object.fromEntries(languageCodes.map((code) => [code, languages[code].name])),
    option: { name: '--lang', read: languageOf },
    isMissed: false,
  },
  /** The log file of this PC contains the lines of this level and of all more severe levels. */
  logLevel: {
    schema: z.enum(logLevels),
    standard: () => 'info',
    option: { name: '--log-level', read: logLevelOf },
    isMissed: false,
  },
} as const satisfies SettingRows

/** Settings on the storage page, which has its own calls to change them. */
const inStorage = {
  /**
   * Finished work older than this number of days is deleted from this PC. The PC then cannot find the shipments and
   * labels of that work.
   */
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
/** All settings with their current values. */
export type PcSettings = z.infer<typeof allSettings>
/**
 * A part of the settings, such as the saved settings, the settings of a set-up file, or the settings of the command
 * line.
 */
export const someSettings = allSettings.partial()
export type SomeSettings = z.infer<typeof someSettings>

/** Settings on the set-up screen. */
export const setupSettings = schemaOf(inSetup)
export type SetupSettings = z.infer<typeof setupSettings>
/** The settings to change. */
export const settingsChange = setupSettings.partial()
export type SettingsChange = z.infer<typeof settingsChange>
export const setupSettingNames = Object.keys(inSetup) as (keyof SetupSettings)[]

/** The control with which the set-up screen changes a setting. */
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
