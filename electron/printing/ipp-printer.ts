import type {
  PrinterCondition,
  PrinterPort,
  PrintEvidence,
  PrintOutcome,
  PrintRequest,
} from '#desk/ports/printers.ts'
import type { Bitmap } from '#labels/pixels/bitmap.ts'
import { plainLayout, type SettingsOf } from '#shared/bridge/printer-views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import { type DriverResult, outcomeOf, printersWords } from './driver-result.ts'
import {
  ippAddress,
  type IppSession,
  ippSession,
  type IppTimeouts,
  isOnThisComputer,
  operations,
  printerBehind,
} from './ipp-client.ts'
import { askCondition, type IppCondition, repeatingPolicy } from './ipp-condition.ts'
import { documentFor, type IppDocument } from './ipp-document.ts'
import { type FollowTimeouts, printJob } from './ipp-job.ts'
import { jobOf, jobQuestion, verdictOf } from './ipp-job-report.ts'
import { chooseMedia, type ChosenMedia } from './ipp-media.ts'
import { groupsOf, groupTags, textOf, textsOf, whole, words } from './ipp-message.ts'
import { preparePlaced } from './prepare-pages.ts'
import type { PrinterNaming } from './raw-printer.ts'

export type IppPrinterTimeouts = IppTimeouts & FollowTimeouts

const standardTimeouts: IppPrinterTimeouts = {
  connectMs: 3_000,
  stallMs: 15_000,
  sendMs: 300_000,
  answerMs: 15_000,
  pollMs: 500,
  pendingMs: 10_000,
  pageMs: 60_000,
  jobMs: 300_000,
  faultMs: 10_000,
  lostMs: 10_000,
}

/** The names of the printer, and the settings of the printer (printer-views.ts). */
export type IppPrinterOptions = PrinterNaming &
  Readonly<Omit<SettingsOf<'ipp'>, 'kind' | 'dpi'>> & {
    readonly dpi: number
    readonly timeouts?: IppPrinterTimeouts
  }

/** Maximum number of ended jobs that one query requests from a printer, to find jobs of this desk among them. */
const mostJobs = 500

/**
 * Creates the driver of an IPP printer or of a CUPS queue. Refused: the failure occurred before any byte of the
 * document was sent, or the response shows that the document was not accepted. Confirmed: a printer (never a queue)
 * completed the job, counted every page, and had no fault afterwards (ipp-job.ts). Sent: a printer completed the job
 * without a fault, but did not count the pages or had not finished them. Spooled: a queue passed the job on, or the job
 * waits and will be printed. The outcome is unknown if the job ended in another way, a fault occurred during the job,
 * or the response was lost. The driver never sends a job again.
 */
