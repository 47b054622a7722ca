import { z } from 'zod'
import { pcSettingNames, pcSettings } from './pc-settings.ts'
import { time } from './view-parts.ts'

/** Where the set-up of this PC came from, and which parts of it were refused or lost. */

/** The allowed values of one setting in a set-up file. Which other fields apply depends on `form`. */
const allowedValue = z.object({
  form: z.enum([
    'whole',
    'number',
    'choice',
    'text',
    'latin1',
    'command_secret',
    'flag',
    'list',
    'object',
    'device',
    'ipp',
    'media',
    'size',
  ]),
  min: z.number(),
  /** The largest allowed value; null: no limit. */
  max: z.number().nullable(),
  /** Step between two allowed numbers; null: any number is allowed. */
  step: z.number().nullable(),
  /** The allowed texts of the setting if `form` is `choice`. */
  values: z.array(z.string()),
  orNull: z.boolean(),
})
export type AllowedValue = z.infer<typeof allowedValue>

/** The faults that a set-up file can have. The first twelve are about the whole file. */
export const provisioningFaults = [
  'not_there',
  'gone',
  'not_allowed',
  /** Accounts other than the administrator's can change the machine's file or its folder. */
  'not_protected',
  /** The file named on the command line belongs to another account, or other accounts can change it. */
  'not_own',
  /** Windows does not report which accounts can change the file. */
  'rights_unknown',
  'not_a_file',
  'too_large',
  'unreadable',
  'not_text',
  'not_json',
  'not_object',
  'missing',
  'wrong',
  'unknown_name',
  'needs_address',
  'needs_end_text',
  'insecure_url',
  'invalid_url',
  'invalid_code',
  'invalid_host',
  'same_station',
  'same_name',
  'same_printer',
  'same_scanner',
  'no_station',
  'two_stations',
  'route_twice',
  'no_printer',
] as const
export type ProvisioningFault = (typeof provisioningFaults)[number]

export const provisioningProblem = z.object({
  code: z.enum(provisioningFaults),
  /** The list of the set-up file in which the fault is; null: the fault is outside of the lists. */
  part: z.enum(['stations', 'printers', 'scanners', 'routes']).nullable(),
  /** The entry of the list, counted from 1; null: the list itself, or all routes of a station. */
  number: z.number().int().nullable(),
  /** Name of the entry, or of the station for routes; null: it has no readable name. */
  name: z.string().nullable(),
  /** Path of the value below its entry, as in the file: `settings.dpi`; empty: the entry itself. */
  field: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number()])),
  /** The allowed values, for the faults `missing` and `wrong`. */
  allowed: allowedValue.nullable(),
})
export type ProvisioningProblem = z.infer<typeof provisioningProblem>

/** The file with which a manager sets up this PC (README, Provisioning). */
export const provisioningView = z.object({
  /** Path of the set-up file; null: there is no set-up file. */
  file: z.string().nullable(),
  /** Whether the set-up file was applied. `wrong`: none of its values was applied. */
  state: z.enum(['none', 'applied', 'wrong']),
  problems: z.array(provisioningProblem),
  /** When the set-up file was last applied; null: never. */
  at: time.nullable(),
})
export type ProvisioningView = z.infer<typeof provisioningView>

export const lostParts = [
  'stations',
  'current_station',
  'printers',
  'routes',
  'scanners',
  'calibration',
  ...pcSettingNames.filter((name) => pcSettings[name].isMissed),
] as const
export type LostPart = (typeof lostParts)[number]

/** Settings of this PC that could not be read at a start and are lost. */
export const settingsLoss = z.object({
  at: time,
  /**
   * The extent of the loss. `all`: the file of the settings could not be read. `missing`: there was no such file
   * although this PC was in use. `part`: only the settings in `parts` are lost.
   */
  extent: z.enum(['all', 'missing', 'part']),
  /**
   * The parts of this PC's settings that may be lost and were not restored. If `extent` is `all` or `missing`, it is
   * unknown which of these settings existed before.
   */
  parts: z.array(z.enum(lostParts)),
  /** Name of the copy of the unreadable file of the settings, beside settings.json; null: there is no copy. */
  copy: z.string().nullable(),
  /**
   * The set-up file that was applied after the loss and restored the settings that it contains; null: no file restored
   * any settings.
   */
  restoredBy: z.string().nullable(),
})
export type SettingsLoss = z.infer<typeof settingsLoss>

/**
 * Parts of this PC's set-up that were refused or lost, until they are repaired or acknowledged. Both fields null: there
 * are no such parts.
 */
export const setupNotice = z.object({
  refused: provisioningView.nullable(),
  lost: settingsLoss.nullable(),
})
export type SetupNotice = z.infer<typeof setupNotice>
