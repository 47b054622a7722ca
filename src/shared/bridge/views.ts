import { labelId, commandId } from '../domain/ids.ts'
import { z } from 'zod'
import { commandStates } from '../domain/command-state.ts'
import { commandSecretForm } from '../domain/commands.ts'
import { printStates } from '../domain/print-job.ts'
import { stationLimits } from '../domain/station-fields.ts'
import { setupSettings } from './pc-settings.ts'
import { queueNotice, queueQuestion, writeBrief, writeSubject } from './queue-views.ts'
import { failureView, time } from './view-parts.ts'

/** Station and operator of the desk, and its status. */

export const environment = z.enum(['sandbox', 'development', 'production'])

/**
 * The secret in the command barcodes of a station (domain/commands.ts), so that a barcode on a parcel cannot control
 * the desk. The secret is no password, because it is printed on the sheets.
 */
export const commandSecret = z.object({
  text: z.string().regex(commandSecretForm),
  madeAt: time,
  /** Whether the secret is from the set-up file. Other desks with the same file then have the same secret. */
  isProvisioned: z.boolean(),
})
export type CommandSecret = z.infer<typeof commandSecret>

export const stationView = z.object({
  id: z.string(),
  name: z.string(),
  /** Address of the service; `embedded:` for the built-in sandbox. */
  baseUrl: z.string(),
  wmsCode: z.string(),
  customerCode: z.string(),
  documentHosts: z.string(),
  environment,
  /** The secret in the station's command barcodes; null at the sandbox only. */
  commandSecret: commandSecret.nullable(),
  /** The login that the login screen of the sandbox fills in, so that Enter logs in; null at other stations. */
  demoLogin: z.object({ username: z.string(), password: z.string() }).nullable(),
})
export type StationView = z.infer<typeof stationView>

export const stationDraft = z.object({
  name: z.string().trim().min(1).max(stationLimits.name),
  baseUrl: z.string().trim().min(1).max(stationLimits.baseUrl),
  wmsCode: z.string().trim().min(1).max(stationLimits.wmsCode),
  customerCode: z.string().trim().min(1).max(stationLimits.customerCode),
  /** Further hosts from which label PDFs may be downloaded, separated by commas or spaces; may be empty. */
  documentHosts: z.string().trim().max(stationLimits.documentHosts),
})
export type StationDraft = z.infer<typeof stationDraft>

/** The steps of a connection test, in this order. The first failure ends the test. */
export const connectionSteps = ['address', 'name', 'port', 'tls', 'service', 'wms', 'customer'] as const
export type ConnectionStep = (typeof connectionSteps)[number]

/**
 * The state of a step of a connection test. `not_needed`: an IP address needs no name look-up, and http on this
 * computer needs no TLS. `by_proxy`: the proxy does the step, so it cannot be observed. `at_login`: only a login can
 * check this step.
 */
export const connectionStates = [
  'passed',
  'failed',
  'not_reached',
  'not_needed',
  'by_proxy',
  'at_login',
  /** The connection was plain http to an address that is not set up, so details are withheld. */
  'not_told',
] as const
export type ConnectionState = (typeof connectionStates)[number]

/**
 * Why a connection test failed. These codes are not in the error catalogue, because the catalogue's sentences are for
 * an operator at work. The sentences for these codes are for the person who sets up the station, and are in
 * `features/setup/connection-words.ts`.
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
  /** The test used plain http to an address that is not set up, so the cause is withheld. */
  'unreachable',
] as const
export type ConnectionProblem = (typeof connectionProblems)[number]

export const connectionTest = z.object({
  steps: z.record(z.enum(connectionSteps), z.enum(connectionStates)),
  problem: z
    .object({
      code: z.enum(connectionProblems),
      /**
       * Values for the sentence about the problem (`host`, `port`, …). `cause` is the system's own error code, for
       * support.
       */
      params: z.record(z.string(), z.union([z.string(), z.number()])),
    })
    .nullable(),
  /** Which environment of the service the tested station uses; null if the test found a problem. */
  environment: environment.nullable(),
  /**
   * Time from the start of the test to the first response or failure, in milliseconds. 0 if the address is invalid or
   * details are withheld.
   */
  tookMs: z.number(),
})
export type ConnectionTest = z.infer<typeof connectionTest>

export const sessionView = z.object({
  state: z.enum(['signed_out', 'signed_in', 'expired']),
  username: z.string().nullable(),
  roles: z.array(z.string()),
  customer: z.object({ code: z.string(), name: z.string() }).nullable(),
  /** Whether the login is kept. If this machine cannot protect a token, the operator must log in at every start. */
  keepsLogin: z.boolean(),
})
export type SessionView = z.infer<typeof sessionView>

