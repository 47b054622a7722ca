import { m } from '#messages/messages.js'
import type { PrinterKind, PrinterSettings, PrintQueues, SettingsOf } from '#shared/bridge/printer-views.ts'
import { printerKindName } from '#place/print-words.ts'
import {
  addressFaults,
  addressForm,
  addressOf,
  escposForm,
  type Faults,
  ippFaults,
  ippForm,
  ippSettings,
  type KindForms,
  type PrinterForms,
  windowsFaults,
  windowsForm,
  windowsSettings,
  zplFaults,
  zplForm,
  zplSettings,
} from './printer-forms.ts'

/** Messages for the causes that a printer or the network may report (error code printer.refused, value cause). */
type Causes = Partial<Record<string, () => string>>

/** Messages for the result of a printer test. */
interface TestWords {
  readonly ready: () => string
  /** The message for a printer that sent no state, as many label printers do while they have no paper. */
  readonly silent: () => string
  /** The message for every refusal. If it is missing, the message depends on the reported cause. */
  readonly refused?: () => string
  readonly causes: Causes
}

/** A printer that this computer has found. */
export interface FoundPrinter {
  /** The address of the printer, as the settings contain it. */
  readonly address: string
  readonly name: string
  readonly makeAndModel: string
  readonly state: () => string
}

interface KindRow<S extends PrinterSettings> {
  /** Returns the description of the kind, which is shown in the choice of kinds while a new printer is added. */
  readonly about: () => string
  /** Returns why the kind cannot be chosen a second time. Only for kinds of which a desk needs a single printer. */
  readonly taken?: () => string
  faults(typed: PrinterForms): Faults
  /** Returns the settings in the form that the bridge requires, or null if a value is missing or wrong. */
  settings(typed: PrinterForms): S | null
  /** Fills the fields of the form with saved settings. */
  fill(typed: PrinterForms, settings: S): void
  /** Returns one line with the kind of the printer and its address or queue. The label folder has a fixed text. */
  where(settings: S): string
  readonly test: TestWords
  /** How this computer finds printers of this kind; missing for a kind that is never searched for. */
  readonly found?: {
    /** Whether the kind is offered only on a system that can list its printers. */
    readonly isNeeded: boolean
    /** Returns the printers of this kind that were found; null if this system cannot list them. */
    readonly list: (queues: PrintQueues) => readonly FoundPrinter[] | null
    readonly choose: (forms: KindForms, address: string) => void
    /** Returns the address that is in the form now. */
    readonly chosen: (forms: KindForms) => string
  }
}

const causes: Causes = {
  paper_out: m.printer_paper_out,
  cover_open: m.printer_cover_open,
  ribbon_out: m.printer_ribbon_out,
  paused: m.printer_paused,
  busy: m.printer_busy,
  error: m.printer_fault,
  offline: m.printer_offline,
  ENOTFOUND: m.printer_no_name,
  EAI_AGAIN: m.printer_no_name,
  ECONNREFUSED: m.printer_no_port,
  ENOENT: m.printer_no_device,
  ENODEV: m.printer_no_device,
  ENXIO: m.printer_no_device,
  EACCES: m.printer_device_denied,
  EBUSY: m.printer_device_busy,
  not_a_device: m.printer_not_a_device,
}

/**
 * Messages for the causes that a queue or a printer with IPP may report. IPP has more causes, and some need other
 * messages.
 */
const ippCauses: Causes = {
  ...causes,
  ribbon_out: m.printer_supply_out,
  jammed: m.printer_jammed,
  paused: m.printer_queue_paused,
  stopped: m.printer_queue_paused,
  offline: m.printer_device_off,
  not_accepting: m.printer_not_accepting,
  media_unsupported: m.printer_media_unsupported,
  format_unsupported: m.printer_format_unsupported,
  not_allowed: m.printer_not_allowed,
  no_queue: m.printer_no_queue,
  not_ipp: m.printer_not_ipp,
  needs_tls: m.printer_needs_tls,
  certificate: m.printer_certificate,
  silent: m.printer_no_answer,
  bad_address: m.printer_uri_wrong,
  ECONNREFUSED: m.printer_no_service,
}

const usualTest: TestWords = { ready: m.printer_ready, silent: m.printer_silent, causes }

