import { z } from 'zod'
import {
  type CommandId,
  commandId,
  type LabelId,
  labelId,
  type ServerId,
  serverId,
  type ServerLabelId,
  serverLabelId,
} from '#shared/domain/ids.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'

// Each of these functions checks that the text is a valid id of the kind in the function's name, and returns it as such
// an id.

export function commandIdOf(text: string): CommandId {
  return commandId.parse(text)
}

export function labelIdOf(text: string): LabelId {
  return labelId.parse(text)
}

export function serverIdOf(text: string): ServerId {
  return serverId.parse(text)
}

export function serverLabelIdOf(text: string): ServerLabelId {
  return serverLabelId.parse(text)
}

/** Returns the text as a `ScopeKey` (the key of all stored data of a station). The station need not exist. */
export function scopeKeyOf(text: string): ScopeKey {
  return z.string().brand<'ScopeKey'>().parse(text)
}
