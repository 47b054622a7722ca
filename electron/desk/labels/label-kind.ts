import type { LabelId, ServerLabelId } from '#shared/domain/ids.ts'
import { labelCommands } from '#shared/domain/label-commands.ts'
import { fail, ok } from '#shared/errors/result.ts'
import {
  type CommandTypesParts,
  type WriteKind,
  asPreparation,
  asReadBack,
  changed,
  type CommandType,
  type Explanation,
  mapOutcome,
  type Preparation,
  type ReadBack,
  type Sightings,
  stopOf,
} from '../outbox/command-type.ts'
import type { LabelDocuments } from '../paper/label-documents.ts'
import type { CatalogueStore } from '../ports/catalogue-store.ts'
import type { CommandRow } from '../ports/commands.ts'
import type { SettingsStore } from '../ports/store.ts'
import { createLabel, isMadeHere } from './label-create.ts'
import { isTyped, labelDraftKey, readLabelDraft, toLabelDraft } from './label-draft.ts'
import type { LabelReader } from './label-reader.ts'
import { cancelledAnswer, labelMatch, toLabelAnswer } from './label-records.ts'
import { alreadySays } from './sender-change.ts'
import { labelTitle } from './label-title.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { senderAddressPatch, type SenderAddressPatch } from '#shared/wire/address.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import { routes } from '#shared/wire/routes.ts'
import type { ApiOutcome } from '../ports/api.ts'
import { isFinalRefusal, type Refusal, refusalReason } from '../service/answers.ts'

export interface LabelKindParts extends CommandTypesParts {
  readonly catalogue: Pick<CatalogueStore, 'methods'>
  readonly settings: SettingsStore
  readonly documents: Pick<LabelDocuments, 'fetch' | 'retryNow'>
  readonly reader: Pick<LabelReader, 'refresh'>
  /** Tells the window. */
  readonly labelMoved: (labelId: LabelId) => void
}

/** Return labels as a kind of write: four writes about one label. Its creation is in label-create.ts. */
export function labelKind(parts: LabelKindParts): WriteKind<'return_label'> {
  const { labels, catalogue, settings, documents, reader, labelMoved } = parts
  const codeOf = (methodId: string): string =>
    catalogue.methods().rows.find(({ id }) => id === methodId)?.code ?? methodId
  return {
    types: {
      [labelCommands.create]: createLabel(parts),
      [labelCommands.patch]: patchLabel(parts),
      [labelCommands.request]: requestLabel(parts),
      [labelCommands.cancel]: cancelLabel(parts),
    },
    describe(id) {
      const label = labels.get(id)
      if (!label) return null
      const { shipmentReference, externalReference, wishedReference, shippingMethodId, sender } = label
      return {
        title: labelTitle(label),
        brief: {
          kind: 'return_label',
          shipmentReference,
          externalReference: externalReference ?? wishedReference,
          methodCode: shippingMethodId === null ? null : codeOf(shippingMethodId),
          senderName: sender?.addressed_to ?? null,
          senderCity: sender?.city ?? null,
        },
      }
    },
    // a label of another desk that a look found does not belong to a write of this desk
    isTaken: ({ label }) => label !== null && isMadeHere(parts, label.serverId),
    edit(command, takeOut) {
      const draft = draftOf(parts, command)
      // the form holds one label: what is typed in it, another one of the queue perhaps, would be nowhere any more
      if (draft && isTyped(readLabelDraft(settings))) return fail('queue.form_in_use')
      const isTaken = takeOut(
        draft ? { place: 'setting', key: labelDraftKey, value: JSON.stringify(draft) } : { place: 'nowhere' },
      )
      if (!isTaken) return fail('queue.moved_on')
      return ok(draft ? { place: 'label_form' } : { place: 'label', labelId: command.subject.id })
    },
    moved(id, answer) {
      labelMoved(id)
      if (answer?.documentAddress) documents.fetch(id, answer.documentAddress)
      else reader.refresh(id)
    },
    decided(id) {
      labelMoved(id)
      // one that was adopted may have its PDF already
      documents.retryNow(id)
    },
  }
}

/** A creation by hand goes back into its form; null: it is another write, or of a shipment. */
function draftOf(
  { labels }: LabelKindParts,
  { type, subject }: CommandRow<'return_label'>,
): ReturnType<typeof toLabelDraft> | null {
  const label = type === labelCommands.create ? labels.get(subject.id) : null
  return label && label.shipmentId === null ? toLabelDraft(label) : null
}

type Read = (command: CommandRow<'return_label'>) => Promise<ApiOutcome<ReturnLabel>>
type Write = (
  token: string,
  serverId: ServerLabelId,
  command: CommandRow<'return_label'>,
) => Promise<ApiOutcome<ReturnLabel>>

const go = { kind: 'go', baseline: null, serviceTime: null } as const
const noServerId = { kind: 'not_sent', failure: failure('return_label.unknown') } as const