/** A write whose arrival at the service is not confirmed, or that the service refused. */
export const waitingWrite = z.object({
  commandId,
  /** The label or modification of this desk that the write creates or changes. */
  subject: writeSubject,
  type: z.string(),
  state: z.enum(commandStates),
  since: time,
  title: z.string(),
  /** The facts by which an operator recognises the write; null if the subject of the write is no longer stored here. */
  brief: writeBrief.nullable(),
  /** Whether a write in `waitingWrites` waits for a decision of the operator; `question` shows why. */
  needsOperator: z.boolean(),
  /**
   * The question to the operator, or null. The question contains only the last of its records, without that record's
   * lines. The view of the queue contains all records.
   */
  question: queueQuestion.nullable(),
  /**
   * The time from which the write can no longer arrive, so that a query of the service determines whether it arrived.
   * Null: this time has passed, or the outcome of the write is known.
   */
  certainAt: time.nullable(),
  failure: failureView.nullable(),
})
export type WaitingWrite = z.infer<typeof waitingWrite>

/** The state of the articles that the desk has read from the service and stored on this PC. */
export const catalogueView = z.object({
  /**
   * The state of the articles. `filling`: the first full read is under way, so each scan asks the service until this
   * read ends.
   */
  state: z.enum(['empty', 'filling', 'ready']),
  variants: z.number().int(),
  shippingMethods: z.number().int(),
  locationTypes: z.number().int(),
  /** The newest moment for which all kept articles are known to be correct. */
  asOf: time.nullable(),
  /** The read under way: received rows, expected rows (null: not known yet), rows per second. */
  progress: z
    .object({
      rows: z.number().int(),
      expected: z.number().int().nullable(),
      rowsPerSecond: z.number(),
      secondsLeft: z.number().nullable(),
    })
    .nullable(),
  /** Number of rows of the service that cannot be read. They are left out, and `catalogueOverview` lists them. */
  skipped: z.number().int(),
  /** Why the articles could not be read last. The read is repeated automatically. */
  failure: failureView.nullable(),
})
export type CatalogueView = z.infer<typeof catalogueView>

/** The state of the desk's copy of the newest rows of a list of the service: shipments or return labels. */
const keptIndex = z.object({
  /**
   * The state of the desk's copy of the list. `filling`: older rows are still being read. `reading`: newer rows may be
   * missing (`gapSince`).
   */
  state: z.enum(['empty', 'filling', 'reading', 'ready']),
  count: z.number().int(),
  /** When the newest rows were last read; null: never. */
  asOf: time.nullable(),
  /** The desk keeps all rows that were created since this moment. */
  reachesBackTo: time.nullable(),
  /** The desk is to keep all rows that were created since this moment. */
  goesBackTo: time,
  /**
   * Rows created since this moment may be missing, because they are not read yet, or cannot be read at present
   * (`failure`); null: none is known to be missing.
   */
  gapSince: time.nullable(),
  /** Number of rows that the desk could not read since its start; `some`: their number is unknown. */
  leftOut: z.union([z.number().int(), z.literal('some')]),
  /** Why no rows are read at present; null: they are read. */
  failure: failureView.nullable(),
})
export type KeptIndex = z.infer<typeof keptIndex>

/** All data of the service that this desk keeps, each part with its age. */
export const catalogueOverview = z.object({
  articles: catalogueView,
  /** When all articles were last read completely. Between two complete reads the desk reads only changes. */
  fullReadAt: time.nullable(),
  /**
   * Why the last complete read of the articles failed. If `articles.failure` is null, the articles have all changes,
   * but also articles that the service has removed.
   */
  fullReadFailure: failureView.nullable(),
  /** Maximum number of rows in one page that the service accepts; null: not known yet. */
  pageRows: z.number().int().nullable(),
  /**
   * The stored batches. The desk reads all of them at an interval, because the API cannot list only the changed
   * batches.
   */
  lots: z.object({
    state: z.enum(['empty', 'reading', 'ready']),
    count: z.number().int(),
    /** When the last complete read of all batches began; null: no read was complete yet. */
    asOf: time.nullable(),
    everyHours: z.number().int(),
    nextAt: time.nullable(),
    rowsRead: z.number().int().nullable(),
    failure: failureView.nullable(),
  }),
  /** Why the shipping methods could not be read last. */
  methodsFailure: failureView.nullable(),
  /** Why the location types could not be read last. */
  typesFailure: failureView.nullable(),
  shipments: keptIndex.extend({
    months: z.number().int(),
    /**
     * The number of days for which this PC keeps shipments, if this time is more than 31 days shorter than `months`
     * (the months for which shipments can be found); otherwise null.
     */
    mostDays: z.number().int().nullable(),
  }),
  returnLabels: keptIndex,
  /**
   * Skipped rows, newest first: at most the newest hundred of all lists of the catalogue, the newest hundred of
   * shipments and the newest hundred of return labels. Those of shipments and return labels are only the rows since the
   * start of the desk.
   */
  skippedRows: z.array(
    z.object({
      list: z.string(),
      /** The service's id of the row, if it can be read. */
      id: z.string().nullable(),
      /** The field of the row that does not match API.md, and the broken rule: `name: invalid_type`. */
      problem: z.string(),
      seenAt: time,
    }),
  ),
})
export type CatalogueOverview = z.infer<typeof catalogueOverview>

