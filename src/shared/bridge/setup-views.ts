import { z } from 'zod'
import { pcSettingNames, pcSettings } from './pc-settings.ts'
import { time } from './view-parts.ts'

/** What set this PC up, and what of that was refused or lost. */

/** What a value of the set-up file may be; `form` decides which of the other fields mean something. */
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
  /** Null: no limit. */
  max: z.number().nullable(),
  /** Of a number; null: any. */
  step: z.number().nullable(),
  /** Of a choice. */
  values: z.array(z.string()),
  orNull: z.boolean(),
})
export type AllowedValue = z.infer<typeof allowedValue>

/** What can be wrong with a set-up file. The first eleven are about the whole file. */
export const provisioningFaults = [
  'not_there',
  'gone',
  'not_allowed',
  /** Of the machine: others than its administrator can change it, or a folder that it is in. */
  'not_protected',
  /** Named on the command line: it belongs to another account, or others can change it. */
  'not_own',
  /** Windows does not say who can change it. */
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
  /** Where in the file: the list it is in; null: outside of the lists. */
  part: z.enum(['stations', 'printers', 'scanners', 'routes']).nullable(),
  /** The entry of the list, counted from 1; null: the list itself, or all routes of a station. */
  number: z.number().int().nullable(),
  /** What the entry is called, of routes the station; null: it has no name that can be read. */
  name: z.string().nullable(),
  /** The name of the value below its entry, as it stands in the file: `settings.dpi`; empty: the entry itself. */
  field: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number()])),
  /** With `missing` and `wrong`: what it may be. */
  allowed: allowedValue.nullable(),
})
export type ProvisioningProblem = z.infer<typeof provisioningProblem>

/** The file by which a manager sets up this PC (README, Provisioning). */
export const provisioningView = z.object({
  /** Where it lies; null: there is none. */
  file: z.string().nullable(),
  /** `wrong`: nothing of it was taken. */
  state: z.enum(['none', 'applied', 'wrong']),
  problems: z.array(provisioningProblem),
  /** When it was applied last; null: never. */
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

/** Settings of this PC that could not be read at a start and are gone. */
export const settingsLoss = z.object({
  at: time,
  /** `all`: the file could not be read. `missing`: there was no file although this PC was in use. `part`: only `parts`. */
  extent: z.enum(['all', 'missing', 'part']),
  /** What may be gone; of `all` and `missing` nobody can know what there was. */
  parts: z.array(z.enum(lostParts)),
  /** Name of the copy of the file as it was, beside settings.json; null: there is none. */
  copy: z.string().nullable(),
  /** The set-up file that was applied since and put back what it names; null: none was. */
  restoredBy: z.string().nullable(),
})
export type SettingsLoss = z.infer<typeof settingsLoss>

/** What was refused or lost of the set-up of this PC, until it is repaired or acknowledged; both null: nothing. */
export const setupNotice = z.object({
  refused: provisioningView.nullable(),
  lost: settingsLoss.nullable(),
})
export type SetupNotice = z.infer<typeof setupNotice>
