import { labelId, serverLabelId, commandId } from '../domain/ids.ts'
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
import { mostSamples, speedSample, speedView } from './speed-views.ts'
import { storageView } from './storage-views.ts'
import { supportPlaces, supportView } from './support-views.ts'
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

/** Arguments and result of one call. Main parses both, so an invalid value does not cross the bridge. */
interface Method {
  readonly args: z.ZodType
  readonly result: z.ZodType
}

const nothing = z.undefined()
const byId = z.object({ id: idArgument })
const byLabel = z.object({ id: labelId })
const version = z.string().max(200)

/**
 * Maximum lengths of texts in arguments, in characters, by the name of their field. A field without an entry has
 * `otherText` (wire/limits.ts). Main checks each message against these limits before a schema parses it. No schema has
 * a higher limit.
 */
export const longestArguments = { text: 4_000_000, raw: 8_000, code: 8_000 } as const

/** The whole contract between the window and main. */
export const contract = {
  app: {
    info: { args: nothing, result: appInfo },
    /** Changes settings of this PC. The changes apply at once and are saved. */
    change: { args: settingsChange, result: appInfo },
    /**
     * Closes the window after the operator confirmed the question of a `closing` event. Unsent writes stay in the
     * queue.
     */
    close: { args: nothing, result: nothing },
    /**
     * Tells main whether the set-up has unsaved input about a station, a printer or a scanner. If it has, main sends a
     * `closing` event before the window closes.
     */
    unsaved: { args: z.object({ unsaved: z.boolean() }), result: nothing },
    /** Reads the result of applying the file that sets up this PC. */
    provisioning: { args: nothing, result: provisioningView },
    setupNotice: { args: nothing, result: setupNotice },
    /**
     * Removes the notice about refused or lost settings: the operator continues without them. Returns the empty notice.
     */
    acknowledgeSetup: { args: nothing, result: setupNotice },
  },
  station: {
    list: { args: nothing, result: z.array(stationView) },
    current: { args: nothing, result: stationView },
    test: { args: stationDraft, result: connectionTest },
    save: { args: stationDraft, result: stationView },
    use: { args: byId, result: stationView },
    remove: { args: byId, result: z.array(stationView) },
    /**
     * Creates a new secret for the command barcodes of a station. Command barcodes that were printed earlier do not
     * work any more.
     */
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
    /** Saves a scan and finds its meaning. The window plays a sound only after this call has returned. */
    submit: {
      args: z.object({ raw: z.string().min(1).max(8000), expect: scanExpectation }),
      result: scanOutcome,
    },
    recent: { args: nothing, result: z.array(scanEntry) },
    /** Finds the meaning of an earlier scan again, with the current data. Writes nothing to the journal. */
    lookup: { args: byId, result: scanOutcome },
    /**
     * Saves which of several things an ambiguous scan means. The answer also applies to later scans of the same code,
     * or of all codes of its shape.
     */
    choose: {
      args: byId.extend({
        expect: scanExpectation,
        kind: z.enum(scanChoiceKinds),
        subjectId: idArgument,
        forShape: z.boolean(),
      }),
      result: scanOutcome,
    },
    /**
     * Deletes the saved answer to an ambiguous scan, so that the operator is asked again at the next scan of the code.
     */
    forget: {
      args: scanChoiceView.pick({ reach: true, code: true, expect: true }),
      result: nothing,
    },
  },
  scanner: {
    /** Returns the serial scanners of this PC, and the state of each. */
    setup: { args: nothing, result: scannersView },
    /** Saves the settings of all scanners. If the settings of any scanner are invalid, saves nothing. */
    save: { args: scannerSetup, result: scannersView },
    /** Returns the serial ports of this computer. */
    ports: { args: nothing, result: serialPorts },
    /** Returns the scans of serial scanners that the window has not taken yet, in their order. */
    held: { args: nothing, result: z.array(heldScan) },
    /** Acknowledges this scan and all earlier scans, so that main does not send them again. */
    taken: { args: z.object({ number: z.number().int() }), result: nothing },
  },
  returnLabel: {
    /**
     * Makes a return label: starts the chain create -> (patch) -> request -> store -> print. Without `request` the
     * label stays open for changes.
     */
    make: {
      /** `seen`: id of the shipment's label that the operator saw before this act; null: the operator saw no label. */
      args: z.object({
        mode: labelMode,
        request: z.boolean(),
        seen: labelId.nullable(),
      }),
      result: returnLabelView,
    },
    /** Whether any desk made a label for a shipment: at most two calls to the service, none if one is stored here. */
    look: { args: z.object({ shipmentId: idArgument }), result: labelLook },
    /** Requests the PDF of a label, and prints it. If it was requested before, repeats a step that waits. */
    request: { args: byLabel, result: returnLabelView },
    /**
     * Changes the sender of a label; `sender` contains only the fields to change. The change is refused once the
     * request of the label may have been sent, and for a cancelled label.
     */
    patch: { args: byLabel.extend({ sender: senderAddressPatch }), result: returnLabelView },
    cancel: { args: byLabel, result: returnLabelView },
    get: { args: byLabel, result: returnLabelView },
    /** Adds a label of the service that was made at another desk to this desk's ledger. */
    open: { args: z.object({ serverId: serverLabelId }), result: returnLabelView },
    recent: { args: nothing, result: z.array(returnLabelView) },
    /** Finds labels by a part of a reference, tracking code or name. An empty text lists the newest labels. */
    search: { args: z.object({ text: z.string().max(200) }), result: labelList },
    /** Prints a stored label. `reason`: why it is printed again; null if it was not printed yet. */
    reprint: {
      args: byLabel.extend({ reason: z.enum(reprintReasons).nullable() }),
      result: returnLabelView,
    },
    readDraft: { args: nothing, result: labelDraft.nullable() },
    writeDraft: { args: labelDraft.nullable(), result: labelDraft.nullable() },
  },
  article: {
    /**
     * Returns the stock lots of a variant from the service. If the service cannot be asked or does not respond, returns
     * the lots that it sent last.
     */
    lots: { args: z.object({ variantId: idArgument }), result: lotsView },
    /**
     * Returns the salable and the quarantine stock of a variant from the service. If the service cannot be asked or
     * does not respond, returns the figures that it sent last.
     */
    stock: { args: z.object({ variantId: idArgument }), result: stockView },
    /**
     * Finds articles while the operator types, without the network. Matches the beginnings of words in name, SKU, EAN
     * and article code.
     */
    search: {
      args: z.object({ text: z.string().max(200), limit: z.number().int().min(1).max(100) }),
      result: articleList,
    },
    /**
     * Lists the lots of expirable articles, stored at this desk, that are expired or expire within this number of days,
     * expired lots first. Makes no network call.
     */
    expiring: { args: z.object({ withinDays: z.number().int().min(0).max(3650) }), result: expiringList },
  },
  modification: {
    draft: { args: nothing, result: modificationDraft },
    change: { args: modificationChange, result: modificationDraft },
    undo: { args: nothing, result: modificationDraft },
    /**
     * Turns the draft of a modification into a command, which is durable when the call returns. The draft is then
     * empty.
     */
    book: { args: nothing, result: modificationView },
    /**
     * Puts the content of a booking into the draft, if the booking certainly did not arrive, was discarded, or was
     * disapproved and not corrected yet. Undo restores the previous draft.
     */
    takeBack: { args: byId, result: modificationDraft },
    get: { args: byId, result: modificationView },
    recent: { args: nothing, result: z.array(modificationView) },
  },
  location: {
    list: {
      /** The last location of the previous call; null: the first call. */
      args: z.object({
        after: z.object({ id: idArgument, code: z.string().max(longestLocationCode).nullable() }).nullable(),
      }),
      /** The next locations in the order of their codes. A list with fewer than `locationsAtOnce` rows is the last. */
      result: z.array(locationView),
    },
    /** Imports locations from the text of a CSV file with a code and a uuid in each line, with or without a heading. */
    import: { args: z.object({ text: z.string().max(4_000_000) }), result: locationImport },
    name: {
      args: byId.extend({ code: z.string().trim().min(1).max(longestLocationCode) }),
      /** The changed location. */
      result: locationView,
    },
    forget: { args: byId, result: z.null() },
    types: { args: nothing, result: locationTypeList },
  },
  catalogue: {
    methods: { args: nothing, result: methodList },
    /** Updates articles, methods and location types now. */
    sync: { args: nothing, result: catalogueView },
    /** Returns the state of all service data that this desk keeps, and the newest rows that cannot be read. */
    overview: { args: nothing, result: catalogueOverview },
    /** Sets how often all lots are read. */
    keepLots: {
      args: z.object({ everyHours: z.number().int().min(1).max(168) }),
      result: catalogueOverview,
    },
    /** Sets the number of months for which shipments can be found. */
    keepShipments: {
      args: z.object({ months: z.number().int().min(1).max(24) }),
      result: catalogueOverview,
    },
  },
  printer: {
    /** Returns the printers of this PC and the routes of the open station. */
    setup: { args: nothing, result: printerSetup },
    /** Saves all printers and routes together. If any of them is invalid, saves nothing. */
    save: { args: printerSetup, result: printerSetup },
    /**
     * Asks the printer for its state. For a network printer that is not set up, only checks whether it responds. Prints
     * nothing.
     */
    test: { args: printerSettings, result: printerTest },
    /** Returns the printer queues of this computer. */
    discover: { args: nothing, result: printQueues },
  },
  keyboardScanner: {
    /** Returns how the keyboard scanner of this PC types; null: it was not calibrated. */
    profile: { args: nothing, result: scannerProfile.nullable() },
    save: { args: z.object({ profile: scannerProfile.nullable() }), result: scannerProfile.nullable() },
  },
  print: {
    list: { args: nothing, result: printsView },
    /** Returns the pages of a print job as its printer would print them; sends nothing to a printer. */
    preview: { args: z.object({ jobId: idArgument }), result: printPreview },
    /**
     * Decides about a print job. The decision is durable when the call returns. A later event of the label reports the
     * effect of the decision.
     */
    decide: {
      /** `version`: the `version` that the print job had when the operator saw it. */
      args: z.object({ jobId: idArgument, version, decision: printDecision }),
      result: printsView,
    },
  },
  /**
   * Prints paper that is no label of a shipment. Each call sends its pages to the printer at most once and is never
   * repeated automatically. The call returns after the attempt, with its outcome, which may be `unknown`.
   */
  paper: {
    testPage: { args: testPageWish, result: testPageView },
    sheet: { args: sheetWish, result: sheetPrinted },
    /** Saves the sheet as PDF; prints nothing. */
    sheetPdf: { args: sheetWish, result: sheetSaved },
  },
  queue: {
    list: { args: nothing, result: queueView },
    /**
     * Decides about a write. The decision is durable and logged when the call returns. An event of the write's subject
     * reports the result of the write.
     */
    decide: {
      /** `version`: the `version` that the write had when the operator saw it. */
      args: z.object({ commandId, version, decision: queueDecision }),
      result: queueView,
    },
    /**
     * Removes from the queue a write that certainly did not arrive, so that the operator can change it where it was
     * entered.
     */
    edit: { args: z.object({ commandId }), result: queueEdit },
    /** Marks a notice as read. */
    dismiss: { args: z.object({ noticeId: idArgument }), result: queueView },
    /** Marks this notice of an approved booking as read, and all earlier notices of approved bookings too. */
    dismissApproved: { args: z.object({ noticeId: idArgument }), result: queueView },
  },
  storage: {
    state: { args: nothing, result: storageView },
    backUp: { args: nothing, result: storageView },
    keep: { args: z.object({ days: pcSettings.keepDays.schema }), result: storageView },
    /** Marks as read the notice which says that desk.db was restored. */
    recoveryRead: { args: nothing, result: storageView },
  },
  support: {
    /** Returns the contents that a support bundle would have now, and the last lines of the log. */
    contents: { args: nothing, result: supportView },
    /** Saves a support bundle in the data directory, where the newest five are kept. */
    save: { args: nothing, result: supportView },
    /** Shows the folder of the logs, or the newest bundle, in the file manager of the system. */
    show: { args: z.object({ what: z.enum(supportPlaces) }), result: nothing },
  },
  speed: {
    /** Adds durations of scans, which the window has measured, to the durations of the current day. */
    add: { args: z.object({ samples: z.array(speedSample).max(mostSamples) }), result: nothing },
    today: { args: nothing, result: speedView },
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
  /**
   * An attempt to close the window while writes wait or input of the set-up is not saved. The window closes after
   * `app.close`, or at another attempt less than ten seconds after this one.
   */
  closing,
  scanners: scannersView,
  /** All scans that the window has not taken, as `scanner.held` returns them. */
  heldScans: z.array(heldScan),
} as const satisfies Record<EventName, z.ZodType>
export type EventPayload<E extends EventName> = z.output<(typeof events)[E]>

/**
 * One call. `station`: the id of the station for which the window calls. If another station is open when the call
 * arrives, no desk runs the call, and it fails with `station.changed`. Without an id, the desk that is open runs it.
 * Calls that need no desk ignore the id.
 */
type Call<A, R> = [A] extends [undefined]
  ? (args?: undefined, station?: string) => Promise<Result<R>>
  : (args: A, station?: string) => Promise<Result<R>>

/** The frozen object that the preload script exposes as `window.scandesk`. */
export type ScandeskBridge = {
  readonly [D in keyof typeof channels]: {
    readonly [M in keyof Contract[D]]: Call<ArgsOf<D, M>, ResultOf<D, M>>
  }
} & {
  /** Calls the listener with each event. Returns the function that removes the listener. */
  readonly on: <E extends EventName>(event: E, listener: (payload: EventPayload<E>) => void) => () => void
}
