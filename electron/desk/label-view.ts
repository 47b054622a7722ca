import type { PrintJobView, ReturnLabelView } from '#shared/bridge/views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { isoTime } from './iso-time.ts'
import type { LabelRow, PrintJobRow } from './ports/store.ts'

/** A label of the ledger as the screens show it; `failure` is the first thing that keeps its chain from going on. */
export function toLabelView(label: LabelRow): ReturnLabelView {
  const { create, request, print } = label
  const inTheWay = create.failure ?? request.failure ?? label.documentFailure ?? print?.failure ?? null
  return {
    id: label.id,
    serverId: label.serverId,
    shipmentId: label.shipmentId,
    shipmentReference: label.shipmentReference,
    externalReference: label.externalReference,
    trackingCode: label.trackingCode,
    create: create.state,
    request: request.state,
    stored: label.documentHash !== null,
    print: print && toPrintView(print),
    failure: toFailureView(inTheWay),
    createdAt: isoTime(label.createdAt),
  }
}

function toPrintView(job: PrintJobRow): PrintJobView {
  return {
    id: job.id,
    state: job.state,
    printer: job.printer,
    file: job.file,
    isReprint: job.isReprint,
    at: isoTime(job.stateAt),
    failure: toFailureView(job.failure),
  }
}

export function toFailureView(failure: Failure | null): ReturnLabelView['failure'] {
  return failure && { code: failure.code, params: { ...failure.params } }
}
