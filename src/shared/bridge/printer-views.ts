import { z } from 'zod'
import { ippUri, mediaName } from '../domain/print-media.ts'
import { printTurn } from '../domain/print-job.ts'
import { failureView } from './view-parts.ts'

/** The printers of this PC as its manager sets them up, and which paper comes out of which. */

/**
 * The kinds of printers: one row each, with the settings that a kind takes and the facts that main and the window both
 * use. The drivers are in electron/printing/printer-kinds.ts, the forms in src/features/setup/printer-kinds.ts: the
 * compiler names each table that lacks a kind of this one.
 */

interface KindRow<S extends z.ZodObject> {
  /** Its field `kind` has the name of the row. */
  readonly schema: S
  /** False: it writes files. They have any size, and are not laid otherwise on a paper. */
  readonly hasPaper: boolean
  /** Its address as one text; empty where there is only one of the kind. */
  address(settings: z.infer<S>): string
  /**
   * What can take one job at a time, whatever language it understands; null for a queue, which puts jobs in order
   * itself, so the list may have it once for each of its papers.
   */
  device(settings: z.infer<S>): string | null
}

function row<S extends z.ZodObject>(kind: KindRow<S>): KindRow<S> {
  return kind
}

/** A printer at `host` and `port`, unless `device` names a device file: then `host` may be empty. */
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

/** Of a printer at `place`. */
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
        /** What prints of the label's width, in millimetres. */
        widthMm: z.number().int().min(20).max(220),
        dpi,
        media: z.enum(['label', 'continuous']),
        /** 0 to 30; null: as it is set on the printer. */
        darkness: z.number().int().min(0).max(30).nullable(),
        /** Null: as it is set on the printer. */
        inchesPerSecond: z.number().int().min(2).max(14).nullable(),
        /** How dots are written: `acs` for printers that do not know the shorter `z64`. */
        graphics: z.enum(['z64', 'acs']),
      })
      .refine(isPlaced),
    ...placed,
  }),
  ipp: row({
    schema: z.object({
      kind: z.literal('ipp'),
      /** Of a queue (`ipp://localhost/printers/label`) or of a printer (`ipp://host/ipp/print`); or ipps. */
      uri: z.string().trim().max(1023).regex(ippUri),
      /** The paper's name (PWG 5101.1), or its size in millimetres where it has none. */
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
      /** As Windows calls the printer; not on other systems. */
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
/** The settings of one kind. */
export type SettingsOf<K extends PrinterKind> = z.infer<(typeof printerKinds)[K]['schema']>

/** The schemas of all rows; the cast says that there is a first. */
export const printerSettings = z.discriminatedUnion(
  'kind',
  Object.values(printerKinds).map(({ schema }) => schema) as [Schema, ...Schema[]],
)
export type PrinterSettings = z.infer<typeof printerSettings>

/** The row of the kind that these settings are of: its methods take them. */
function rowOf({ kind }: PrinterSettings): Pick<KindRow<Schema>, 'hasPaper' | 'address' | 'device'> {
  return printerKinds[kind]
}

/** `<kind> <address>`: by what a printer is known that has no entry. */
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
  /** `reached`: it is not set up, so it was not asked how it is. */
  state: z.enum(['ready', 'refused', 'unknown', 'reached']),
  failure: failureView.nullable(),
})
export type PrinterTest = z.infer<typeof printerTest>

/** What this computer's own print service (CUPS) has; `isThere`: whether it has one that answers. */
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
  /** The printers of Windows by their names, which is what settings call them by; on Windows alone. */
  windows: z.array(z.object({ name: z.string(), makeAndModel: z.string(), isReady: z.boolean() })).optional(),
})
export type PrintQueues = z.infer<typeof printQueues>

/** How everything lies on a printer's paper unless somebody lays a job otherwise. */
export const printerLayout = z.object({
  turn: printTurn,
  /** Towards the right edge and towards the end of the paper, in millimetres; negative: the other way. */
  offsetXMm: z.number().min(-20).max(20).multipleOf(0.5),
  offsetYMm: z.number().min(-20).max(20).multipleOf(0.5),
})
export type PrinterLayout = z.infer<typeof printerLayout>

export const plainLayout: PrinterLayout = { turn: 'auto', offsetXMm: 0, offsetYMm: 0 }

/** What the folder printer of a new PC is called; screens say it in their own language. */
export const standardFolderTitle = 'Label folder'

export const printerEntry = z.object({
  /** Print jobs name their printer by it: it stays when the title or the settings change. */
  id: z.string().min(1).max(300),
  /** What operators call it. */
  title: z.string().trim().min(1).max(60),
  settings: printerSettings,
  layout: printerLayout,
})
export type PrinterEntry = z.infer<typeof printerEntry>

/** What this desk puts on paper by itself. */
export const paperKinds = ['return_label', 'sheet'] as const
export type PaperKind = (typeof paperKinds)[number]

/** `label`: its paper is at most 120 mm wide; `page`: wider, such as A4 with a label on it. */
export const paperSizes = ['label', 'page'] as const
export type PaperSize = (typeof paperSizes)[number]

export const printRoute = z.object({
  paper: z.enum(paperKinds),
  size: z.enum(paperSizes),
  printerId: z.string().max(300),
})
export type PrintRoute = z.infer<typeof printRoute>

/** The first printer takes whatever no route names. Routes are those of the station that is open. */
export const printerSetup = z.object({
  printers: z.array(printerEntry).min(1).max(20),
  routes: z.array(printRoute).max(paperKinds.length * paperSizes.length),
})
export type PrinterSetup = z.infer<typeof printerSetup>

/** What became of paper that is no label of a shipment: a test page, a sheet. */
export const paperOutcome = z.object({
  kind: z.enum(['printed', 'sent', 'refused', 'unknown']),
  /** The PDF, where the printer is a folder. */
  file: z.string().nullable(),
  failure: failureView.nullable(),
})
export type PaperOutcome = z.infer<typeof paperOutcome>