export const closing = z.object({ waiting: z.number().int(), asking: z.number().int() })
export type Closing = z.infer<typeof closing>

export const deskStatus = z.object({
  /** The connection to the service. `failure`: the failure of the last call; null while the connection is online. */
  line: z.object({
    state: z.enum(['online', 'offline', 'unknown']),
    since: time,
    failure: failureView.nullable(),
  }),
  /** Waiting writes, oldest first: at most the oldest 200 that wait for a decision and the oldest 200 others. */
  waitingWrites: z.array(waitingWrite),
  /** Writes that the service refused and for which a decision is open, oldest first: at most the oldest 200. */
  refusedWrites: z.array(waitingWrite),
  /**
   * Counts of unfinished writes. `waiting`: writes that need no operator; `oldest`: the time since which the oldest of
   * them has waited. `asking`: writes that wait for a decision, including refused writes. No write is counted twice.
   */
  unsent: z.object({ waiting: z.number().int(), asking: z.number().int(), oldest: time.nullable() }),
  /** Number of unread notices. Notices of approved bookings are not counted, because they need no action. */
  notices: z.number().int(),
  /**
   * The oldest unread notice which says that another desk made the same record at the same time; null: there is no such
   * notice.
   */
  twice: queueNotice.nullable(),
  /** Unread decisions of the warehouse about bookings of this desk. */
  decided: z.object({
    /** Disapproved bookings, oldest first: at most the oldest twenty. */
    disapproved: z.array(queueNotice),
    /** Number of approved bookings, and the notice of the last approved one. */
    approved: z.object({ count: z.number().int(), last: queueNotice }).nullable(),
  }),
  /** Open prints, oldest first: at most the oldest 200 that wait for a decision and the oldest 200 others. */
  waitingPrints: z.array(
    z.object({
      jobId: z.string(),
      labelId,
      /** The title of the job's label. */
      title: z.string(),
      state: z.enum(printStates),
      /** Whether the job waits for a decision of the operator. */
      asks: z.boolean(),
      since: time,
    }),
  ),
  /**
   * Counts of the open prints that are not in `waitingPrints`. `asking`: prints that wait for a decision of the
   * operator; `waiting`: all others. Absent: all open prints are in `waitingPrints`.
   */
  morePrints: z.object({ asking: z.number().int(), waiting: z.number().int() }).optional(),
  printer: z.object({
    name: z.string(),
    title: z.string(),
    state: z.enum(['ready', 'refused', 'unknown']),
    /** Why the printer refuses jobs, or a warning about a printer that is ready. */
    failure: failureView.nullable(),
    folder: z.string().nullable(),
  }),
  /** Shipments and return labels of the last months, which can be found by any code on them. */
  index: z.object({
    shipments: z.number().int(),
    labels: z.number().int(),
    reachesBackTo: time.nullable(),
    syncedAt: time.nullable(),
    syncing: z.boolean(),
  }),
  catalogue: catalogueView,
  /**
   * Set if the last backup could not be made because the disk has too little space, or if the last purge could not
   * delete files of old labels; otherwise null.
   */
  backup: failureView.nullable(),
})
export type DeskStatus = z.infer<typeof deskStatus>

export const appInfo = z.object({
  version: z.string(),
  settings: setupSettings,
  /** Name and version of the engine that runs this window, shown in the tooltip of the status bar. */
  engine: z.string(),
  /** The platform as Node names it: `win32`, `linux`, `darwin`. */
  platform: z.string(),
  dataDir: z.string(),
  /** The server address from the option `--server URL`, which the set-up screen fills in when it opens. */
  suggestedServer: z.string().nullable(),
})
export type AppInfo = z.infer<typeof appInfo>
