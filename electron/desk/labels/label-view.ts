import type { PrintJobView, ReturnLabelView } from '#shared/bridge/label-views.ts'
import { toFailureView } from '../failure-view.ts'
import { printerTitle } from '../paper/printer-title.ts'
import { isoTime } from '../timing/iso-time.ts'
import type { LabelRow } from '../ports/label-ledger.ts'
import type { PrintJobRow } from '../ports/print-jobs.ts'
import type { PrintersPort } from '../ports/printers.ts'
import { countTold } from '../told.ts'

/** A label of the ledger as the screens show it; `failure` is the first thing that keeps its chain from going on. */
export function toLabelView(label: LabelRow, printers: Pick<PrintersPort, 'named'>): ReturnLabelView {
  const { create, patch, request, cancel, print } = label
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
    // without a command of ours it exists all the same
    create: create?.state ?? 'done',
    patch: patch?.state ?? null,
    request: request?.state ?? null,
    cancel: cancel?.state ?? null,
    requested: label.requested,
    cancelled: label.cancelled,
    stored: label.documentHash !== null,
    print: print && toPrintView(print, printers),
    failure: toFailureView(label.trouble ?? label.documentFailure ?? print?.failure ?? null),
    createdAt: isoTime(label.createdAt),
    asOf: label.asOf === null ? null : isoTime(label.asOf),
    told: countTold(),
  }
}

/** What a label is called where one line must do. */
export function labelTitle(label: LabelRow): string {
  const { shipmentReference, externalReference, wishedReference, sender } = label
  return shipmentReference ?? sender?.addressed_to ?? externalReference ?? wishedReference ?? ''
}

function toPrintView(job: PrintJobRow, printers: Pick<PrintersPort, 'named'>): PrintJobView {
  return {
    id: job.id,
    state: job.state,
    printer: job.printer,
    printerTitle: printerTitle(printers, job.printer),
    file: job.file,
    isReprint: job.isReprint,
    unlisted: [...job.unlisted],
    at: isoTime(job.stateAt),
    failure: toFailureView(job.failure),
  }
}
