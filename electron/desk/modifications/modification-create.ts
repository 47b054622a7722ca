import { markNote } from '#shared/domain/note-marker.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { ModificationCreate } from '#shared/wire/modification.ts'
import {
  asPreparation,
  asReadBack,
  type CommandType,
  type CommandTypesParts,
  mapOutcome,
  type Preparation,
  toSeen,
} from '../outbox/command-type.ts'
import { checkNewModification, findTwins } from './modification-check.ts'
import { modificationAnswer } from './modification-facts.ts'
import { lookForModification } from './modification-look.ts'
import type { CommandRow } from '../ports/commands.ts'
import type { ModificationRow } from '../ports/modification-store.ts'
import { recentLists } from '../outbox/recent-lists.ts'
import { isFinalRefusal } from '../service/final-refusal.ts'

/** The name under which the write rests in desk.db. */
export const modificationCreateCommand = 'modification.create'

/**
 * POST /wms/modifications/. The service has no idempotency key: a marker in the note tells whether it has this one.
 */
export function createModification(parts: CommandTypesParts): CommandType {
  const { api, modifications } = parts
  const look: NonNullable<CommandType['sightings']> = (command, lists) =>
    lookForModification(parts, command, lists)
  return {
    role: 'MODIFICATIONS_CREATE',
    isRepeatable: false,
    readBack: async (command) => asReadBack(await look(command, recentLists(parts))),
    async prepare(command, hasWaited) {
      const go = { kind: 'go', baseline: null, serviceTime: null } as const
      if (command.endedAt !== null)
        return asPreparation(asReadBack(await look(command, recentLists(parts))), command) ?? go
      const row = hasWaited ? modifications.get(command.subject.id) : null
      const stop = row && (await checkNewModification(parts, command, row))
      return stop ?? readServiceTime(parts)
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
    async neighbours(command: CommandRow) {
      const row = modifications.get(command.subject.id)
      const twins = row ? await findTwins(parts, row, command.acknowledged) : null
      return twins?.ok ? twins.matches.map(toSeen) : []
    },
  }
}

/** The service's clock is asked for, so that a wrong one here never hides what is looked for later. */
async function readServiceTime({ api, session }: CommandTypesParts): Promise<Preparation> {
  const outcome = await session.withAccess((token) => api.listModifications(token, { page: 1, limit: 1 }))
  if (outcome.kind === 'answer')
    return { kind: 'go', baseline: null, serviceTime: outcome.serverDate ?? null }
  // may book but not list: then there is no reading back either
  if (isFinalRefusal(outcome)) return { kind: 'go', baseline: null, serviceTime: null }
  return { kind: 'not_now', failure: outcome.failure }
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
