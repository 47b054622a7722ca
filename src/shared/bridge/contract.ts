import { labelId, serverLabelId } from '../domain/ids.ts'
import { z } from 'zod'
import type { Result } from '../errors/result.ts'
import type { channels, Domain, EventName, MethodOf } from './channels.ts'
import { senderAddressPatch } from '../wire/address.ts'
import { labelDraft, labelList, labelLook, labelMode, returnLabelView } from './label-views.ts'
import { longestLocationCode } from '../domain/locations.ts'
import { reprintReasons } from '../domain/print-job.ts'
import { sheetPrinted, sheetSaved, sheetWish, testPageView, testPageWish } from './paper-views.ts'
import { printDecision, printPreview, printsView } from './print-views.ts'
import { queueDecision, queueEdit, queueView } from './queue-views.ts'
import { heldScan, scannerSetup, scannersView, serialPorts } from './scanner-views.ts'
import { scanChoiceKinds, scanChoiceView, scanEntry, scanExpectation, scanOutcome } from './scan-views.ts'
import {
  articleList,
  expiringList,
  locationImport,
  locationTypeList,
  locationView,
  lotsView,
  methodList,
  modificationChange,
  modificationDraft,
  modificationView,
  stockView,
} from './stock-views.ts'
import { pcSettings, settingsChange } from './pc-settings.ts'
import { storageView } from './storage-views.ts'
import { idArgument } from './view-parts.ts'
import { provisioningView, setupNotice } from './setup-views.ts'
import {
  appInfo,
  catalogueOverview,
  catalogueView,
  closing,
  connectionTest,
  deskStatus,
  sessionView,
  stationDraft,
  stationView,
} from './views.ts'
import { scannerProfile } from '../domain/wedge/scanner-profile.ts'
import { printerSettings, printerSetup, printerTest, printQueues } from './printer-views.ts'

/** Arguments and result of one call; main parses both, so a wrong one never gets further. */
interface Method {
  readonly args: z.ZodType
  readonly result: z.ZodType
}

const nothing = z.undefined()
const byId = z.object({ id: idArgument })
const byLabel = z.object({ id: labelId })
const version = z.string().max(200)

/**
 * Longest texts of arguments by their names, as in `shared/wire/limits.ts`; a message is measured by them before a schema
 * looks at it. Each schema has narrower limits of its own.
 */
export const longestArguments = { text: 4_000_000, raw: 8_000, code: 8_000 } as const

