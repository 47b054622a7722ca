import { labelCommands } from './label-commands.ts'

/**
 * Every write, by the kind of its subject and the name under which it rests in desk.db. The one list of both: the
 * compiler names each table that lacks a new one.
 */
const writeTypes = {
  return_label: [labelCommands.create, labelCommands.patch, labelCommands.request, labelCommands.cancel],
  modification: ['modification.create'],
} as const

/** What a write is about. */
export type SubjectKind = keyof typeof writeTypes
export const subjectKinds = Object.keys(writeTypes) as SubjectKind[]

export type WriteType<K extends SubjectKind = SubjectKind> = (typeof writeTypes)[K][number]