export function createIppPrinter(options: IppPrinterOptions): PrinterPort {
  const { uri, media: paper, dpi, name, title = name, layout = plainLayout, ...rest } = options
  const { timeouts = standardTimeouts, ...unused } = rest
  // the compiler reports an error here if this function leaves a setting unused
  void (unused satisfies Record<string, never>)
  const address = ippAddress(uri)
  const session = address && ippSession(address, timeouts)
  /** Returns the printer's state, or the reason why it would not print. */
  async function ready(): Promise<{ condition: IppCondition; session: IppSession } | { cause: string }> {
    if (!session) return { cause: 'bad_address' }
    const condition = await askCondition(session)
    if ('kind' in condition) return condition
    const cause = await causeNow(condition)
    return cause === null ? { condition, session } : { cause }
  }

  /**
   * Returns the reason why the printer would not print now; null if it would print. A queue learns the state of its
   * printer only when it prints. Therefore the printer itself is queried too, if its address is known.
   */
  async function causeNow({ isQueue, cause, attributes }: IppCondition): Promise<string | null> {
    if (cause !== null || !isQueue || !address) return cause
    const device = printerBehind(address, textOf(attributes, 'device-uri') ?? '')
    if (!device) return null
    const printer = await askCondition(ippSession(device, timeouts))
    if (!('kind' in printer)) return printer.cause
    // a queue on another computer may reach a printer that this computer cannot reach, so a failed query of the printer
    // counts only for local queues
    return isOnThisComputer(address) && isUnreachable(printer.cause) ? 'offline' : null
  }

  async function send(request: PrintRequest, looked: readonly Bitmap[]): Promise<PrintOutcome> {
    const now = await ready()
    if ('cause' in now) return outcomeOf({ kind: 'refused', cause: now.cause }, title)
    const { attributes } = now.condition
    const media = chooseMedia(paper, textsOf(attributes, 'media-supported'))
    if (!media) return outcomeOf({ kind: 'refused', cause: 'media_unsupported' }, title)
    const document = await drawn(request, media, { attributes, dpi, looked })
    // this document is not the cause: the printer supports no format of the desk, so it would refuse each document
    if (document === null) return outcomeOf({ kind: 'refused', cause: 'format_unsupported' }, title)
    if ('failure' in document) return { kind: 'refused', failure: document.failure, isOfDocument: true }
    const terms = { name: request.jobId, media, document, dpi, printer: now.condition, timeouts }
    return outcomeOf(await printJob(now.session, terms), title)
  }

  return {
    name,
    title,
    folder: null,
    prepare(request) {
      const size = chooseMedia(paper, [])
      return preparePlaced(request, { size, dpi, layout }, send)
    },
    async status() {
      const now = await ready()
      if ('cause' in now) return refusedNow(title, now.cause)
      const policy = repeatingPolicy(now.condition)
      if (policy === null) return { state: 'ready', failure: null }
      return { state: 'ready', failure: failure('printer.prints_again', { printer: title, policy }) }
    },
    async lookFor(requests) {
      const found = new Map<string, PrintEvidence>()
      const resultOf = session && requests.length > 0 ? await endedResults(session) : null
      for (const { jobId } of resultOf ? requests : []) {
        const result = resultOf?.(jobId)
        if (result?.kind === 'confirmed')
          found.set(jobId, { evidence: printersWords(result.evidence), file: null })
      }
      return found
    },
  }
}

function refusedNow(printer: string, cause: string): PrinterCondition {
  return { state: 'refused', failure: failure('printer.refused', { printer, cause }) }
}

async function drawn(
  request: PrintRequest,
  media: ChosenMedia,
  printer: Parameters<typeof documentFor>[2],
): Promise<IppDocument | Pick<CataloguedError, 'failure'> | null> {
  try {
    return await documentFor(request, media, printer)
  } catch (error) {
    return error instanceof CataloguedError ? error : { failure: failure('document.unreadable') }
  }
}

/**
 * Queries at most `mostJobs` ended jobs. Returns null if a query of the printer fails. Otherwise returns a function
 * that finds the result of a job by its name. This result is the same as if the desk had watched the job. The returned
 * function returns null if no ended job or several ended jobs have the name, or if the job does not report its number
 * of pages.
 */
async function endedResults(session: IppSession): Promise<((name: string) => DriverResult | null) | null> {
  const answer = await session.ask({
    operation: operations.getJobs,
    attributes: [
      words('keyword', 'which-jobs', 'completed'),
      { name: 'my-jobs', values: [{ type: 'boolean', value: false }] },
      whole('limit', mostJobs),
      words('keyword', 'requested-attributes', ...jobQuestion),
    ],
  })
  if (answer.kind !== 'done') return null
  const printer = await askCondition(session)
  if ('kind' in printer) return null
  const byName = Map.groupBy(groupsOf(answer.message, groupTags.job).map(jobOf), ({ name }) => name)
  return (name) => {
    const [found, another] = byName.get(name) ?? []
    return found?.pages && !another ? verdictOf(found, { pages: found.pages, printer }) : null
  }
}

function isUnreachable(cause: string): boolean {
  return /^(ECONNREFUSED|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENOTFOUND|connect_timeout)$/.test(cause)
}
