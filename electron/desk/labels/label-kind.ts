import type { LabelId, ServerLabelId } from '#shared/domain/ids.ts'
import { labelCommands } from '#shared/domain/label-commands.ts'
import { fail, ok } from '#shared/errors/result.ts'
import {
  type WriteKind,
  asPreparation,
  asReadBack,
  changed,
  type CommandType,
  type Explanation,
  mapOutcome,
  orUnseen,
  type Preparation,
  type ReadBack,
  type Sightings,
  stopOf,
} from '../outbox/command-type.ts'
import type { LabelDocuments } from '../paper/label-documents.ts'
import type { CatalogueStore } from '../ports/catalogue-store.ts'
import type { CommandRow } from '../ports/commands.ts'
import type { ScopeValues } from '../ports/store.ts'
import { createLabel } from './label-create.ts'
import { isMadeHere, type LabelCommandParts } from './label-precheck.ts'
import { isTyped, labelDraftKey, readLabelDraft, toLabelDraft } from './label-draft.ts'
import type { LabelReader } from './label-reader.ts'
import { cancelledAnswer, labelMatch, labelTitle, toLabelAnswer } from './label-records.ts'
import { alreadySays } from './sender-change.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { senderAddressPatch, type SenderAddressPatch } from '#shared/wire/address.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import { routes } from '#shared/wire/routes.ts'
import type { ApiOutcome } from '../ports/api.ts'
import { isFinalRefusal, type Refusal, refusalReason, unlessStored } from '../service/answers.ts'

export interface LabelKindParts extends LabelCommandParts {
  readonly catalogue: Pick<CatalogueStore, 'methodCode'>
  readonly values: ScopeValues
  readonly documents: Pick<LabelDocuments, 'fetch' | 'retryNow'>
  readonly reader: Pick<LabelReader, 'refresh'>
  /** Notifies the window that a label has changed. */
  readonly labelMoved: (labelId: LabelId) => void
}

/**
 * Creates the kind of write for return labels. A label has four types of commands; label-create.ts contains the
 * creation.
 */
export function labelKind(parts: LabelKindParts): WriteKind<'return_label'> {
  const { ledgers, catalogue, values, documents, reader, labelMoved } = parts
  const { labels } = ledgers
  return {
    types: {
      [labelCommands.create]: createLabel(parts),
      [labelCommands.patch]: patchLabel(parts),
      [labelCommands.request]: requestLabel(parts),
      [labelCommands.cancel]: cancelLabel(parts),
    },
    describe(id) {
      const name = labels.nameOf(id)
      if (!name) return null
      const { shipmentReference, externalReference, wishedReference, shippingMethodId } = name
      return {
        title: labelTitle(name),
        brief: {
          kind: 'return_label',
          shipmentReference,
          externalReference: externalReference ?? wishedReference,
          methodCode: shippingMethodId && (catalogue.methodCode(shippingMethodId) ?? shippingMethodId),
          senderName: name.senderName,
          senderCity: name.senderCity,
        },
      }
    },
    // the record is the result of a command only if this desk created the label, or adopted it as its own
    isTaken: ({ label }) => label !== null && isMadeHere(labels, label.serverId),
    edit(command, takeOut) {
      const draft = draftOf(parts, command)
      // fails, because the form has only one draft: the draft of this command would replace the text that the operator
      // has typed
      if (draft && isTyped(readLabelDraft(values))) return fail('queue.form_in_use')
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
      // retries the download of the PDF now: if an operator adopted a label of the service, its PDF may exist already
      documents.retryNow(id)
    },
  }
}

/** Returns the form content of a creation by hand; null: the command is no creation, or the label is for a shipment. */
function draftOf(
  { ledgers: { labels } }: LabelKindParts,
  { type, subject }: CommandRow<'return_label'>,
): ReturnType<typeof toLabelDraft> | null {
  const label = type === labelCommands.create ? labels.get(subject.id) : null
  return label && label.shipmentId === null ? toLabelDraft(label) : null
}

type Read = (command: CommandRow<'return_label'>) => Promise<ApiOutcome<ReturnLabel>>
/** Builds the call for a label that has an id at the service. */
type BuildWrite = (
  serverId: ServerLabelId,
  command: CommandRow<'return_label'>,
) => (token: string) => Promise<ApiOutcome<ReturnLabel>>

const go = { kind: 'go', baseline: null, serviceTime: null } as const
const noServerId = { kind: 'not_sent', failure: failure('return_label.unknown') } as const

