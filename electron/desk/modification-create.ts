import { hasMarker, markNote } from '#shared/domain/note-marker.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { Modification, ModificationCreate } from '#shared/wire/modification.ts'
import {
  type Answer,
  asPreparation,
  type CommandType,
  type CommandTypesParts,
  mapOutcome,
  type ReadBack,
} from './command-type.ts'
import { walkModifications } from './modification-walk.ts'
import type { ApiPort } from './ports/api.ts'
import type { CommandRow, ModificationFacts } from './ports/commands.ts'
import type { ModificationRow } from './ports/modification-store.ts'
import type { Session } from './session.ts'
import { isFinalRefusal } from './verdict.ts'

/** The name under which the write rests in desk.db. */
export const modificationCreateCommand = 'modification.create'

const dayMs = 24 * 60 * 60_000
/** How far before its first try a modification may be dated: the service's own machines differ a little. */
const marginMs = 10 * 60_000

/**
 * POST /wms/modifications/. The service has no idempotency key: a marker in the note tells whether it has this one.
 * Never sent again by itself once it may have arrived.
 */
export function createModification({ api, session, modifications }: CommandTypesParts): CommandType {
  const readBack = (command: CommandRow): Promise<ReadBack> => lookFor(api, session, command)
  return {
    isRepeatable: false,
    readBack,
    async prepare(command) {
      if (command.endedAt !== null) return asPreparation(await readBack(command))
      // the service's clock is asked for, so that a wrong one here never hides what is looked for later
      const outcome = await session.withAccess((token) => api.listModifications(token, { page: 1, limit: 1 }))
      if (outcome.kind === 'answer')
        return { kind: 'go', baseline: null, serviceTime: outcome.serverDate ?? null }
      // may book but not list: then there is no reading back either
      if (isFinalRefusal(outcome)) return { kind: 'go', baseline: null, serviceTime: null }
      return { kind: 'not_now', failure: outcome.failure }
    },
    async send(token, command) {
      const row = modifications.get(command.subject.id)
      if (!row) return { kind: 'not_sent', failure: failure('modification.unknown') }
      return mapOutcome(await api.createModification(token, toWire(row)), toAnswer)
    },
  }
}

/** What an answer about a modification tells the ledger. */
export function modificationFacts({ id, reference, status }: Modification): ModificationFacts {
  return { kind: 'modification', serverId: id, reference, status }
}

function toAnswer(modification: Modification): Answer {
  return { facts: modificationFacts(modification), documentAddress: null }
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

/**
 * Whatever its status: the warehouse may have approved it already. Several with the same marker were sent again by an
 * operator's word; the oldest is the one.
 */
async function lookFor(api: ApiPort, session: Session, command: CommandRow): Promise<ReadBack> {
  if (command.firstSentAt === null) return { kind: 'absent' }
  const edge = command.firstSentAt - marginMs
  const lastTry = Math.max(command.firstSentAt, command.endedAt ?? 0)
  const window = { from: utcDay(command.firstSentAt - dayMs), to: utcDay(lastTry + dayMs) }
  const own: Modification[] = []
  const walk = await walkModifications(api, session, window, (page) => {
    own.push(...page.filter((one) => hasMarker(one.note, command.subject.id)))
    const isPast = page.some((one) => Date.parse(one.created_at) < edge)
    return isPast ? 'enough' : 'go_on'
  })
  const oldest = own.at(-1)
  if (oldest) return { kind: 'found', answer: toAnswer(oldest) }
  if (!walk.ok) return { kind: 'unreadable', failure: walk.failure, isRefused: walk.isRefused }
  if (walk.isComplete) return { kind: 'absent' }
  // one of those that could not be read may be ours
  return { kind: 'unreadable', failure: failure('api.malformed_answer'), isRefused: false }
}

function utcDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
