import { commandTypes, type WriteKinds, writeKinds } from './writes.ts'
import type { LabelKindParts } from './labels/label-kind.ts'
import { LabelDocuments } from './paper/label-documents.ts'
import { LabelReader } from './labels/label-reader.ts'
import { LateWatch, createRaiseNotice, OtherDesks } from './outbox/later-looks.ts'
import type { Line } from './service/line.ts'
import { Outbox } from './outbox/outbox.ts'
import type { Pace } from './outbox/command-waits.ts'
import type { Subject } from './ports/commands.ts'
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
  readonly subjectMoved: (subject: Subject) => void
  readonly changed: () => void
  readonly onFault: (error: unknown) => void
}

/** What becomes of a write: sent, its PDF fetched and printed, watched for what turns up afterwards. */
export interface Chain {
  readonly kinds: WriteKinds
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
  const { documents, reader } = paper
  const typeParts = typePartsOf(parts)
  const kinds = writeKinds(typeParts)
  const types = commandTypes(kinds)
  const noticed = createRaiseNotice(store.queue, parts.clock, parts.changed)
  const looks = { ...parts, store: store.outbox, types, lists: recentLists(typeParts), noticed }
  const otherDesks = new OtherDesks(looks)
  const lateWatch = new LateWatch(looks)
  const outbox = new Outbox({
    ...parts,
    store: store.outbox,
    types,
    noticed,
    moved(subject, answer) {
      parts.subjectMoved(subject)
      lateWatch.kick()
      if (answer?.documentAddress) documents.fetch(subject.id, answer.documentAddress)
      else if (subject.kind === 'return_label') reader.refresh(subject.id)
    },
    arrived: () => otherDesks.kick(),
  })
  return { ...paper, kinds, outbox, lateWatch, otherDesks }
}

/** The PDF into the vault, the paper out of the printer. */
function connectPaper(parts: ChainParts): Pick<Chain, 'documents' | 'prints' | 'reader'> {
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

function typePartsOf({ store, api, session, clock }: ChainParts): LabelKindParts {
  const { labels, modifications, catalogue } = store
  return {
    api,
    session,
    labels,
    modifications,
    catalogue,
    nameVariant(id) {
      const variant = catalogue.variant(id)?.variant
      return variant ? { name: variant.name, articleCode: variant.article_code } : null
    },
    now: () => clock.now(),
    ticks: () => clock.ticks(),
  }
}