/** The whole contract between the window and main. */
export const contract = {
  app: {
    info: { args: nothing, result: appInfo },
    /** Changes settings of this PC: they hold at once, and are kept. */
    change: { args: settingsChange, result: appInfo },
    /** The operator's word after a `closing` event: the window closes, what waits stays in the queue. */
    close: { args: nothing, result: nothing },
    /** Whether a printer or a scanner was changed and not saved: then a `closing` event comes first. */
    unsaved: { args: z.object({ unsaved: z.boolean() }), result: nothing },
    /** What became of the file that sets up this PC. */
    provisioning: { args: nothing, result: provisioningView },
    setupNotice: { args: nothing, result: setupNotice },
    /** The operator has read the notice and works without what it names. Returns what is left of it: nothing. */
    acknowledgeSetup: { args: nothing, result: setupNotice },
  },
  station: {
    list: { args: nothing, result: z.array(stationView) },
    current: { args: nothing, result: stationView },
    test: { args: stationDraft, result: connectionTest },
    save: { args: stationDraft, result: stationView },
    use: { args: byId, result: stationView },
    remove: { args: byId, result: z.array(stationView) },
    /** A new secret for the command barcodes of a station: those printed before select nothing any more. */
    renewSecret: { args: byId, result: stationView },
  },
  session: {
    state: { args: nothing, result: sessionView },
    login: {
      args: z.object({ username: z.string().min(1).max(200), password: z.string().min(1).max(500) }),
      result: sessionView,
    },
    logout: { args: nothing, result: sessionView },
  },
  scan: {
    /** Answers once the scan is durable and resolved; the window sounds only then. */
    submit: {
      args: z.object({ raw: z.string().min(1).max(8000), expect: scanExpectation }),
      result: scanOutcome,
    },
    recent: { args: nothing, result: z.array(scanEntry) },
    /** What an earlier scan means today; writes nothing down. */
    lookup: { args: byId, result: scanOutcome },
    /** Which of several things an ambiguous scan is; kept for the next scan of it, or of all codes of its shape. */
    choose: {
      args: byId.extend({
        expect: scanExpectation,
        kind: z.enum(scanChoiceKinds),
        subjectId: idArgument,
        forShape: z.boolean(),
      }),
      result: scanOutcome,
    },
    /** The next scan of it asks again. */
    forget: {
      args: scanChoiceView.pick({ reach: true, code: true, expect: true }),
      result: nothing,
    },
  },
  scanner: {
    /** The serial scanners of this PC, and how each is doing. */
    setup: { args: nothing, result: scannersView },
    /** Takes all of it or nothing. */
    save: { args: scannerSetup, result: scannersView },
    /** The serial ports of this computer. */
    ports: { args: nothing, result: serialPorts },
    /** Scans of serial scanners that the window has not taken yet, in their order. */
    held: { args: nothing, result: z.array(heldScan) },
    /** The window has routed this scan and those before it: they are not handed over again. */
    taken: { args: z.object({ number: z.number().int() }), result: nothing },
  },
  returnLabel: {
    /** Starts create -> (patch) -> request -> store -> print; without `request` it stays open for changes. */
    make: {
      /** `seen`: the label of that shipment that the operator saw when asking for this one; null: none. */
      args: z.object({
        mode: labelMode,
        request: z.boolean(),
        seen: labelId.nullable(),
      }),
      result: returnLabelView,
    },
    /** Looks whether a shipment has a label, also one of another desk; one call of the service at most. */
    look: { args: z.object({ shipmentId: idArgument }), result: labelLook },
    /** Asks for the PDF of a label that was only created, and prints it. */
    request: { args: byLabel, result: returnLabelView },
    /** Only the fields to change; refused once requested. */
    patch: { args: byLabel.extend({ sender: senderAddressPatch }), result: returnLabelView },
    cancel: { args: byLabel, result: returnLabelView },
    get: { args: byLabel, result: returnLabelView },
    /** Takes a label of the service, made at another desk, into this desk's ledger. */
    open: { args: z.object({ serverId: serverLabelId }), result: returnLabelView },
    recent: { args: nothing, result: z.array(returnLabelView) },
    /** Part of a reference, tracking code or name; empty: the newest. */
    search: { args: z.object({ text: z.string().max(200) }), result: labelList },
    /** `reason`: why one more is wanted; null where none came out yet. */
    reprint: {
      args: byLabel.extend({ reason: z.enum(reprintReasons).nullable() }),
      result: returnLabelView,
    },
    readDraft: { args: nothing, result: labelDraft.nullable() },
    writeDraft: { args: labelDraft.nullable(), result: labelDraft.nullable() },
  },
  article: {
    /** The stock lots of a variant: from the service, or what it said last. */
    lots: { args: z.object({ variantId: idArgument }), result: lotsView },
    /** Salable and quarantine stock of a variant: from the service, or what it said last. */
    stock: { args: z.object({ variantId: idArgument }), result: stockView },
    /** Matches the beginning of words in name, SKU, EAN and article code, while the operator types. No network. */
    search: {
      args: z.object({ text: z.string().max(200), limit: z.number().int().min(1).max(100) }),
      result: articleList,
    },
    /** The lots that expire within so many days (overdue ones first), of those kept here. No network. */
    expiring: { args: z.object({ withinDays: z.number().int().min(0).max(3650) }), result: expiringList },
  },
  modification: {
    draft: { args: nothing, result: modificationDraft },
    change: { args: modificationChange, result: modificationDraft },
    undo: { args: nothing, result: modificationDraft },
    /** Turns the draft into a command, durable when it answers; the draft is then empty. */
    book: { args: nothing, result: modificationView },
    /** What was refused or set aside becomes the draft again; undo brings back what the draft was before. */
    takeBack: { args: byId, result: modificationDraft },
    get: { args: byId, result: modificationView },
    recent: { args: nothing, result: z.array(modificationView) },
  },
  location: {
    list: { args: nothing, result: z.array(locationView) },
    /** The text of a CSV file with a code and a uuid in each line, with or without a heading. */
    import: { args: z.object({ text: z.string().max(4_000_000) }), result: locationImport },
    name: {
      args: byId.extend({ code: z.string().trim().min(1).max(longestLocationCode) }),
      result: z.array(locationView),
    },
    forget: { args: byId, result: z.array(locationView) },
    types: { args: nothing, result: locationTypeList },
  },
  catalogue: {
    methods: { args: nothing, result: methodList },
    /** Brings articles, methods and location types up to date now. */
    sync: { args: nothing, result: catalogueView },
    /** How all that is kept of the service is doing, with the rows that cannot be read. */
    overview: { args: nothing, result: catalogueOverview },
    /** How often all lots are read. */
    keepLots: {
      args: z.object({ everyHours: z.number().int().min(1).max(168) }),
      result: catalogueOverview,
    },
    /** How many months of shipments are kept findable. */
    keepShipments: {
      args: z.object({ months: z.number().int().min(1).max(24) }),
      result: catalogueOverview,
    },
  },
  printer: {
    /** The printers of this PC and the routes of the open station. */
    setup: { args: nothing, result: printerSetup },
    /** Takes all of it or nothing. */
    save: { args: printerSetup, result: printerSetup },
    /** Asks the printer how it is; prints nothing. */
    test: { args: printerSettings, result: printerTest },
    /** The queues of this computer. */
    discover: { args: nothing, result: printQueues },
  },
  keyboardScanner: {
    /** How the keyboard scanner of this PC types; null: it was not calibrated. */
    profile: { args: nothing, result: scannerProfile.nullable() },
    save: { args: z.object({ profile: scannerProfile.nullable() }), result: scannerProfile.nullable() },
  },
  print: {
    list: { args: nothing, result: printsView },
    /** What would come out of the job's printer; reaches no printer. */
    preview: { args: z.object({ jobId: idArgument }), result: printPreview },
    /** Durable when it answers; what became of the job follows as an event of its label. */
    decide: {
      /** `version`: of the line that was shown when it was decided. */
      args: z.object({ jobId: idArgument, version, decision: printDecision }),
      result: printsView,
    },
  },
  /** What is no label of a shipment. Each is sent once and never again by itself; answers when that is known. */
  paper: {
    testPage: { args: testPageWish, result: testPageView },
    sheet: { args: sheetWish, result: sheetPrinted },
    /** Saves it as PDF; nothing prints. */
    sheetPdf: { args: sheetWish, result: sheetSaved },
  },
  queue: {
    list: { args: nothing, result: queueView },
    /** Durable and logged when it answers; what became of the write follows as an event of its subject. */
    decide: {
      /** `version`: of the line that was shown when it was decided. */
      args: z.object({ commandId: idArgument, version, decision: queueDecision }),
      result: queueView,
    },
    /** Takes a write that surely did not arrive out of the queue, to be changed where it was made. */
    edit: { args: z.object({ commandId: idArgument }), result: queueEdit },
    /** Somebody has read the notice. */
    dismiss: { args: z.object({ noticeId: idArgument }), result: queueView },
    /** Somebody has read this notice of an approved booking, and all of them before it. */
    dismissApproved: { args: z.object({ noticeId: idArgument }), result: queueView },
  },
  storage: {
    state: { args: nothing, result: storageView },
    backUp: { args: nothing, result: storageView },
    keep: { args: z.object({ days: pcSettings.keepDays.schema }), result: storageView },
    /** Somebody has read that desk.db was restored. */
    recoveryRead: { args: nothing, result: storageView },
  },
  desk: {
    status: { args: nothing, result: deskStatus },
  },
} as const satisfies { [D in Domain]: Record<MethodOf<D>, Method> }

