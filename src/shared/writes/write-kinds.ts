import type { z } from 'zod'
import { modificationWrites } from './modification.ts'
import { returnLabelWrites } from './return-label.ts'

/**
 * The kinds of writes. A kind has a row in each of the following five tables, which the compiler checks for
 * completeness. Modules in the folders of the first four tables implement the kind.
 *
 * - src/shared/writes/write-kinds.ts: the names and schemas of its writes;
 * - electron/desk/ports/store.ts (`LedgerOfKind`): the port of the ledger that stores its subjects;
 * - electron/local/ledgers.ts: that ledger, how it stores responses, and how long it keeps rows;
 * - electron/desk/writes.ts: how its commands are prepared, sent, found and edited, and which callbacks report them;
 * - src/features/queue/write-kinds.ts: its texts.
 *
 * The modules through which every write passes do not depend on its kind. The ledger writes the subject and a command
 * row in one transaction. The outbox prepares, sends and finds the write by the kind's CommandType. The service's
 * response becomes facts, which the ledger applies in the transaction that ends the command. The queue shows the brief
 * of the write: its effect as the operator sees it.
 */
export const writeKinds = {
  return_label: returnLabelWrites,
  modification: modificationWrites,
} satisfies Readonly<Record<string, WriteShape>>

/** The schemas of a kind of write, for the data in desk.db and for the data that the window receives. */
interface WriteShape {
  /** The record that a write changes, identified by its id in the ledger of the kind. */
  readonly subject: z.ZodObject<{ kind: z.ZodLiteral<string>; id: z.ZodType<string> }>
  /** The writes of this kind, such as the creation of a label. Each key is the name of the write in desk.db. */
  readonly types: Readonly<Record<string, WriteTraits>>
  /**
   * Whether a waiting write becomes pointless when an earlier write of the same subject has failed. Absent: it always
   * becomes pointless.
   */
  readonly fallsWith?: (waiting: string, failed: string) => boolean
  /** The effect of a write, described so that an operator recognises the write. `kind` is the name of the kind. */
  readonly brief: z.ZodObject<{ kind: z.ZodLiteral<string> }>
  /** The facts about a label or booking in a response of the service. The ledger stores them. */
  readonly facts: z.ZodObject<{ kind: z.ZodLiteral<string> }>
  /**
   * Returns a copy of a description (`brief`) for a question to the operator. All of its texts and lists have a maximum
   * length.
   */
  readonly boundedBrief: (brief: never) => unknown
  /**
   * Returns facts with shortened values. References are never shortened, because the desk stores them when it adopts a
   * record.
   */
  readonly boundedFacts: (facts: never) => unknown
  /** Returns a shorter copy of a description (`brief`). Null: the description cannot be shortened further. */
  readonly lessOf: (brief: never) => unknown
}

interface WriteTraits {
  /**
   * Whether the write creates a new record at the service. After such a write has arrived, the desk checks whether
   * another desk created an equal record. A desk whose desk.db was restored looks for the record before it sends the
   * write. A write that creates no record has the same effect when it is sent twice.
   */
  readonly creates: boolean
}

type Kinds = typeof writeKinds

/** The kind of a write's subject. */
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
/** The facts about a label or booking in a response of the service. The ledger stores them. */
export type CommandFacts = FactsOf<SubjectKind>

/** For one kind of write, the functions that shorten its descriptions (`brief`) and those that shorten its facts. */
interface Bounds<K extends SubjectKind> {
  readonly boundedBrief: (brief: BriefOf<K>) => BriefOf<K>
  readonly boundedFacts: (facts: FactsOf<K>) => FactsOf<K>
  readonly lessOf: (brief: BriefOf<K>) => BriefOf<K> | null
}

const bounds: { readonly [K in SubjectKind]: Bounds<K> } = writeKinds

export function boundsOf<K extends SubjectKind>(kind: K): Bounds<K> {
  return bounds[kind]
}

/**
 * Whether a write creates a new record at the service (see WriteTraits). False for a type of write that this version
 * does not have.
 */
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
