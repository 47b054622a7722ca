import { labelId } from '../domain/ids.ts'
import { z } from 'zod'
import { commandStates } from '../domain/command-state.ts'
import { commandSecretForm } from '../domain/commands.ts'
import { printStates } from '../domain/print-job.ts'
import { stationLimits } from '../domain/station-fields.ts'
import { setupSettings } from './pc-settings.ts'
import { queueNotice, queueQuestion, writeBrief, writeSubject } from './queue-views.ts'
import { failureView, time } from './view-parts.ts'

/** Where the desk works, who works at it, and how it is doing. */

export const environment = z.enum(['sandbox', 'development', 'production'])

/**
 * What the command barcodes of a station carry (domain/commands.ts), so that a parcel cannot steer the desk. No password: it
 * is printed on the sheets.
 */
export const commandSecret = z.object({
  text: z.string().regex(commandSecretForm),
  madeAt: time,
  /** It came from the provisioning file, which other desks may share. */
  isProvisioned: z.boolean(),
})
export type CommandSecret = z.infer<typeof commandSecret>

export const stationView = z.object({
  id: z.string(),
  name: z.string(),
  /** `embedded:` for the built-in sandbox. */
  baseUrl: z.string(),
  wmsCode: z.string(),
  customerCode: z.string(),
  documentHosts: z.string(),
  environment,
  /** Null at the sandbox alone, whose command barcodes carry nothing. */
  commandSecret: commandSecret.nullable(),
  /** Only on the sandbox: what the login screen fills in, so that one Enter logs in. */
  demoLogin: z.object({ username: z.string(), password: z.string() }).nullable(),
})
export type StationView = z.infer<typeof stationView>

export const stationDraft = z.object({
  name: z.string().trim().min(1).max(stationLimits.name),
  baseUrl: z.string().trim().min(1).max(stationLimits.baseUrl),
  wmsCode: z.string().trim().min(1).max(stationLimits.wmsCode),
  customerCode: z.string().trim().min(1).max(stationLimits.customerCode),
  /** Hosts besides the server's own that label PDFs may come from, separated by commas or spaces; may be empty. */
  documentHosts: z.string().trim().max(stationLimits.documentHosts),
})
export type StationDraft = z.infer<typeof stationDraft>

/** What a connection test looks at, in this order; the first that fails ends it. */
export const connectionSteps = ['address', 'name', 'port', 'tls', 'service', 'wms', 'customer'] as const
export type ConnectionStep = (typeof connectionSteps)[number]

/**
 * `not_needed`: an IP address has no name to look up, http on this computer no TLS. `by_proxy`: the proxy did it, out of
 * sight. `at_login`: nothing but a login can tell.
 */
export const connectionStates = [
  'passed',
  'failed',
  'not_reached',
  'not_needed',
  'by_proxy',
  'at_login',
  /** Plain http to an address that is not set up. */
  'not_told',
] as const
export type ConnectionState = (typeof connectionStates)[number]

/**
 * Why a connection test failed. Not the error catalogue: its sentences are for an operator in the middle of a shift, these
 * for the person who sets up the station. The sentences are in `features/setup/connection-words.ts`.
 */
export const connectionProblems = [
  'no_address',
  'insecure_address',
  'name_unknown',
  'name_not_looked_up',
  'port_refused',
  'port_unreachable',
  'port_silent',
  'proxy_failed',
  'no_tls',
  'tls_silent',
  'tls_failed',
  'certificate_untrusted',
  'certificate_other_name',
  'certificate_expired',
  'certificate_not_yet_valid',
  'certificate_wrong',
  'server_silent',
  'hung_up',
  'no_service_at_host',
  'no_service_at_path',
  'redirected',
  'not_the_service',
  'server_error',
  'too_many_requests',
  'forbidden',
  'wms_unknown',
  'customer_unknown',
  /** Plain http to an address that is not set up: no more is told. */
  'unreachable',
] as const
export type ConnectionProblem = (typeof connectionProblems)[number]

