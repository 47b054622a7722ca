import type { Subject } from '#shared/writes/write-kinds.ts'
import type { DeskCore } from './desk-core.ts'
import type { DeskPorts, DeskTuning } from './desk-ports.ts'
import { Signal } from './events.ts'
import { LabelReader } from './labels/label-reader.ts'
import type { DecisionWatch } from './modifications/decision-watch.ts'
import { ModificationDrafts, Modifications } from './modifications/modifications.ts'
import type { WriteFacts } from './outbox/command-type.ts'
import { createRaiseNotice, LateWatch, OtherDesks } from './outbox/later-looks.ts'
import { Outbox } from './outbox/outbox.ts'
import { recentLists } from './outbox/recent-lists.ts'
import { preflight } from './paper/drawn-print.ts'
import { LabelDocuments } from './paper/label-documents.ts'
import type { DocumentLoss } from './paper/print-line.ts'
import { PrintQueue } from './paper/print-queue.ts'
import { commandTypes, kindOf, type WriteKinds, writeKinds } from './writes.ts'

/**
 * Connects the steps of a write: the outbox sends the write, the PDF of a return label is downloaded and printed, and
 * repeated looks detect effects that arrive late.
 */
export interface Chain extends Paper, Sending {
  readonly modifications: Modifications
  readonly kinds: WriteKinds
  /** Describes the subject of a write for the operator. Returns null if this desk no longer has the subject. */
  readonly factsOf: (subject: Subject) => WriteFacts | null
}

interface Paper {
  readonly documents: LabelDocuments
  readonly prints: PrintQueue
  readonly reader: LabelReader
}

interface Sending {
  readonly outbox: Outbox
  readonly lateWatch: LateWatch
  readonly otherDesks: OtherDesks
}

/**
 * Connects the steps of a write. A return label is created, requested, downloaded as a PDF and printed; each step
 * passes it to the next step. A booking is only sent.
 */
export function connectChain(
  ports: DeskPorts,
  core: DeskCore,
  decisions: Pick<DecisionWatch, 'arrived'>,
  tuning: DeskTuning,
): Chain {
  const paper = connectPaper(ports, core, tuning)
  // `modifications` uses the outbox, but is created first, because the outbox uses it to take a modification back out
  // of the queue; a Signal connects the two
  const booked = new Signal()
  const modifications = createModifications(ports, core, { retryNow: booked.emit }, tuning)
  const kinds = createKinds(ports, core, paper, modifications, decisions)
  const { outbox, lateWatch, otherDesks } = connectSending(ports, core, kinds, tuning)
  booked.on(() => outbox.retryNow())
  return {
    documents: paper.documents,
    prints: paper.prints,
    reader: paper.reader,
    modifications,
    kinds,
    factsOf: (subject) => kindOf(kinds, subject).describe(subject.id),
    outbox,
    lateWatch,
    otherDesks,
  }
}

/** Connects the download and the storage of PDFs with the print queue. */
function connectPaper(
  { api, store, printers, clock }: DeskPorts,
  { session, line, labelMoved, changed }: DeskCore,
  { onFault }: DeskTuning,
): Paper {
  const { labels, labelIndex, vault, printJobs: jobs } = store
  // the print queue is created before the downloads of PDFs, because the downloads call it; the queue uses this signal
  // to report a lost PDF, which the downloads then fetch again
  const documentLost = new Signal<DocumentLoss>()
  const prints = new PrintQueue({
    jobs,
    labels,
    vault,
    printers,
    clock,
    check: (job, prepared) => preflight({ labels, labelIndex, jobs }, job, prepared),
    moved: labelMoved,
    printerChanged: changed,
    documentLost: documentLost.emit,
    onFault,
  })
  const documents = new LabelDocuments({
    api,
    session,
    labels,
    vault,
    clock,
    line,
    printers,
    moved(labelId) {
      labelMoved(labelId)
      prints.kick()
    },
    onFault,
  })
  documentLost.on((loss) => documents.lost(loss))
  const reader = new LabelReader({ api, session, labels, documents, line, clock, moved: labelMoved, onFault })
  return { documents, prints, reader }
}

function createModifications(
  { store, api, clock }: DeskPorts,
  { session, modificationMoved }: DeskCore,
  outbox: Pick<Outbox, 'retryNow'>,
  { onFault }: DeskTuning,
): Modifications {
  const { draft: drafts, locations, catalogue, modifications: ledger } = store
  return new Modifications({
    drafts: new ModificationDrafts({ drafts, locations, catalogue, bookings: ledger }),
    ledger,
    outbox,
    draftStore: drafts,
    commands: store.outbox,
    queue: store.queue,
    session,
    api,
    clock,
    moved: modificationMoved,
    onFault,
  })
}

function createKinds(
  { store, api, clock }: DeskPorts,
  { session, pageLimit, labelMoved, modificationMoved }: DeskCore,
  { documents, reader }: Paper,
  modifications: Modifications,
  decisions: Pick<DecisionWatch, 'arrived'>,
): WriteKinds {
  const { catalogue, values, labelIndex } = store
  return writeKinds({
    api,
    session,
    pageLimit,
    ledgers: store,
    labelIndex,
    catalogue,
    values,
    documents,
    reader,
    takeBack: (id) => modifications.takeBack({ id }),
    nameVariant(id) {
      const variant = catalogue.variant(id)?.variant
      return variant ? { name: variant.name, articleCode: variant.article_code } : null
    },
    labelMoved,
    modificationMoved,
    arrived: (id) => decisions.arrived(id),
    now: () => clock.now(),
    ticks: () => clock.ticks(),
  })
}

/** Connects the outbox with the later looks, which read the service again after a write has ended. */
function connectSending(
  { store, api, clock }: DeskPorts,
  { session, pageLimit, line, changed }: DeskCore,
  kinds: WriteKinds,
  { quietMs, pace, onFault }: DeskTuning,
): Sending {
  const commands = store.outbox
  const types = commandTypes(kinds)
  const lists = recentLists({ api, session, pageLimit, now: () => clock.now() })
  const noticed = createRaiseNotice(store.queue, clock, changed)
  const otherDesks = new OtherDesks({
    store: commands,
    types,
    lists,
    session,
    line,
    clock,
    quietMs,
    noticed,
    onFault,
  })
  const lateWatch = new LateWatch({ store: commands, types, lists, session, line, clock, noticed, onFault })
  const outbox = new Outbox({
    store: commands,
    types,
    session,
    clock,
    line,
    quietMs,
    pace,
    moved(subject, answer) {
      kindOf(kinds, subject).moved(subject.id, answer)
      changed()
      lateWatch.kick()
    },
    arrived: () => otherDesks.kick(),
    noticed,
    onFault,
  })
  return { outbox, lateWatch, otherDesks }
}
