import type { DeskStatus } from '#shared/bridge/views.ts'
import { isoTime } from './iso-time.ts'
import { toFailureView } from './label-view.ts'
import type { Line } from './line.ts'
import type { LabelLedger, OutboxStore, PrintJobStore } from './ports/store.ts'
import type { PrintQueue } from './print-queue.ts'
import type { ShipmentIndex } from './shipment-index.ts'

export interface StatusParts {
  readonly line: Line
  readonly commands: OutboxStore
  readonly labels: LabelLedger
  readonly jobs: PrintJobStore
  readonly prints: PrintQueue
  readonly folder: string | null
  readonly index: ShipmentIndex
}

/** The status bar's whole state. */
export function deskStatus({ line, commands, labels, jobs, prints, folder, index }: StatusParts): DeskStatus {
  return {
    line: line.view(),
    waitingWrites: commands.open().map((command) => ({
      commandId: command.id,
      labelId: command.labelId,
      type: command.type,
      state: command.state,
      since: isoTime(command.stateAt),
      subject: labels.get(command.labelId)?.shipmentReference ?? '',
      needsOperator: command.needsOperator,
      failure: toFailureView(command.failure),
    })),
    waitingPrints: jobs.open().map((job) => ({
      jobId: job.id,
      labelId: job.labelId,
      state: job.state,
      since: isoTime(job.stateAt),
    })),
    printer: { name: prints.printerName, state: prints.printerState, folder },
    index: index.view(),
  }
}