export const connectionTest = z.object({
  steps: z.record(z.enum(connectionSteps), z.enum(connectionStates)),
  problem: z
    .object({
      code: z.enum(connectionProblems),
      /** Values that the sentence names (`host`, `port`, …), and `cause`, the system's own error code, for support. */
      params: z.record(z.string(), z.union([z.string(), z.number()])),
    })
    .nullable(),
  /** Null unless the service responded and did not refuse the WMS code: before, there is nothing to name. */
  environment: environment.nullable(),
  /** From the start to the first response. */
  tookMs: z.number(),
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

/** A write that has not arrived for sure, or that the service refused. */
export const waitingWrite = z.object({
  commandId: z.string(),
  /** What it is about: a label or a modification of this desk. */
  subject: writeSubject,
  type: z.string(),
  state: z.enum(commandStates),
  since: time,
  title: z.string(),
  /** The facts by which an operator knows it again; null where its subject is no longer kept here. */
  brief: writeBrief.nullable(),
  /** Looking did not tell whether it arrived: only now is the operator asked. */
  needsOperator: z.boolean(),
  /** What the operator is asked about it, or null: of its records the last one, without lines. The queue has all. */
  question: queueQuestion.nullable(),
  /**
   * Of one that was sent and got no answer: from when on a look tells for certain whether it arrived; null: it does
   * already, or nothing is in doubt.
   */
  certainAt: time.nullable(),
  failure: failureView.nullable(),
})
export type WaitingWrite = z.infer<typeof waitingWrite>

/** How the articles kept here are doing. */
export const catalogueView = z.object({
  /** `filling`: the first full read is under way, and until it ends a scan asks the service. */
  state: z.enum(['empty', 'filling', 'ready']),
  variants: z.number().int(),
  shippingMethods: z.number().int(),
  locationTypes: z.number().int(),
  /** The newest moment for which all of it is known to be true. */
  asOf: time.nullable(),
  /** A read under way: how many rows came, how many are expected (null: not known yet), rows per second. */
  progress: z
    .object({
      rows: z.number().int(),
      expected: z.number().int().nullable(),
      rowsPerSecond: z.number(),
      secondsLeft: z.number().nullable(),
    })
    .nullable(),
  /** Rows of the service that cannot be read, left out and shown in the overview. */
  skipped: z.number().int(),
  /** Why the last read stopped; it is tried again by itself. */
  failure: failureView.nullable(),
})
export type CatalogueView = z.infer<typeof catalogueView>

/** Everything kept of the service, each part with its age. */
export const catalogueOverview = z.object({
  articles: catalogueView,
  /** When all articles were last read from beginning to end; changes are read in between. */
  fullReadAt: time.nullable(),
  /** Rows in one page, the most that the service takes; null: not known yet. */
  pageRows: z.number().int().nullable(),
  /** Batches cannot be asked for by their changes: all of them are read every so often. */
  lots: z.object({
    state: z.enum(['empty', 'reading', 'ready']),
    count: z.number().int(),
    /** When the last whole pass began; null: none has ended yet. */
    asOf: time.nullable(),
    everyHours: z.number().int(),
    nextAt: time.nullable(),
    rowsRead: z.number().int().nullable(),
    failure: failureView.nullable(),
  }),
  shipments: z.object({
    /** `filling`: older ones are still to come. */
    state: z.enum(['empty', 'filling', 'ready']),
    count: z.number().int(),
    /** When the newest were last looked for; null: never. */
    asOf: time.nullable(),
    /** From here on all are kept. */
    reachesBackTo: time.nullable(),
    /** How far back they are to be kept. */
    goesBackTo: time,
    months: z.number().int(),
    /** As many days are kept here at most, well less than these months; null: all of them. */
    mostDays: z.number().int().nullable(),
  }),
  /** The newest hundred. */
  skippedRows: z.array(
    z.object({
      list: z.string(),
      /** The service's id, where it can be read. */
      id: z.string().nullable(),
      /** Which field is not as API.md has it. */
      problem: z.string(),
      seenAt: time,
    }),
  ),
})
export type CatalogueOverview = z.infer<typeof catalogueOverview>

export const closing = z.object({ waiting: z.number().int(), asking: z.number().int() })
export type Closing = z.infer<typeof closing>

export const deskStatus = z.object({
  /** `failure`: what the last call met, while the line is not online. */
  line: z.object({
    state: z.enum(['online', 'offline', 'unknown']),
    since: time,
    failure: failureView.nullable(),
  }),
  /** Those that are open, oldest first. */
  waitingWrites: z.array(waitingWrite),
  /** Those that the service refused and nobody decided about yet, oldest first. */
  refusedWrites: z.array(waitingWrite),
  /**
   * Writes that have not arrived for sure. `waiting`: those that need nobody, since `oldest`; `asking`: those that wait
   * for a decision, refused ones among them. No write is in both.
   */
  unsent: z.object({ waiting: z.number().int(), asking: z.number().int(), oldest: time.nullable() }),
  /** Noticed afterwards, and not read by anybody yet; approved bookings are not counted, because they ask for nothing. */
  notices: z.number().int(),
  /** The oldest of those that say that another desk did the same at the same time; null: there is none. */
  twice: queueNotice.nullable(),
  /** What the warehouse decided about bookings of this desk, and nobody has read yet. */
  decided: z.object({
    /** Disapproved ones, the oldest first, twenty at most. */
    disapproved: z.array(queueNotice),
    /** How many were approved, and the last of them. */
    approved: z.object({ count: z.number().int(), last: queueNotice }).nullable(),
  }),
  waitingPrints: z.array(
    z.object({
      jobId: z.string(),
      labelId,
      /** What its label is called. */
      title: z.string(),
      state: z.enum(printStates),
      /** Nothing goes on before somebody said what to do. */
      asks: z.boolean(),
      since: time,
    }),
  ),
  printer: z.object({
    name: z.string(),
    title: z.string(),
    state: z.enum(['ready', 'refused', 'unknown']),
    /** Why it refuses, or what to mind of one that is ready. */
    failure: failureView.nullable(),
    folder: z.string().nullable(),
  }),
  /** Shipments and return labels of the last months, findable by any code on them. */
  index: z.object({
    shipments: z.number().int(),
    labels: z.number().int(),
    reachesBackTo: time.nullable(),
    syncedAt: time.nullable(),
    syncing: z.boolean(),
  }),
  catalogue: catalogueView,
})
export type DeskStatus = z.infer<typeof deskStatus>

export const appInfo = z.object({
  version: z.string(),
  settings: setupSettings,
  /** Shown in the status bar's hover and the settings: what runs this window. */
  engine: z.string(),
  /** As Node calls it: `win32`, `linux`, `darwin`. */
  platform: z.string(),
  dataDir: z.string(),
  /** `--server URL`: the setup screen opens with it filled in. */
  suggestedServer: z.string().nullable(),
})
export type AppInfo = z.infer<typeof appInfo>
