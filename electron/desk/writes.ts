import type { Subject, SubjectKind } from '#shared/writes/write-kinds.ts'
import { labelKind, type LabelKindParts } from './labels/label-kind.ts'
import { modificationKind, type ModificationKindParts } from './modifications/modification-create.ts'
import type { CommandType, WriteKind } from './outbox/command-type.ts'

export type WriteKinds = { readonly [K in SubjectKind]: WriteKind<K> }

/** What the kinds need: the service, the ledgers, and those whom a move of theirs concerns. */
export interface WriteParts extends LabelKindParts, ModificationKindParts {}

/** The one register of what this desk writes (shared/writes/write-kinds.ts names the kinds and what else one needs). */
export function writeKinds(parts: WriteParts): WriteKinds {
  return { return_label: labelKind(parts), modification: modificationKind(parts) }
}

/** What the desk does for the kind of this subject. */
export function kindOf(kinds: WriteKinds, { kind }: Pick<Subject, 'kind'>): WriteKind {
  return kinds[kind]
}

/** The writes of all kinds, by the name under which they rest in desk.db. */
export function commandTypes(kinds: WriteKinds): ReadonlyMap<string, CommandType> {
  return new Map(Object.values(kinds).flatMap(({ types }) => Object.entries<CommandType>(types)))
}
