import { labelCommands } from '#shared/domain/label-commands.ts'
import type { CommandType, CommandTypesParts } from './outbox/command-type.ts'
import { cancelLabel, patchLabel, requestLabel } from './labels/label-changes.ts'
import { createLabel } from './labels/label-create.ts'
import { createModification, modificationCreateCommand } from './modifications/modification-create.ts'

/** The writes this desk knows, by the name under which they rest in desk.db. */
export function commandTypes(parts: CommandTypesParts): ReadonlyMap<string, CommandType> {
  return new Map([
    [labelCommands.create, createLabel(parts)],
    [labelCommands.patch, patchLabel(parts)],
    [labelCommands.request, requestLabel(parts)],
    [labelCommands.cancel, cancelLabel(parts)],
    [modificationCreateCommand, createModification(parts)],
  ])
}