/** POST /wms/return-labels/:id/request. The command is done only when the label has an address for its PDF. */
function requestLabel(parts: LabelCommandParts): CommandType<'return_label'> {
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
    build: createBuild(parts, (id) => async (token) => {
      const outcome = await parts.api.write(token, routes.requestReturnLabel, { id })
      // a successful response without the address of a PDF does not prove that the service creates a PDF, so the
      // outcome is ambiguous
      return outcome.kind === 'answer' && !isRequested(outcome.value)
        ? { kind: 'ambiguous', status: outcome.status, failure: failure('api.malformed_answer') }
        : outcome
    }),
    async explain(command, refusal) {
      if (isCancelled(refusal)) return cancelledElsewhere(refusal)
      // reads the label, because the service may refuse a label that was requested before, perhaps by an earlier
      // ambiguous attempt
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

/**
 * PATCH /wms/return-labels/:id/ with only the changed fields. It is safe to send the call twice. The label shows
 * whether the change arrived.
 */
function patchLabel(parts: LabelCommandParts): CommandType<'return_label'> {
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
    build: createBuild(parts, (id, command) => {
      const body = { sender_address: changesOf(command) }
      return (token) => parts.api.write(token, routes.patchReturnLabel, { id, body })
    }),
    explain: async (command, refusal) => explainChange(refusal, () => read(command)),
  }
}

/**
 * POST /wms/return-labels/:id/cancel. A label has no field for its cancellation, so a look cannot show whether the call
 * arrived. It is safe to send the call twice, because a second cancellation has no effect. 412 means that the label has
 * already been requested, so it can no longer be cancelled.
 */
function cancelLabel(parts: LabelCommandParts): CommandType<'return_label'> {
  const read = createRead(parts)
  const readBack = (): Promise<ReadBack> => Promise.resolve({ kind: 'absent' })
  return {
    role: 'RETURN_LABELS_CANCEL',
    isRepeatable: true,
    readBack,
    prepare: createPreparation(read, readBack, refuseRequested, true),
    build: createBuild(
      parts,
      (id) => (token) => parts.api.write(token, routes.cancelReturnLabel, { id }),
      true,
    ),
    async explain(command, refusal) {
      if (isCancelled(refusal)) return { kind: 'met', answer: cancelledAnswer }
      return explainChange(refusal, () => read(command))
    },
  }
}

/**
 * Creates the check before an attempt. After an ambiguous attempt the check looks for its effect. Before the first
 * attempt of a command that has waited, the check reads the label, and `judge` decides from its current state. A
 * command that has not waited is sent without a read.
 */
function createPreparation(
  read: Read,
  readBack: CommandType<'return_label'>['readBack'],
  judge: (label: ReturnLabel) => Preparation,
  isRepeatable = false,
): CommandType<'return_label'>['prepare'] {
  return async (command, hasWaited) => {
    // a repeated change or cancellation has the same effect. Therefore it is also sent if the service refuses the look,
    // or if the look fails for a reason that may concern only this read
    const asked = isRepeatable ? { ...command, sendsUnseen: true, failsForLong: true } : command
    if (command.endedAt !== null) return asPreparation(await readBack(command), asked) ?? go
    if (!hasWaited) return go
    const outcome = await read(command)
    if (outcome.kind === 'answer') return judge(outcome.value)
    if (refusalReason(outcome) === 'gone') return changed('return_label.unknown')
    return orUnseen(stopOf(outcome), command) ?? go
  }
}

/** Stops a change or a cancellation if the label was requested meanwhile, because a requested label is final. */
function refuseRequested(label: ReturnLabel): Preparation {
  return label.url === null ? go : changed('return_label.already_requested')
}

/**
 * Explains why the service refused a change or a cancellation: the label was cancelled or requested before. For a
 * requested label, adds its current state, if it can be read. Null: the refusal has another reason.
 */
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

function createRead({ api, session, ledgers: { labels } }: LabelCommandParts): Read {
  return (command) => {
    const serverId = labels.get(command.subject.id)?.serverId ?? null
    if (serverId === null) return Promise.resolve(noServerId)
    return session
      .withAccess((token) => api.getReturnLabel(token, serverId), 'observePage')
      .then(unlessStored)
  }
}

function createBuild(
  { ledgers: { labels } }: LabelCommandParts,
  buildWrite: BuildWrite,
  isCancelling = false,
): CommandType<'return_label'>['build'] {
  return (command) => {
    const serverId = labels.get(command.subject.id)?.serverId ?? null
    if (serverId === null) return () => Promise.resolve(noServerId)
    const write = buildWrite(serverId, command)
    return async (token) => mapOutcome(await write(token), (label) => toLabelAnswer(label, isCancelling))
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