export type Contract = typeof contract
export type ArgsOf<D extends Domain, M extends keyof Contract[D]> = Contract[D][M] extends Method
  ? z.output<Contract[D][M]['args']>
  : never
export type ResultOf<D extends Domain, M extends keyof Contract[D]> = Contract[D][M] extends Method
  ? z.output<Contract[D][M]['result']>
  : never

/** Payload of each event. */
export const events = {
  status: deskStatus,
  session: sessionView,
  returnLabel: returnLabelView,
  modification: modificationView,
  /** Somebody wants to close the window while something waits: `app.close` closes it, doing nothing keeps it open. */
  closing,
  scanners: scannersView,
  /** All that the window has not taken, as `scanner.held` answers it. */
  heldScans: z.array(heldScan),
} as const satisfies Record<EventName, z.ZodType>
export type EventPayload<E extends EventName> = z.output<(typeof events)[E]>

type Call<A, R> = [A] extends [undefined] ? () => Promise<Result<R>> : (args: A) => Promise<Result<R>>

/** The frozen object that the preload script puts at `window.scandesk`. */
export type ScandeskBridge = {
  readonly [D in keyof typeof channels]: {
    readonly [M in keyof Contract[D]]: Call<ArgsOf<D, M>, ResultOf<D, M>>
  }
} & {
  /** Calls back with each event; answers with the function that stops it. */
  readonly on: <E extends EventName>(event: E, listener: (payload: EventPayload<E>) => void) => () => void
}
