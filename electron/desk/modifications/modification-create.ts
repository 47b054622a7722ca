import { markNote } from '#shared/domain/note-marker.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { ModificationCreate } from '#shared/wire/modification.ts'
import {
  asPreparation,
  asReadBack,
  type CommandType,
  type CommandTypesParts,
  mapOutcome,
  orUnseen,
  toSeen,
} from '../outbox/command-type.ts'
import { checkNewModification, Twins } from './modification-check.ts'
import { modificationAnswer } from './modification-facts.ts'
import { lookForModification } from './modification-look.ts'
import type { ModificationRow } from '../ports/modification-store.ts'
import { recentLists } from '../outbox/recent-lists.ts'

/** The name under which the write rests in desk.db. */
export const modificationCreateCommand = 'modification.create'

/**
 * POST /wms/modifications/. The service has no idempotency key: a marker in the note tells whether it has this one.
 */
export function createModification(parts: CommandTypesParts): CommandType {
  const { api, modifications } = parts
  const twins = new Twins(parts)
  const look: NonNullable<CommandType['sightings']> = (command, lists) =>
    lookForModification(parts, command, lists)
  return {
    role: 'MODIFICATIONS_CREATE',
    isRepeatable: false,
    readBack: async (command) => asReadBack(await look(command, recentLists(parts))),
    async prepare(command, hasWaited) {
      const row = modifications.get(command.subject.id)
      if (!row) return { kind: 'go', baseline: null, serviceTime: null }
      if (command.endedAt === null) return checkNewModification(parts, twins, { command, row, hasWaited })
      const known = asPreparation(asReadBack(await look(command, recentLists(parts))), command)
      if (known) return known
      return orUnseen(await checkNewModification(parts, twins, { command, row, hasWaited: false }), command)
    },
    async send(token, command) {
      const row = modifications.get(command.subject.id)
      if (!row) return { kind: 'not_sent', failure: failure('modification.unknown') }
      return mapOutcome(await api.createModification(token, toWire(row)), modificationAnswer)
    },
    async explain(command) {
      if (command.endedAt === null) return null
      // refused, but the first try may have arrived meanwhile
      const seen = asReadBack(await look(command, recentLists(parts)))
      if (seen.kind === 'found') return { kind: 'met', answer: seen.answer }
      return seen.kind === 'unreadable' && !seen.isRefused ? seen : null
    },
    sightings: look,
    async neighbours(command, lists) {
      const row = modifications.get(command.subject.id)
      const found = row && (await twins.whenSent(row, command, lists))
      if (found?.ok === false) return found.isRefused ? [] : null
      return found?.matches.map(toSeen) ?? []
    },
  }
}

function toWire({ id, note, reason, locationId, lines }: ModificationRow): ModificationCreate {
  return {
    note: markNote(note, id),
    reason,
    modification_lines: lines.map(({ variant, quantity }) => ({
      variant: variant.id,
      location: locationId,
      quantity,
    })),
  }
}