/** POST /wms/return-labels/:id/request. Done exactly when the label has an address for its PDF. */
function requestLabel(parts: CommandTypesParts): CommandType<'return_label'> {
  const read = createRead(parts)
  const isRequested = (label: ReturnLabel): boolean => label.url !== null
  const readBack = async (command: CommandRow<'return_label'>): Promise<ReadBack> =>
    lookFor(await read(command), isRequested)
  return {
    role: 'RETURN_LABELS_REQUEST',
    isRepeatable: false,
    readBack,
    prepare: createPreparation(read, readBack, (label) =>
      isRequested(label) ? { kind: 'already', answer: toLabelAnswer(label), others: [] } : go,
    ),
    send: createSend(parts, async (token, id) => {
      const outcome = await parts.api.write(token, routes.requestReturnLabel, { id })
      // a yes without the address of a PDF: nobody knows whether there will be one
      return outcome.kind === 'answer' && !isRequested(outcome.value)
        ? { kind: 'ambiguous', status: outcome.status, failure: failure('api.malformed_answer') }
        : outcome
    }),
    async explain(command, refusal) {
      if (isCancelled(refusal)) return cancelledElsewhere(refusal)
      // what was wanted may be so already: the refusal says so, and a try before this one may have done it
      if (!isRequestedAlready(refusal) && command.endedAt === null) return null
      const seen = await readBack(command)
      if (seen.kind === 'found') return { kind: 'met', answer: seen.answer }
      const isOpen = isRequestedAlready(refusal) || (seen.kind === 'unreadable' && !seen.isRefused)
      return seen.kind === 'unreadable' && isOpen ? seen : null
    },
    async sightings(command) {
      if (command.state === 'done') return { kind: 'seen', matches: [] }
      return sightingsOf(await read(command), isRequested)
    },
  }
}

/** PATCH /wms/return-labels/:id/ with only the fields to change. Safe to repeat; the label itself shows whether it arrived. */
function patchLabel(parts: CommandTypesParts): CommandType<'return_label'> {
  const read = createRead(parts)
  const readBack = async (command: CommandRow<'return_label'>): Promise<ReadBack> => {
    const changes = changesOf(command)
    return lookFor(await read(command), (label) => alreadySays(label.sender_address, changes))
  }
  return {
    role: 'RETURN_LABELS_UPDATE',
    isRepeatable: true,
    readBack,
    prepare: createPreparation(read, readBack, refuseRequested, true),
    send: createSend(parts, (token, id, command) =>
      parts.api.write(token, routes.patchReturnLabel, { id, body: { sender_address: changesOf(command) } }),
    ),
    explain: async (command, refusal) => explainChange(refusal, () => read(command)),
  }
}

/**
 * POST /wms/return-labels/:id/cancel. A label has no field that says it is cancelled, so nothing can be read back; a
 * second time leads to the same end, and 412 says that somebody requested it before.
 */
function cancelLabel(parts: CommandTypesParts): CommandType<'return_label'> {
  const read = createRead(parts)
  const readBack = (): Promise<ReadBack> => Promise.resolve({ kind: 'absent' })
  return {
    role: 'RETURN_LABELS_CANCEL',
    isRepeatable: true,
    readBack,
    prepare: createPreparation(read, readBack, refuseRequested, true),
    send: createSend(parts, (token, id) => parts.api.write(token, routes.cancelReturnLabel, { id }), true),
    async explain(command, refusal) {
      if (isCancelled(refusal)) return { kind: 'met', answer: cancelledAnswer }
      return explainChange(refusal, () => read(command))
    },
  }
}

/**
 * After an ambiguous try it is looked for first; a first one that waited looks at the label as it stands (`judge`); one
 * that goes at once asks nothing.
 */
function createPreparation(
  read: Read,
  readBack: CommandType<'return_label'>['readBack'],
  judge: (label: ReturnLabel) => Preparation,
  isRepeatable = false,
): CommandType<'return_label'>['prepare'] {
  return async (command, hasWaited) => {
    const sendsUnseen = isRepeatable || command.sendsUnseen
    if (command.endedAt !== null) return asPreparation(await readBack(command), { sendsUnseen }) ?? go
    if (!hasWaited) return go
    const outcome = await read(command)
    if (outcome.kind === 'answer') return judge(outcome.value)
    if (refusalReason(outcome) === 'gone') return changed('return_label.unknown')
    return stopOf(outcome) ?? go
  }
}

/** Somebody requested it meanwhile: it is final, and neither changed nor cancelled any more. */
function refuseRequested(label: ReturnLabel): Preparation {
  return label.url === null ? go : changed('return_label.already_requested')
}

/** Requested already: what the label has become is worth knowing, and no reason to wait where it cannot be read. */
async function explainChange(
  refusal: Refusal,
  read: () => Promise<ApiOutcome<ReturnLabel>>,
): Promise<Explanation | null> {
  if (isCancelled(refusal)) return cancelledElsewhere(refusal)
  if (!isRequestedAlready(refusal)) return null
  const outcome = await read()
  const answer = outcome.kind === 'answer' ? toLabelAnswer(outcome.value) : null
  return { kind: 'refused', why: refusal.failure, answer }
}

function cancelledElsewhere({ failure: why }: Refusal): Explanation {
  return { kind: 'refused', why, answer: cancelledAnswer }
}

function isRequestedAlready({ failure: { code } }: Refusal): boolean {
  return code === 'return_label.already_requested'
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

function createSend(
  { labels }: CommandTypesParts,
  write: Write,
  isCancelling = false,
): CommandType<'return_label'>['send'] {
  return async (token, command) => {
    const serverId = labels.get(command.subject.id)?.serverId ?? null
    if (serverId === null) return noServerId
    return mapOutcome(await write(token, serverId, command), (label) => toLabelAnswer(label, isCancelling))
  }
}

function lookFor(outcome: ApiOutcome<ReturnLabel>, isThere: (label: ReturnLabel) => boolean): ReadBack {
  return asReadBack(sightingsOf(outcome, isThere))
}

function sightingsOf(outcome: ApiOutcome<ReturnLabel>, isThere: (label: ReturnLabel) => boolean): Sightings {
  if (outcome.kind !== 'answer')
    return { kind: 'unreadable', failure: outcome.failure, isRefused: isFinalRefusal(outcome), alike: [] }
  return { kind: 'seen', matches: isThere(outcome.value) ? [labelMatch(outcome.value)] : [] }
}

function changesOf({ payload }: CommandRow<'return_label'>): SenderAddressPatch {
  return senderAddressPatch.parse(JSON.parse(payload ?? '{}'))
}
