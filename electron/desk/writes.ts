import type { SubjectKind } from '#shared/domain/write-types.ts'
import { labelKind, type LabelKindParts } from './labels/label-kind.ts'
import { modificationKind } from './modifications/modification-create.ts'
import type { CommandType, WriteKind } from './outbox/command-type.ts'

export type WriteKinds = { readonly [K in SubjectKind]: WriteKind<K> }

/** The one register of what this desk writes (shared/domain/write-types.ts names the kinds and their writes). */
export function writeKinds(parts: LabelKindParts): WriteKinds {
  return { return_label: labelKind(parts), modification: modificationKind(parts) }
}

/** The writes of all kinds, by the name under which they rest in desk.db. */
export function commandTypes(kinds: WriteKinds): ReadonlyMap<string, CommandType> {
  return new Map(Object.values(kinds).flatMap(({ types }) => Object.entries<CommandType>(types)))
}
