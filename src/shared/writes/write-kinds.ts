import type { z } from 'zod'
import { modificationWrites } from './modification.ts'
import { returnLabelWrites } from './return-label.ts'

/**
 * The kinds of writes. A kind is a row of five tables, each of which the compiler completes, and a module in each room
 * that knows it:
 *
 *   here                              the names of its writes, its brief and its facts as data   src/shared/writes/
 *   desk/ports/store.ts    Ledgers    the port of the ledger that holds its subjects             electron/desk/ports/
 *   local/ledgers.ts       ledgers    that ledger: apply, how long it is kept                    electron/local/
 *   desk/writes.ts                    prepare, send, find, edit, whom a move concerns            electron/desk/
 *   features/queue/write-kinds.ts     its words                                                  src/features/queue/
 *
 * A write travels through modules that know no kind: the ledger writes its subject and a command row in one transaction;
 * the outbox prepares, sends and finds it by the kind's CommandType; what the service answers becomes facts, and the
 * ledger applies them in the transaction that ends the command; the queue shows it by its brief.
 */
export const writeKinds = {
  return_label: returnLabelWrites,
  modification: modificationWrites,
} satisfies Readonly<Record<string, WriteShape>>

/** A kind of write as data: what rests in desk.db, and what crosses to the window. */
interface WriteShape {
  /** What a write is about, by its id in the ledger of its kind. */
  readonly subject: z.ZodObject<{ kind: z.ZodLiteral<string>; id: z.ZodType<string> }>
  /** Its writes, by the names under which they rest in desk.db. */
  readonly types: Readonly<Record<string, WriteTraits>>
  /**
   * Whether a write that waits behind another of the same subject is pointless once that one failed. Left out: it always
   * is.
   */
  readonly fallsWith?: (waiting: string, failed: string) => boolean
  /** What a write does, in the facts an operator recognises it by. `kind` is the kind's own name. */
  readonly brief: z.ZodObject<{ kind: z.ZodLiteral<string> }>
  /** What an answer about its subject tells the ledger. */
  readonly facts: z.ZodObject<{ kind: z.ZodLiteral<string> }>
  /** As much of a brief as is stored with a question: no text and no list without an end. */
  readonly boundedBrief: (brief: never) => unknown
  /** References stay whole: adopting writes them down. */
  readonly boundedFacts: (facts: never) => unknown
  /** A brief with less in it; null: nothing can be left out. */
  readonly lessOf: (brief: never) => unknown
}

interface WriteTraits {
  /**
   * It makes something new at the service. A restored desk looks for its effect before it sends it, and after it arrived
   * the service is looked at for the same by another desk. Any other write leads to the same end when it is sent twice.
   */
  readonly creates: boolean
}

type Kinds = typeof writeKinds

/** What a write is about. */
export type SubjectKind = keyof Kinds
export const subjectKinds = Object.keys(writeKinds) as SubjectKind[]

export type Subject<K extends SubjectKind = SubjectKind> = {
  readonly [One in K]: Readonly<z.output<Kinds[One]['subject']>>
}[K]
export type SubjectId<K extends SubjectKind = SubjectKind> = Subject<K>['id']

export type WriteType<K extends SubjectKind = SubjectKind> = {
  readonly [One in K]: keyof Kinds[One]['types'] & string
}[K]

export type BriefOf<K extends SubjectKind> = { readonly [One in K]: z.infer<Kinds[One]['brief']> }[K]
export type WriteBrief = BriefOf<SubjectKind>

export type FactsOf<K extends SubjectKind> = { readonly [One in K]: z.infer<Kinds[One]['facts']> }[K]
/** What an answer tells the ledger of its subject. */
export type CommandFacts = FactsOf<SubjectKind>

/** What a kind does with its own briefs and facts. */
interface Bounds<K extends SubjectKind> {
  readonly boundedBrief: (brief: BriefOf<K>) => BriefOf<K>
  readonly boundedFacts: (facts: FactsOf<K>) => FactsOf<K>
  readonly lessOf: (brief: BriefOf<K>) => BriefOf<K> | null
}

const bounds: { readonly [K in SubjectKind]: Bounds<K> } = writeKinds

export function boundsOf<K extends SubjectKind>(kind: K): Bounds<K> {
  return bounds[kind]
}

/** Whether a write makes something new at the service (see WriteTraits). One that this version does not know does not. */
export function createsNew(kind: SubjectKind, type: string): boolean {
  return creationsOf(kind).includes(type)
}

export function creationsOf(kind: SubjectKind): string[] {
  const types: Readonly<Record<string, WriteTraits>> = writeKinds[kind].types
  return Object.keys(types).filter((type) => types[type]?.creates)
}

export function fallsWith(kind: SubjectKind, waiting: string, failed: string): boolean {
  const shape: WriteShape = writeKinds[kind]
  return shape.fallsWith?.(waiting, failed) ?? true
}
