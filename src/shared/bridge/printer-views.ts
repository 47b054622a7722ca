import { z } from 'zod'
import { printTurn } from '../domain/print-job.ts'
import { failureView } from './view-parts.ts'

/** The URI of a printer: `ipp://host[:port]/path`, or with `ipps`. It must not contain credentials. */
export const ippUri: RegExp = /^ipps?:\/\/(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?(?:\/[!-~]*)?$/

/** A name of a paper size that contains its dimensions (PWG 5101.1): `na_index-4x6_4x6in`, `iso_a6_105x148mm`. */
const mediaName: RegExp = /^[a-z][a-z0-9]*_[a-z0-9.-]+_\d{1,4}(?:\.\d{1,4})?x\d{1,4}(?:\.\d{1,4})?(?:mm|in)$/

/** The printers of this PC as its manager sets them up, and the routes that assign paper to printers. */

/**
 * The kinds of printers, one row each: the settings of the kind and the facts that both main and the window use. The
 * drivers are in electron/printing/printer-kinds.ts, the forms in src/features/setup/printer-kinds.ts. The compiler
 * names each table in which one of these kinds is missing.
 */

interface KindRow<S extends z.ZodObject> {
  /** Schema of the settings of a printer of this kind. Its field `kind` contains the name of the kind. */
  readonly schema: S
  /**
   * Whether the printer prints on paper. If it writes files instead, its pages need no placement, because a file can
   * have any page size.
   */
  readonly hasPaper: boolean
  /** Returns the address of a printer as one text; empty if there can be only one printer of the kind. */
  address(settings: z.infer<S>): string
  /**
   * Returns the device of a printer that takes one job at a time; null for a print queue. A print queue puts its jobs
   * in an order, so several printers may use the same queue, for example one printer for each kind of paper.
   */
  device(settings: z.infer<S>): string | null
}

function row<S extends z.ZodObject>(kind: KindRow<S>): KindRow<S> {
  return kind
}

/** Where a printer is connected: `host` and `port`, or the device file `device`, with which `host` can be empty. */
const place = {
  host: z.string().trim().max(253),
  port: z.number().int().min(1).max(65535),
  device: z
    .string()
    .regex(/^\/dev(\/[\w:@+-][\w.:@+-]*)+$/)
    .max(253)
    .optional(),
}
interface Place {
  readonly host: string
  readonly port: number
  readonly device?: string | undefined
}
const isPlaced = ({ host, device }: Place): boolean => host !== '' || device !== undefined

/** The facts of a printer that is connected at a network address or as a device file. */
const placed = {
  hasPaper: true,
  address: ({ host, port, device }: Place): string => device ?? `${host}:${String(port)}`,
  device: ({ host, port, device }: Place): string => device ?? `${host.toLowerCase()}:${String(port)}`,
}

const dpi = z.union([z.literal(203), z.literal(300)])
const mediaSize = z.object({
  widthMm: z.number().int().min(20).max(300),
  heightMm: z.number().int().min(20).max(600),
})

export const printerKinds = {
  folder: row({
    schema: z.object({ kind: z.literal('folder') }),
    hasPaper: false,
    address: () => '',
    device: () => 'folder',
  }),
  escpos: row({
    schema: z
      .object({
        kind: z.literal('escpos'),
        ...place,
        /** Width of the paper in millimetres. */
        paperMm: z.union([z.literal(58), z.literal(80), z.literal(104)]),
        dpi,
      })
      .refine(isPlaced),
    ...placed,
  }),
  zpl: row({
    schema: z
      .object({
        kind: z.literal('zpl'),
        ...place,
        /** Printable part of the label's width, in millimetres. */
        widthMm: z.number().int().min(20).max(220),
        dpi,
        media: z.enum(['label', 'continuous']),
        /** Darkness from 0 to 30; null: the value set on the printer. */
        darkness: z.number().int().min(0).max(30).nullable(),
        /** Print speed; null: the value set on the printer. */
        inchesPerSecond: z.number().int().min(2).max(14).nullable(),
        /** How dots are encoded: `acs` for printers that do not support the shorter `z64`. */
        graphics: z.enum(['z64', 'acs']),
      })
      .refine(isPlaced),
    ...placed,
  }),
  ipp: row({
    schema: z.object({
      kind: z.literal('ipp'),
      /**
       * URI of a queue (`ipp://localhost/printers/label`) or of a printer (`ipp://host/ipp/print`); `ipps` is allowed
       * too.
       */
      uri: z.string().trim().max(1023).regex(ippUri),
      /** Name of the paper (PWG 5101.1), or its size in millimetres if it has no name. */
      media: z.union([z.string().max(255).regex(mediaName), mediaSize]),
      dpi,
    }),
    hasPaper: true,
    address: ({ uri }) => uri,
    device: () => null,
  }),
  windows: row({
    schema: z.object({
      kind: z.literal('windows'),
      /** The printer's name in Windows; other systems do not have this kind. */
      queue: z.string().trim().min(1).max(255),
      media: mediaSize,
      dpi,
    }),
    hasPaper: true,
    address: ({ queue }) => queue,
    device: () => null,
  }),
} as const

export type PrinterKind = keyof typeof printerKinds
type Schema = (typeof printerKinds)[PrinterKind]['schema']
/** The settings of one kind of printer. */
export type SettingsOf<K extends PrinterKind> = z.infer<(typeof printerKinds)[K]['schema']>

/** Schema of the settings of any printer. The type cast tells the compiler that the list of kinds is not empty. */
export const printerSettings = z.discriminatedUnion(
  'kind',
  Object.values(printerKinds).map(({ schema }) => schema) as [Schema, ...Schema[]],
)
export type PrinterSettings = z.infer<typeof printerSettings>

/** Returns the row of `printerKinds` for the kind of these settings. The methods of this row accept these settings. */
function rowOf({ kind }: PrinterSettings): Pick<KindRow<Schema>, 'hasPaper' | 'address' | 'device'> {
  return printerKinds[kind]
}

/** Returns the address of a printer, and the id `<kind> <address>` that the printer has if it is not set up. */
export function addressOfPrinter(settings: PrinterSettings): {
  readonly id: string
  readonly address: string
} {
  const address = rowOf(settings).address(settings)
  return { id: `${settings.kind} ${address}`.trim(), address }
}

export function deviceOfPrinter(settings: PrinterSettings): string | null {
  return rowOf(settings).device(settings)
}

export function hasPaper({ kind }: Pick<PrinterSettings, 'kind'>): boolean {
  return printerKinds[kind].hasPaper
}

export const printerTest = z.object({
  /** The state of the printer. `reached`: the printer responds; it is not set up, so it was not asked for its state. */
  state: z.enum(['ready', 'refused', 'unknown', 'reached']),
  failure: failureView.nullable(),
})
export type PrinterTest = z.infer<typeof printerTest>

/** The queues of this computer's print service (CUPS). `isThere`: whether the print service responds. */
export const printQueues = z.object({
  isThere: z.boolean(),
  queues: z.array(
    z.object({
      name: z.string(),
      uri: z.string(),
      makeAndModel: z.string(),
      state: z.enum(['idle', 'processing', 'stopped', 'unknown']),
    }),
  ),
  /** The printers of Windows; settings refer to them by name. Present on Windows only. */
  windows: z.array(z.object({ name: z.string(), makeAndModel: z.string(), isReady: z.boolean() })).optional(),
})
export type PrintQueues = z.infer<typeof printQueues>

/** How pages are placed on a printer's paper, unless the operator changes the placement for a job. */
export const printerLayout = z.object({
  turn: printTurn,
  /** Shift to the right and towards the end of the paper, in millimetres; negative: in the opposite direction. */
  offsetXMm: z.number().min(-20).max(20).multipleOf(0.5),
  offsetYMm: z.number().min(-20).max(20).multipleOf(0.5),
})
export type PrinterLayout = z.infer<typeof printerLayout>

export const plainLayout: PrinterLayout = { turn: 'auto', offsetXMm: 0, offsetYMm: 0 }

/** Title of the folder printer of a new PC. Screens translate it. */
export const standardFolderTitle = 'Label folder'

export const printerEntry = z.object({
  /** Print jobs refer to the printer by this id, which stays the same when the title or the settings change. */
  id: z.string().min(1).max(300),
  /** The printer's title for operators. */
  title: z.string().trim().min(1).max(60),
  settings: printerSettings,
  layout: printerLayout,
})
export type PrinterEntry = z.infer<typeof printerEntry>

/** The kinds of paper for which a route can name a printer. */
export const paperKinds = ['return_label', 'sheet'] as const
export type PaperKind = (typeof paperKinds)[number]

/**
 * The sizes of paper. `label`: the shorter side of the paper is at most 120 mm long. `page`: the shorter side is
 * longer, such as on A4 with a label on it.
 */
export const paperSizes = ['label', 'page'] as const
export type PaperSize = (typeof paperSizes)[number]

export const printRoute = z.object({
  paper: z.enum(paperKinds),
  size: z.enum(paperSizes),
  printerId: z.string().max(300),
})
export type PrintRoute = z.infer<typeof printRoute>

/** The printers, and the routes of the open station. Paper without a route is printed by the first printer. */
export const printerSetup = z.object({
  printers: z.array(printerEntry).min(1).max(20),
  routes: z.array(printRoute).max(paperKinds.length * paperSizes.length),
})
export type PrinterSetup = z.infer<typeof printerSetup>

/** The result of a print that is not a label of a shipment: a test page or a sheet. */
export const paperOutcome = z.object({
  kind: z.enum(['printed', 'sent', 'refused', 'unknown']),
  /** The PDF that was written, if the printer is the label folder; otherwise null. */
  file: z.string().nullable(),
  failure: failureView.nullable(),
})
export type PaperOutcome = z.infer<typeof paperOutcome>