const queueStates: Record<PrintQueues['queues'][number]['state'], () => string> = {
  idle: m.printer_queue_idle,
  processing: m.printer_queue_processing,
  stopped: m.printer_queue_stopped,
  unknown: m.printer_queue_unknown,
}

/** How each kind of printer is set up, in the order in which the kinds are offered. */
export const printerKinds: { readonly [K in PrinterKind]: KindRow<SettingsOf<K>> } = {
  windows: {
    about: m.printer_kind_windows_text,
    faults: ({ forms }) => windowsFaults(forms.windows),
    settings: ({ fields, forms }) => windowsSettings(forms.windows, fields.dpi),
    fill({ fields, forms }, settings) {
      fields.dpi = settings.dpi
      Object.assign(forms.windows, windowsForm(settings))
    },
    where: ({ queue }) => m.printer_where({ kind: m.printer_where_here(), where: queue }),
    test: usualTest,
    found: {
      isNeeded: true,
      list: ({ windows }) =>
        windows?.map(({ name, makeAndModel, isReady }) => ({
          address: name,
          name,
          makeAndModel,
          state: isReady ? m.printer_queue_idle : m.printer_queue_not_ready,
        })) ?? null,
      choose(forms, address) {
        forms.windows.queue = address
      },
      chosen: (forms) => forms.windows.queue,
    },
  },
  zpl: {
    about: m.printer_kind_zpl_text,
    faults: ({ fields, forms }) => ({ ...addressFaults(fields), ...zplFaults(forms.zpl) }),
    settings({ fields, forms }) {
      const address = addressOf(fields)
      return address && zplSettings(forms.zpl, { ...address, dpi: fields.dpi })
    },
    fill({ fields, forms }, settings) {
      Object.assign(fields, addressForm(settings), { dpi: settings.dpi })
      Object.assign(forms.zpl, zplForm(settings))
    },
    where: ({ device, host }) => m.printer_where({ kind: printerKindName.zpl(), where: device ?? host }),
    test: { ...usualTest, silent: m.printer_silent_zpl },
  },
  escpos: {
    about: m.printer_kind_escpos_text,
    faults: ({ fields }) => addressFaults(fields),
    settings({ fields, forms }) {
      const address = addressOf(fields)
      return address && { kind: 'escpos', ...address, ...forms.escpos, dpi: fields.dpi }
    },
    fill({ fields, forms }, settings) {
      Object.assign(fields, addressForm(settings), { dpi: settings.dpi })
      Object.assign(forms.escpos, escposForm(settings))
    },
    where: ({ device, host }) => m.printer_where({ kind: printerKindName.escpos(), where: device ?? host }),
    test: usualTest,
  },
  ipp: {
    about: m.printer_kind_ipp_text,
    faults: ({ forms }) => ippFaults(forms.ipp),
    settings: ({ fields, forms }) => ippSettings(forms.ipp, fields.dpi),
    fill({ fields, forms }, settings) {
      fields.dpi = settings.dpi
      Object.assign(forms.ipp, ippForm(settings))
    },
    where({ uri }) {
      const queue = /^ipps?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?\/printers\/(.+)$/.exec(uri)?.[1]
      return queue === undefined
        ? m.printer_where({ kind: printerKindName.ipp(), where: uri.replace(/^ipps?:\/\//, '') })
        : m.printer_where({ kind: m.printer_where_here(), where: queue })
    },
    test: { ...usualTest, causes: ippCauses },
    found: {
      isNeeded: false,
      list: ({ queues }) =>
        queues.map(({ name, uri, makeAndModel, state }) => ({
          address: uri,
          name,
          makeAndModel,
          state: queueStates[state],
        })),
      choose(forms, address) {
        forms.ipp.uri = address
      },
      chosen: (forms) => forms.ipp.uri,
    },
  },
  folder: {
    about: m.printer_kind_folder_text,
    taken: m.printer_kind_folder_taken,
    faults: () => ({}),
    settings: () => ({ kind: 'folder' }),
    fill: () => undefined,
    where: m.printer_where_folder,
    test: { ...usualTest, ready: m.printer_ready_folder, refused: m.printer_folder_refused },
  },
}

export const kindsInOrder = Object.keys(printerKinds) as PrinterKind[]

/** Returns the row of `printerKinds` for the kind of the given settings. Its methods accept these settings. */
export function rowOf({ kind }: PrinterSettings): KindRow<PrinterSettings> {
  return printerKinds[kind]
}
