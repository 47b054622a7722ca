import type { Instant } from '#shared/domain/instants.ts'
import type { Subject } from '#shared/writes/write-kinds.ts'
import type { DeskStatus, WaitingWrite } from '#shared/bridge/views.ts'
import { isOpen } from '#shared/domain/command-state.ts'
import { isoTime, toFailureView } from './view-parts.ts'
import type { Line } from './service/line.ts'
import { asksAboutPrint } from '#shared/domain/print-job.ts'
import type {
  CommandHead,
  OutboxStore,
  NoticeHead,
  NoticeRow,
  QueueStore,
  UnsettledCounts,
} from './ports/commands.ts'
import type { PrintCounts, PrintJobRow, PrintJobStore } from './ports/print-jobs.ts'
import type { Outbox } from './outbox/outbox.ts'
import { questionOf, toNoticeViews } from './queue/queue-lines.ts'
import type { PrintQueue } from './paper/print-queue.ts'
import type { Catalogue } from './catalogue/catalogue.ts'
import type { IndexWalker } from './shipments/index-walker.ts'
import type { WriteFacts } from './outbox/command-type.ts'
import type { Storage } from './storage.ts'

type Notices = Pick<QueueStore, 'noticeCounts' | 'noticeHeads' | 'noticeRecords'>

interface StatusParts {
  readonly line: Line
  readonly commands: Pick<OutboxStore, 'unsettledHeads' | 'unsettledCounts'>
  readonly outbox: Pick<Outbox, 'certainAt'>
  readonly queue: Notices
  readonly factsOf: (subject: Subject) => WriteFacts | null
  readonly jobs: PrintJobStore
  readonly prints: PrintQueue
  readonly index: Pick<IndexWalker<never>, 'view'>
  readonly labelIndex: Pick<IndexWalker<never>, 'view'>
  readonly catalogue: Pick<Catalogue, 'view'>
  readonly storage: Pick<Storage, 'failure'>
}

/**
 * Returns the content of the status bar. The desk calls this function at each change of its state. To keep it fast, it
 * reads only those notices that the bar shows.
 */
export function deskStatus({
  line,
  commands,
  outbox,
  queue,
  factsOf,
  jobs,
  prints,
  index,
  labelIndex,
  catalogue,
  storage,
}: StatusParts): DeskStatus {
  const unsettled = commands.unsettledHeads()
  const viewOf = (command: CommandHead): WaitingWrite =>
    toWaitingWrite(command, factsOf(command.subject), outbox.certainAt(command))
  const { approved = 0, ...others } = queue.noticeCounts()
  const waitingPrints = jobs.listed().map((job) => toWaitingPrint(job, factsOf))
  const morePrints = withoutListed(jobs.openCounts(), waitingPrints)
  return {
    line: line.view(),
    waitingWrites: unsettled.filter(({ state }) => isOpen(state)).map(viewOf),
    refusedWrites: unsettled.filter(({ state }) => state === 'rejected').map(viewOf),
    unsent: toUnsent(commands.unsettledCounts()),
    notices: Object.values(others).reduce((sum, count) => sum + count, 0),
    twice: others.other_desk ? oldestTwice(queue, factsOf) : null,
    decided: {
      disapproved: others.disapproved ? disapprovedViews(queue, factsOf) : [],
      approved: approved > 0 ? approvedView(queue, factsOf, approved) : null,
    },
    waitingPrints,
    ...(morePrints && { morePrints }),
    printer: printerView(prints),
    index: indexView(index, labelIndex),
    catalogue: catalogue.view(),
    backup: toFailureView(storage.failure),
  }
}

type WaitingPrint = DeskStatus['waitingPrints'][number]

function toWaitingPrint(
  { id, labelId, state, stateAt, hold }: PrintJobRow,
  factsOf: StatusParts['factsOf'],
): WaitingPrint {
  return {
    jobId: id,
    labelId,
    title: factsOf({ kind: 'return_label', id: labelId })?.title ?? '',
    state,
    asks: asksAboutPrint(state, hold !== null),
    since: isoTime(stateAt),
  }
}

/**
 * Returns two numbers of open prints that are not in `listed`: prints that wait for an operator, and other prints.
 * Null: all open prints are in `listed`.
 */
function withoutListed(all: PrintCounts, listed: readonly WaitingPrint[]): PrintCounts | null {
  const listedAsking = listed.filter(({ asks }) => asks).length
  const asking = all.asking - listedAsking
  const waiting = all.waiting - (listed.length - listedAsking)
  return asking + waiting > 0 ? { asking, waiting } : null
}

/** Returns the state of the printer for return labels. */
function printerView(prints: PrintQueue): DeskStatus['printer'] {
  const { name, title, folder } = prints.usual
  const { state, failure } = prints.conditionOf(name)
  return { name, title, folder, state, failure: toFailureView(failure) }
}

/**
 * Maximum number of notices to read. The status shows the first notice whose subject this desk has; the queue shows the
 * other notices.
 */
const mostLooked = 20

function oldestTwice(queue: Notices, factsOf: StatusParts['factsOf']): DeskStatus['twice'] {
  const heads = queue.noticeHeads('other_desk', 'oldest', mostLooked)
  const [oldest] = heads.filter(({ subject }) => factsOf(subject) !== null)
  if (!oldest) return null
  const [view] = toNoticeViews([{ ...oldest, records: queue.noticeRecords(oldest.id) }], factsOf)
  return view ?? null
}

/**
 * Maximum number of disapproved bookings in the status. A few are enough: the window shows one of them at a time, with
 * their number.
 */
const mostDisapproved = 20

type Decided = DeskStatus['decided']

function disapprovedViews(queue: Notices, factsOf: StatusParts['factsOf']): Decided['disapproved'] {
  return toNoticeViews(
    queue.noticeHeads('disapproved', 'oldest', mostDisapproved).map(withoutRecords),
    factsOf,
  )
}

function approvedView(queue: Notices, factsOf: StatusParts['factsOf'], count: number): Decided['approved'] {
  const [last] = toNoticeViews(queue.noticeHeads('approved', 'newest', 1).map(withoutRecords), factsOf)
  return last ? { count, last } : null
}

/**
 * Adds an empty list of records to a notice about a decision of the warehouse. The status of the desk shows the booking
 * of such a notice, but no records.
 */
function withoutRecords(head: NoticeHead): NoticeRow {
  return { ...head, records: [] }
}

function toWaitingWrite(
  command: CommandHead,
  facts: WriteFacts | null,
  certainAt: Instant | null,
): WaitingWrite {
  return {
    commandId: command.id,
    subject: command.subject,
    type: command.type,
    state: command.state,
    since: isoTime(command.stateAt),
    title: facts?.title ?? '',
    brief: facts?.brief ?? null,
    needsOperator: command.needsOperator,
    question: questionOf(command),
    certainAt: certainAt === null ? null : isoTime(certainAt),
    failure: toFailureView(command.failure),
  }
}

function toUnsent({ waiting, asking, oldest }: UnsettledCounts): DeskStatus['unsent'] {
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
