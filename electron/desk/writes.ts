import type { Subject, SubjectKind } from '#shared/writes/write-kinds.ts'
import { labelKind, type LabelKindParts } from './labels/label-kind.ts'
import { modificationKind, type ModificationKindParts } from './modifications/modification-create.ts'
import type { CommandType, WriteKind } from './outbox/command-type.ts'

export type WriteKinds = { readonly [K in SubjectKind]: WriteKind<K> }

/**
 * The dependencies of the kinds of write: the service, the ledgers, and callbacks that report changes to other parts.
 */
export type WriteParts = LabelKindParts & ModificationKindParts

/**
 * Registers the kinds of write of this desk. shared/writes/write-kinds.ts lists the kinds and the steps for a new one.
 */
export function writeKinds(parts: WriteParts): WriteKinds {
  return { return_label: labelKind(parts), modification: modificationKind(parts) }
}

/** Returns the implementation of the kind of write to which this subject belongs. */
export function kindOf(kinds: WriteKinds, { kind }: Pick<Subject, 'kind'>): WriteKind {
  return kinds[kind]
}

/** The command types of all kinds, by the name under which their commands are stored in desk.db. */
export function commandTypes(kinds: WriteKinds): ReadonlyMap<string, CommandType> {
  return new Map(Object.values(kinds).flatMap(({ types }) => Object.entries<CommandType>(types)))
}
