import { commandTypes, type WriteKinds, type WriteParts, writeKinds } from './writes.ts'
import { LabelDocuments } from './paper/label-documents.ts'
import { LabelReader } from './labels/label-reader.ts'
import { LateWatch, createRaiseNotice, OtherDesks } from './outbox/later-looks.ts'
import type { Line } from './service/line.ts'
import { ModificationDrafts, Modifications } from './modifications/modifications.ts'
import { Outbox } from './outbox/outbox.ts'
import type { Pace } from './outbox/command-waits.ts'
import { preflight } from './paper/drawn-print.ts'
import { PrintQueue } from './paper/print-queue.ts'
import { recentLists } from './outbox/recent-lists.ts'
import type { Session } from './service/session.ts'
import type { DeskPorts } from './desk-ports.ts'

export interface ChainParts extends DeskPorts {
  readonly session: Session
  readonly line: Line
  readonly quietMs: number
  readonly pace: Pace
  readonly labelMoved: (labelId: string) => void
  readonly modificationMoved: (id: string) => void
  /** A booking may have come to the service, where it waits for a decision. */
  readonly arrived: (modificationId: string) => void
  readonly changed: () => void
  readonly onFault: (error: unknown) => void
}

/** What becomes of a write: sent, its PDF fetched and printed, watched for what turns up afterwards. */
export interface Chain {
  readonly kinds: WriteKinds
  readonly modifications: Modifications
  readonly outbox: Outbox
  readonly documents: LabelDocuments
  readonly prints: PrintQueue
  readonly reader: LabelReader
  readonly lateWatch: LateWatch
  readonly otherDesks: OtherDesks
}

/** Create and request, then the PDF, then the paper: each step hands the label to the next. */
export function connectChain(parts: ChainParts): Chain {
  const { store } = parts
  const paper = connectPaper(parts)
  const modifications = createModifications(parts, () => outbox.retryNow())
  const kindParts = kindPartsOf(parts, paper, modifications)
  const kinds = writeKinds(kindParts)
  const types = commandTypes(kinds)
  const noticed = createRaiseNotice(store.queue, parts.clock, parts.changed)
  const looks = { ...parts, store: store.outbox, types, lists: recentLists(kindParts), noticed }
  const otherDesks = new OtherDesks(looks)
  const lateWatch = new LateWatch(looks)
  const outbox = new Outbox({
    ...parts,
    store: store.outbox,
    types,
    noticed,
    moved({ kind, id }, answer) {
      kinds[kind].moved(id, answer)
      parts.changed()
      lateWatch.kick()
    },
    arrived: () => otherDesks.kick(),
  })
  return { ...paper, kinds, modifications, outbox, lateWatch, otherDesks }
}

/** The PDF into the vault, the paper out of the printer. */
function connectPaper(parts: ChainParts): Paper {
  const { store, labelMoved } = parts
  const { labels, vault, printJobs: jobs } = store
  const prints = new PrintQueue({
    ...parts,
    labels,
    vault,
    jobs,
    check: (job, prepared) => preflight({ ...store, jobs }, job, prepared),
    moved: labelMoved,
    printerChanged: parts.changed,
    documentLost({ labelId, documentHash, reason }) {
      labels.documentLost(labelId, documentHash)
      documents.print(labelId, reason)
    },
  })
  const documents = new LabelDocuments({
    ...parts,
    labels,
    vault,
    moved(labelId) {
      labelMoved(labelId)
      prints.kick()
    },
  })
  return { documents, prints, reader: new LabelReader({ ...parts, labels, documents, moved: labelMoved }) }
}

type Paper = Pick<Chain, 'documents' | 'prints' | 'reader'>

function kindPartsOf(parts: ChainParts, { documents, reader }: Paper, bookings: Modifications): WriteParts {
  const { store, api, session, clock, labelMoved, modificationMoved, arrived } = parts
  const { catalogue } = store
  return {
    ...store,
    ...{ api, session, documents, reader, labelMoved, modificationMoved, arrived },
    takeBack: (id) => bookings.takeBack({ id }),
    nameVariant(id) {
      const variant = catalogue.variant(id)?.variant
      return variant ? { name: variant.name, articleCode: variant.article_code } : null
    },
    now: () => clock.now(),
    ticks: () => clock.ticks(),
  }
}

/** `retryNow`: what is booked goes at once. */
function createModifications(parts: ChainParts, retryNow: () => void): Modifications {
  const { store, api, session, clock, modificationMoved: moved, onFault } = parts
  const { draft: drafts, locations, catalogue, modifications: ledger } = store
  return new Modifications({
    ...{ api, session, clock, ledger, moved, onFault },
    outbox: { retryNow },
    commands: store.outbox,
    queue: store.queue,
    draftStore: drafts,
    drafts: new ModificationDrafts({ drafts, locations, catalogue, bookings: ledger }),
  })
}
