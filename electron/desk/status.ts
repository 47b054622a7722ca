import type { DeskStatus } from '#shared/bridge/views.ts'
import { isoTime } from './iso-time.ts'
import { toFailureView } from './label-view.ts'
import type { Line } from './line.ts'
import type { OutboxStore, SubjectKind } from './ports/commands.ts'
import type { PrintJobStore } from './ports/print-jobs.ts'
import type { PrintQueue } from './print-queue.ts'
import type { Catalogue } from './catalogue.ts'
import type { IndexWalker } from './index-walker.ts'

export interface StatusParts {
  readonly line: Line
  readonly commands: OutboxStore
  /** What a write is about, in a few words, by the kind and the id of its subject. */
  readonly titles: Readonly<Record<SubjectKind, (id: string) => string>>
  readonly jobs: PrintJobStore
  readonly prints: PrintQueue
  readonly folder: string | null
  readonly index: Pick<IndexWalker<never>, 'view'>
  readonly labelIndex: Pick<IndexWalker<never>, 'view'>
  readonly catalogue: Pick<Catalogue, 'view'>
}

/** The status bar's whole state. */
export function deskStatus({
  line,
  commands,
  titles,
  jobs,
  prints,
  folder,
  index,
  labelIndex,
  catalogue,
}: StatusParts): DeskStatus {
  return {
    line: line.view(),
    waitingWrites: commands.open().map((command) => ({
      commandId: command.id,
      subject: command.subject,
      type: command.type,
      state: command.state,
      since: isoTime(command.stateAt),
      title: titles[command.subject.kind](command.subject.id),
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
    index: indexView(index, labelIndex),
    catalogue: catalogue.view(),
  }
}

function indexView(index: StatusParts['index'], labelIndex: StatusParts['index']): DeskStatus['index'] {
  const { rows, state, syncing } = index.view()
  const labels = labelIndex.view()
  return {
    shipments: rows,
    labels: labels.rows,
    reachesBackTo: state && isoTime(state.oldest),
    syncedAt: state && isoTime(state.syncedAt),
    syncing: syncing || labels.syncing,
  }
}
