import { z } from 'zod'
import { commands } from '../domain/commands.ts'
import { commandStates } from '../domain/command-state.ts'
import { printStates } from '../domain/print-state.ts'
import { type ErrorCode, errorCodes } from '../errors/catalogue.ts'

/** What the screens show. Times are ISO 8601 texts; every number from elsewhere travels with `asOf`. */

const time = z.iso.datetime({ offset: true })

export const failureView = z.object({
  code: z.enum(errorCodes as [ErrorCode, ...ErrorCode[]]),
  params: z.record(z.string(), z.union([z.string(), z.number()])),
})

export const environment = z.enum(['sandbox', 'development', 'production'])

export const stationView = z.object({
  id: z.string(),
  name: z.string(),
  /** `embedded:` for the built-in sandbox. */
  baseUrl: z.string(),
  wmsCode: z.string(),
  customerCode: z.string(),
  documentHosts: z.string(),
  environment,
  /** Only on the sandbox: what the login screen fills in, so that one Enter logs in. */
  demoLogin: z.object({ username: z.string(), password: z.string() }).nullable(),
})
export type StationView = z.infer<typeof stationView>

export const stationDraft = z.object({
  name: z.string().trim().min(1).max(60),
  baseUrl: z.string().trim().min(1).max(300),
  wmsCode: z.string().trim().min(1).max(60),
  customerCode: z.string().trim().min(1).max(60),
  /** Hosts besides the server's own that label PDFs may come from, separated by commas or spaces; may be empty. */
  documentHosts: z.string().trim().max(500),
})
export type StationDraft = z.infer<typeof stationDraft>

/** Outcome of a connection test: what answered, and how. */
export const connectionTest = z.object({
  reachable: z.boolean(),
  /** The service answered as the middleware API does (and not, say, a hotel's login page). */
  isService: z.boolean(),
  wmsKnown: z.boolean().nullable(),
  environment,
  tookMs: z.number(),
  failure: failureView.nullable(),
})
export type ConnectionTest = z.infer<typeof connectionTest>

export const sessionView = z.object({
  state: z.enum(['signed_out', 'signed_in', 'expired']),
  username: z.string().nullable(),
  roles: z.array(z.string()),
  customer: z.object({ code: z.string(), name: z.string() }).nullable(),
  /** False where this machine cannot protect a token: then every start asks for a login. */
  keepsLogin: z.boolean(),
})
export type SessionView = z.infer<typeof sessionView>

export const addressView = z.object({
  name: z.string(),
  street: z.string(),
  place: z.string(),
  country: z.string(),
})

export const shipmentView = z.object({
  id: z.string(),
  reference: z.string(),
  orderReference: z.string().nullable(),
  createdAt: time,
  carrier: z.string().nullable(),
  methodDescription: z.string().nullable(),
  recipient: addressView.nullable(),
  trackingCodes: z.array(z.string()),
  lines: z.array(
    z.object({
      quantity: z.number().int(),
      name: z.string(),
      articleCode: z.string().nullable(),
      ean: z.string().nullable(),
      serialNumbers: z.array(z.string()),
    }),
  ),
  /** When the service said so. */
  asOf: time,
})
export type ShipmentView = z.infer<typeof shipmentView>

export const printJobView = z.object({
  id: z.string(),
  state: z.enum(printStates),
  printer: z.string(),
  /** Where the folder printer put it; null for other printers and before. */
  file: z.string().nullable(),
  isReprint: z.boolean(),
  at: time,
  failure: failureView.nullable(),
})
export type PrintJobView = z.infer<typeof printJobView>

export const returnLabelView = z.object({
  /** Ours; the service's id comes with the create command's answer. */
  id: z.string(),
  serverId: z.string().nullable(),
  shipmentId: z.string(),
  shipmentReference: z.string(),
  externalReference: z.string().nullable(),
  trackingCode: z.string().nullable(),
  create: z.enum(commandStates),
  request: z.enum(commandStates),
  /** The PDF lies in the vault, so that a reprint needs no network. */
  stored: z.boolean(),
  print: printJobView.nullable(),
  /** The first thing that keeps the chain from going on, or null. */
  failure: failureView.nullable(),
  createdAt: time,
})
export type ReturnLabelView = z.infer<typeof returnLabelView>

const scanned = { scanId: z.string(), raw: z.string(), at: time }

export const scanOutcome = z.discriminatedUnion('kind', [
  z.object({ ...scanned, kind: z.literal('command'), command: z.enum(commands) }),
  z.object({
    ...scanned,
    kind: z.literal('shipment'),
    shipment: shipmentView,
    label: returnLabelView.nullable(),
  }),
  z.object({ ...scanned, kind: z.literal('return_label'), label: returnLabelView }),
  /** Known to nobody: says how far back this desk's own index of shipments reaches, and whether it could ask. */
  z.object({
    ...scanned,
    kind: z.literal('unknown'),
    indexReachesBackTo: time.nullable(),
    askedService: z.boolean(),
  }),
  /** The scan is saved, but looking it up failed. */
  z.object({ ...scanned, kind: z.literal('failed'), failure: failureView }),
])
export type ScanOutcome = z.infer<typeof scanOutcome>

export const scanEntry = z.object({
  ...scanned,
  kind: z.enum(['command', 'shipment', 'return_label', 'unknown', 'failed', 'pending']),
  title: z.string().nullable(),
})
export type ScanEntry = z.infer<typeof scanEntry>

export const waitingWrite = z.object({
  commandId: z.string(),
  labelId: z.string(),
  type: z.string(),
  state: z.enum(commandStates),
  since: time,
  subject: z.string(),
  /** Looking did not tell whether it arrived: only now is the operator asked. */
  needsOperator: z.boolean(),
  failure: failureView.nullable(),
})

export const deskStatus = z.object({
  line: z.object({ state: z.enum(['online', 'offline', 'unknown']), since: time }),
  waitingWrites: z.array(waitingWrite),
  waitingPrints: z.array(
    z.object({ jobId: z.string(), labelId: z.string(), state: z.enum(printStates), since: time }),
  ),
  printer: z.object({
    name: z.string(),
    state: z.enum(['ready', 'refused', 'unknown']),
    folder: z.string().nullable(),
  }),
  index: z.object({
    shipments: z.number().int(),
    reachesBackTo: time.nullable(),
    syncedAt: time.nullable(),
    syncing: z.boolean(),
  }),
})
export type DeskStatus = z.infer<typeof deskStatus>

export const appInfo = z.object({
  version: z.string(),
  language: z.enum(['en', 'nl']),
  /** Shown in the status bar's hover and the settings: what runs this window. */
  engine: z.string(),
  dataDir: z.string(),
  /** `--server URL`: the setup screen opens with it filled in. */
  suggestedServer: z.string().nullable(),
})
export type AppInfo = z.infer<typeof appInfo>
