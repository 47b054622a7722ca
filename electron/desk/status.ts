import type { DeskStatus } from '#shared/bridge/views.ts'
import { isOpen } from '#shared/domain/command-state.ts'
import { isoTime } from './timing/iso-time.ts'
import { toFailureView } from './failure-view.ts'
import type { Line } from './service/line.ts'
import { isAsking } from '#shared/domain/queue-rules.ts'
import type { CommandRow, OutboxStore, Subject } from './ports/commands.ts'
import type { PrintJobStore } from './ports/print-jobs.ts'
import type { QueueStore } from './ports/queue-store.ts'
import type { PrintQueue } from './paper/print-queue.ts'
import type { Catalogue } from './catalogue/catalogue.ts'
import type { IndexWalker } from './shipments/index-walker.ts'
import type { WriteFacts } from './queue/write-briefs.ts'

export interface StatusParts {
  readonly line: Line
  readonly commands: OutboxStore
  readonly queue: Pick<QueueStore, 'countNotices'>
  readonly factsOf: (subject: Subject) => WriteFacts | null
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
  queue,
  factsOf,
  jobs,
  prints,
  folder,
  index,
  labelIndex,
  catalogue,
}: StatusParts): DeskStatus {
  const unsettled = commands.unsettled()
  const open = unsettled.filter(({ state }) => isOpen(state))
  return {
    line: line.view(),
    waitingWrites: open.map((command) => ({
      commandId: command.id,
      subject: command.subject,
      type: command.type,
      state: command.state,
      since: isoTime(command.stateAt),
      title: factsOf(command.subject)?.title ?? '',
      needsOperator: command.needsOperator,
      failure: toFailureView(command.failure),
    })),
    unsent: countUnsent(unsettled, open.length),
    notices: queue.countNotices(),
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

function countUnsent(unsettled: readonly CommandRow[], waiting: number): DeskStatus['unsent'] {
  const asking = unsettled.filter(({ state, needsOperator }) => isAsking(state, needsOperator)).length
  const oldest = unsettled.reduce<number | null>(
    (at, one) => Math.min(at ?? one.createdAt, one.createdAt),
    null,
  )
  return { waiting, asking, oldest: oldest === null ? null : isoTime(oldest) }
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
