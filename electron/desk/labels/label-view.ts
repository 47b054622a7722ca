import type { PrintJobView, ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { LabelFacts } from '#shared/domain/label-phase.ts'
import { labelState } from '#shared/domain/label-state.ts'
import { asksAboutPrint, isOnPaper, provesUnknownPrint } from '#shared/domain/print-job.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { toFailureView, isoTime, nextViewNumber } from '../view-parts.ts'
import { printerTitle, type PrintersPort } from '../ports/printers.ts'
import { questionOf } from '../queue/queue-lines.ts'
import type { CommandHead } from '../ports/commands.ts'
import type { LabelRow } from '../ports/label-ledger.ts'
import type { PrintJobRow } from '../ports/print-jobs.ts'

/** Returns the facts on which the state of a label depends. */
export function labelFacts(label: Omit<LabelRow, 'sender'>): LabelFacts {
  const { create, patch, request, cancel, print } = label
  return {
    // a label without a `create` command is from elsewhere, so it exists at the service already
    create: create?.state ?? 'done',
    patch: patch?.state ?? null,
    request: request?.state ?? null,
    cancel: cancel?.state ?? null,
    asked: label.asked !== null,
    requested: label.requested,
    cancelled: label.cancelled,
    stored: label.documentHash !== null,
    byHand: label.shipmentId === null,
    print: print && { state: print.state, isHeld: print.hold !== null, isFile: print.file !== null },
    failure: failureOf(label)?.code ?? null,
  }
}

/**
 * Returns the failure that stops this label. A failure of a command takes precedence over a failure of the download,
 * and a failure of the download over a failure of the print. Null: no failure stops the label.
 */
function failureOf({
  trouble,
  documentFailure,
  print,
}: Pick<LabelRow, 'trouble' | 'documentFailure' | 'print'>): Failure | null {
  return trouble ?? documentFailure ?? print?.failure ?? null
}

/** Converts a label of the ledger into the view of the screens. */
export function toLabelView(label: LabelRow, printers: Pick<PrintersPort, 'named'>): ReturnLabelView {
  const facts = labelFacts(label)
  const { create, patch, request, cancel, requested, cancelled, stored } = facts
  return {
    id: label.id,
    serverId: label.serverId,
    origin: label.origin,
    shipmentId: label.shipmentId,
    shipmentReference: label.shipmentReference,
    shippingMethodId: label.shippingMethodId,
    externalReference: label.externalReference ?? label.wishedReference,
    trackingCode: label.trackingCode,
    sender: label.sender,
    ...labelState(facts),
    asked: label.asked && toAskedWrite(label.asked),
    ...{ create, patch, request, cancel, requested, cancelled, stored },
    print: label.print && toPrintView(label.print, printers),
    failure: toFailureView(failureOf(label)),
    createdAt: isoTime(label.createdAt),
    asOf: label.asOf === null ? null : isoTime(label.asOf),
    told: nextViewNumber(),
  }
}

function toAskedWrite(command: CommandHead): NonNullable<ReturnLabelView['asked']> {
  return {
    commandId: command.id,
    since: isoTime(command.stateAt),
    question: questionOf(command),
    failure: toFailureView(command.failure),
  }
}

function toPrintView(job: PrintJobRow, printers: Pick<PrintersPort, 'named'>): PrintJobView {
  return {
    id: job.id,
    state: job.state,
    printer: job.printer,
    printerTitle: printerTitle(printers, job.printer),
    file: job.file,
    isReprint: job.isReprint,
    mayBeOnPaper: isOnPaper(job.state, false),
    asks: asksAboutPrint(job.state, job.hold !== null),
    scanProves: provesUnknownPrint(job),
    unlisted: [...job.unlisted],
    at: isoTime(job.stateAt),
    failure: toFailureView(job.failure),
  }
}
