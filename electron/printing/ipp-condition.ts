import { printersWords } from './driver-result.ts'
import { type IppAnswer, type IppSession, onlyGroup, operations } from './ipp-client.ts'
import { flagOf, groupTags, type IppAttributes, numberOf, textOf, textsOf, words } from './ipp-message.ts'

/** The attributes of a printer or a queue, and the reason why a job would not be printed now. */
export interface IppCondition {
  readonly attributes: IppAttributes
  /**
   * Whether the attributes are those of a CUPS queue. The attributes of a queue may contain an old state of the
   * printer.
   */
  readonly isQueue: boolean
  /** The number of the state: idle, printing or stopped; 0 if it is not reported. */
  readonly state: number
  readonly cause: string | null
  /** The state and its reasons as text, for example `printer-state 3 none`. */
  readonly text: string
}

const printerStates = { idle: 3, processing: 4, stopped: 5 } as const

/**
 * The attributes to query, including those that are needed to create a job. CUPS returns its own attributes only if
 * they are named.
 */
const asked = [
  ...['printer-state', 'printer-state-reasons', 'printer-is-accepting-jobs', 'operations-supported'],
  ...['document-format-supported', 'media-supported', 'media-col-supported', 'printer-resolution-supported'],
  ...['pwg-raster-document-type-supported', 'pwg-raster-document-resolution-supported'],
  ...['print-scaling-supported', 'sides-supported'],
  ...['printer-type', 'cups-version', 'printer-error-policy', 'device-uri'],
]

/** Queries the state and the capabilities of a printer or a queue. */
export async function askCondition(
  session: IppSession,
): Promise<IppCondition | Exclude<IppAnswer, { kind: 'done' }>> {
  const attributes = [words('keyword', 'requested-attributes', ...asked)]
  const answer = await session.ask({ operation: operations.getPrinterAttributes, attributes })
  if (answer.kind !== 'done') return answer
  const printer = onlyGroup(answer, groupTags.printer)
  return printer ? conditionOf(printer) : { kind: 'failed', cause: 'not_ipp', documentLeft: false }
}

/**
 * Interprets the attributes of a printer. Each fault counts, whatever its severity, because printers report missing
 * paper as an error, as a warning (while a job waits for paper) or as a report (while no job waits). An idle queue
 * reports the state of its printer at the end of the last job. Therefore only reasons about the queue itself count if
 * the queue is idle.
 */
function conditionOf(attributes: IppAttributes): IppCondition {
  const state = numberOf(attributes, 'printer-state') ?? 0
  const reasons = textsOf(attributes, 'printer-state-reasons')
  const isQueue = attributes.has('printer-type') || attributes.has('cups-version')
  const isAccepting = flagOf(attributes, 'printer-is-accepting-jobs') ?? true
  const isOld = isQueue && state === printerStates.idle
  const fault = faultIn(isOld ? reasons.filter((reason) => ownReasons.has(reason)) : reasons)
  const stopped = state === printerStates.stopped ? 'stopped' : null
  return {
    attributes,
    isQueue,
    state,
    cause: fault ?? stopped ?? (isAccepting ? null : 'not_accepting'),
    text: `printer-state ${String(state)} ${reasons.join(' ') || 'none'}`,
  }
}

/** Reasons that describe a queue and not its printer. */
const ownReasons = new Set(['paused', 'moving-to-paused', 'hold-new-jobs'])

/** Faults with their reasons, the most severe first, because the operator must solve the most severe fault first. */
const faults: readonly (readonly [cause: string, reasons: readonly string[]])[] = [
  ['cover_open', ['cover-open', 'door-open', 'interlock-open']],
  ['jammed', ['media-jam', 'cutter-jam']],
  ['paper_out', ['media-empty', 'media-needed', 'input-tray-missing']],
  ['ribbon_out', ['marker-supply-empty', 'marker-supply-missing', 'toner-empty', 'marker-ribbon-empty']],
  ['too_hot', ['fuser-over-temp']],
  ['offline', ['offline', 'shutdown', 'timed-out']],
  ['paused', ['paused', 'moving-to-paused', 'hold-new-jobs']],
  ['stopped', ['stopping', 'spool-area-full']],
  ['error', ['other-error', 'marker-failure', 'output-area-full', 'cups-missing-filter']],
]

/**
 * Returns the most severe fault among reasons such as `media-empty-error` (RFC 8011, 5.4.12; PWG 5100.9); null if none
 * of the reasons prevents printing.
 */
function faultIn(reasons: readonly string[]): string | null {
  const named = new Set(reasons.flatMap((reason) => [reason, reason.replace(/-(error|warning|report)$/, '')]))
  return faults.find(([, names]) => names.some((name) => named.has(name)))?.[0] ?? null
}

/**
 * Returns the error policy of a queue if the queue repeats jobs automatically; null for other policies. Such a queue
 * also repeats a job after a fault in the middle of a label, so the label may be printed twice.
 */
export function repeatingPolicy({ attributes, isQueue }: IppCondition): string | null {
  const policy = textOf(attributes, 'printer-error-policy') ?? ''
  return isQueue && policy.startsWith('retry-') ? printersWords(policy) : null
}
