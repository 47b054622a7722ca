import { failure } from '#shared/errors/catalogue.ts'
import { senderAddressPatch, type SenderAddressPatch } from '#shared/wire/address.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import {
  asPreparation,
  type CommandType,
  type CommandTypesParts,
  type Explanation,
  mapOutcome,
  type ReadBack,
  type Refusal,
} from './command-type.ts'
import { cancelledAnswer, alreadySays, toLabelAnswer } from './label-facts.ts'
import type { ApiOutcome } from './ports/api.ts'
import type { CommandRow } from './ports/commands.ts'
import { isFinalRefusal } from './verdict.ts'

type Read = (command: CommandRow) => Promise<ApiOutcome<ReturnLabel>>
type Write = (token: string, serverId: string, command: CommandRow) => Promise<ApiOutcome<ReturnLabel>>

const go = { kind: 'go', baseline: null, serviceTime: null } as const
const noServerId = { kind: 'not_sent', failure: failure('return_label.unknown') } as const

/** POST /wms/return-labels/:id/request. Done exactly when the label has an address for its PDF. */
export function requestLabel(parts: CommandTypesParts): CommandType {
  const read = createRead(parts)
  const readBack = async (command: CommandRow): Promise<ReadBack> =>
    lookFor(await read(command), (label) => label.url !== null)
  return {
    isRepeatable: false,
    readBack,
    prepare: async (command) => (command.attempts === 0 ? go : asPreparation(await readBack(command))),
    send: createSend(parts, (token, id) => parts.api.requestReturnLabel(token, id)),
    async explain(command, refusal) {
      if (isCancelled(refusal)) return cancelledElsewhere(refusal)
      if (refusal.status !== 412) return null
      // 412 may say that what was wanted is so already
      const seen = await readBack(command)
      if (seen.kind === 'found') return { kind: 'met', answer: seen.answer }
      return seen.kind === 'unreadable' ? seen : null
    },
  }
}

/** PATCH /wms/return-labels/:id/ with only the fields to change. Safe to repeat; the label itself shows whether it arrived. */
export function patchLabel(parts: CommandTypesParts): CommandType {
  const read = createRead(parts)
  const readBack = async (command: CommandRow): Promise<ReadBack> => {
    const changes = changesOf(command)
    return lookFor(await read(command), (label) => alreadySays(label.sender_address, changes))
  }
  return {
    isRepeatable: true,
    readBack,
    prepare: async (command) => (command.attempts === 0 ? go : asPreparation(await readBack(command))),
    send: createSend(parts, (token, id, command) =>
      parts.api.patchReturnLabel(token, id, { sender_address: changesOf(command) }),
    ),
    explain: async (command, refusal) => explainChange(refusal, () => read(command)),
  }
}

/**
 * POST /wms/return-labels/:id/cancel. A label has no field that says it is cancelled, so nothing can be read back; a
 * second time leads to the same end, and 412 says that somebody requested it before.
 */
export function cancelLabel(parts: CommandTypesParts): CommandType {
  const read = createRead(parts)
  return {
    isRepeatable: true,
    readBack: () => Promise.resolve({ kind: 'absent' }),
    prepare: () => Promise.resolve(go),
    send: createSend(parts, (token, id) => parts.api.cancelReturnLabel(token, id), true),
    async explain(command, refusal) {
      if (isCancelled(refusal)) return { kind: 'met', answer: cancelledAnswer }
      return explainChange(refusal, () => read(command))
    },
  }
}

/** Requested already: what the label has become is worth knowing, and no reason to wait where it cannot be read. */
async function explainChange(
  refusal: Refusal,
  read: () => Promise<ApiOutcome<ReturnLabel>>,
): Promise<Explanation | null> {
  if (isCancelled(refusal)) return cancelledElsewhere(refusal)
  if (refusal.status !== 412) return null
  const outcome = await read()
  const answer = outcome.kind === 'answer' ? toLabelAnswer(outcome.value) : null
  return { kind: 'refused', why: refusal.failure, answer }
}

function cancelledElsewhere({ failure: why }: Refusal): Explanation {
  return { kind: 'refused', why, answer: cancelledAnswer }
}

function isCancelled({ failure: { code } }: Refusal): boolean {
  return code === 'return_label.cancelled'
}

function createRead({ api, session, labels }: CommandTypesParts): Read {
  return (command) => {
    const serverId = labels.get(command.subject.id)?.serverId ?? null
    if (serverId === null) return Promise.resolve(noServerId)
    return session.withAccess((token) => api.getReturnLabel(token, serverId))
  }
}

function createSend({ labels }: CommandTypesParts, write: Write, isCancelling = false): CommandType['send'] {
  return async (token, command) => {
    const serverId = labels.get(command.subject.id)?.serverId ?? null
    if (serverId === null) return noServerId
    return mapOutcome(await write(token, serverId, command), (label) => toLabelAnswer(label, isCancelling))
  }
}

function lookFor(outcome: ApiOutcome<ReturnLabel>, isThere: (label: ReturnLabel) => boolean): ReadBack {
  if (outcome.kind !== 'answer')
    return { kind: 'unreadable', failure: outcome.failure, isRefused: isFinalRefusal(outcome) }
  return isThere(outcome.value) ? { kind: 'found', answer: toLabelAnswer(outcome.value) } : { kind: 'absent' }
}

function changesOf({ payload }: CommandRow): SenderAddressPatch {
  return senderAddressPatch.parse(JSON.parse(payload ?? '{}'))
}
