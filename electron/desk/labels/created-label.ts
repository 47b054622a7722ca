import { baseExternalReference, isOwnReference, isSameId, normaliseCode } from '#shared/domain/references.ts'
import type { BriefLabel } from '#shared/domain/label-codes.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import { type CommandTypesParts, unlessAnother } from '../outbox/command-type.ts'
import { mostRecords } from '../outbox/seen-records.ts'
import type { ApiOutcome } from '../ports/api.ts'
import type { CommandRow } from '../ports/commands.ts'
import type { LabelRow } from '../ports/label-ledger.ts'

type CreatedLabelParts = Pick<CommandTypesParts<'labels'>, 'api' | 'session' | 'ledgers'>

/**
 * Checks the response to a creation. Returns it as ambiguous if it describes a label that this command cannot have
 * created; a look then searches for the created label. If the response to the creation of a label for a shipment names
 * no shipment, reads the label by its id and returns the read label. The outcome is ambiguous if this read fails, or if
 * the read label cannot be the created one.
 */
export async function checkCreatedLabel(
  parts: CreatedLabelParts,
  command: CommandRow<'return_label'>,
  outcome: ApiOutcome<ReturnLabel>,
): Promise<ApiOutcome<ReturnLabel>> {
  const { api, session, ledgers } = parts
  const own = unlessAnother(outcome, (label) => isAnother(parts, command, label))
  const shipmentId = ledgers.labels.get(command.subject.id)?.shipmentId ?? null
  if (own.kind !== 'answer' || own.value.shipment || shipmentId === null) return own
  const { id } = own.value
  const read = await session.withAccess((token) => api.getReturnLabel(token, id), 'observePage')
  if (read.kind !== 'answer') return unlessAnother(own, () => true)
  return unlessAnother({ ...own, value: read.value }, (label) => isAnother(parts, command, label))
}

/**
 * Whether the response to a creation describes a label that this command cannot have created: another label of this
 * desk, a label of another shipment, or a label with a reference that the label of this command cannot have. A proxy
 * that confuses responses sends such a response. If the service leaves out the shipment or the reference, that field is
 * not compared.
 */
function isAnother(
  { ledgers: { labels } }: CreatedLabelParts,
  { subject }: CommandRow<'return_label'>,
  created: ReturnLabel,
): boolean {
  const owner = labels.byServerId(created.id)
  if (owner !== null && owner.id !== subject.id && owner.origin === 'desk') return true
  const { shipmentId = null, wishedReference = null } = labels.get(subject.id) ?? {}
  if (created.shipment) return shipmentId === null || !isSameId(created.shipment.id, shipmentId)
  const { external_reference: reference } = created
  // the service derives the reference of a label for a shipment, so a response with a reference that a desk chose
  // describes another label
  if (shipmentId !== null) return isOwnReference(baseExternalReference(reference ?? ''))
  if (wishedReference === null || reference === null) return false
  // the start of the requested reference is enough, because a service may truncate a reference
  return !referenceForm(wishedReference).startsWith(referenceForm(reference))
}

/** Returns the form in which references are compared. A service may change the case and the spaces of a reference. */
function referenceForm(reference: string): string {
  return normaliseCode(baseExternalReference(reference))
}

/** Returns the labels of `all` that are similar to the wanted label (`alikeTo`), oldest first. */
export function alikeOldestFirst(all: readonly BriefLabel[], wanted: LabelRow): BriefLabel[] {
  // each time is parsed once, because a service may list thousands of labels of one shipment
  const dated = all.filter(alikeTo(wanted)).map((one) => ({ one, at: Date.parse(one.created_at) }))
  return dated.sort((a, b) => a.at - b.at).map(({ one }) => one)
}

/** Returns the first wanted labels of `all`, at most as many as a question or a notice can contain. */
export function oldestOf(all: readonly BriefLabel[], isWanted: (one: BriefLabel) => boolean): BriefLabel[] {
  const found: BriefLabel[] = []
  for (const one of all) {
    if (found.length >= mostRecords) break
    if (isWanted(one)) found.push(one)
  }
  return found
}

/**
 * Returns a function that says whether a listed label is similar to the given label: it is for the same shipment or,
 * for a label without a shipment, it has the same reference.
 */
export function alikeTo(wanted: LabelRow): (one: BriefLabel) => boolean {
  const { shipmentId } = wanted
  const reference = referenceForm(wanted.wishedReference ?? '')
  return ({ external_reference: listed, shipment }) =>
    shipmentId === null
      ? reference !== '' && referenceForm(listed ?? '') === reference
      : !!shipment && isSameId(shipment.id, shipmentId)
}
