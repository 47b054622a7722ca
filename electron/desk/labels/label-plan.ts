import { commandId } from '#shared/domain/ids.ts'
import { isOpen } from '#shared/domain/command-state.ts'
import { labelCommands } from '#shared/domain/label-commands.ts'
import { isCountryReference } from '#shared/domain/country.ts'
import { isPrintOpen } from '#shared/domain/print-job.ts'
import { isOver } from '#shared/domain/label-phase.ts'
import { type LabelBars, labelBars } from '#shared/domain/label-state.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import { type SenderAddress, senderAddressInput, type SenderAddressPatch } from '#shared/wire/address.ts'
import { longestAddressField } from '#shared/writes/bounds.ts'
import { alreadySays } from './sender-change.ts'
import { labelFacts } from './label-view.ts'
import type { LabelCommandSeed, LabelRow, LabelStep } from '../ports/label-ledger.ts'

/**
 * Plans the steps for an operator's request about a label, from its current state (API.md 8.3). The functions of this
 * file are pure.
 */

export type LabelPlan = Result<readonly LabelStep[]>

export interface SenderWish {
  /** The fields of the sender's address that change. */
  readonly changes: SenderAddressPatch
  /** The whole address of the sender after the change. */
  readonly sender: SenderAddress
}

export function seed(type: LabelCommandSeed['type'], payload: unknown = null): LabelCommandSeed {
  return {
    id: commandId.parse(crypto.randomUUID()),
    type,
    payload: payload === null ? null : JSON.stringify(payload),
  }
}

const add = (type: LabelCommandSeed['type'], payload: unknown = null): LabelStep => ({
  do: 'add',
  command: seed(type, payload),
})

/** Plans a request of the label's PDF. Returns no step if the PDF was requested before. */
export function planRequest(label: LabelRow): LabelPlan {
  const bar = barsOf(label).request
  if (bar !== null) return fail(bar)
  if (label.requested || isRequestOpen(label)) return ok([])
  return ok([add(labelCommands.request)])
}

/**
 * Plans a change of the sender. If a request of the PDF waits, the plan moves it after the change, so that the PDF has
 * the new address. If the request was discarded together with a refused change, the plan adds it again. If an earlier
 * change has not arrived yet or ended without success, the new change contains the whole address, because the service
 * may lack the earlier change. An earlier change that waits and was not sent is discarded. Fails if the request of the
 * PDF may have been sent already.
 */
export function planPatch(label: LabelRow, wish: SenderWish): LabelPlan {
  const bar = barsOf(label).change
  if (bar !== null) return fail(bar)
  const { patch, request } = label
  if (Object.keys(wish.changes).length === 0) return ok([])
  const isRequestWaiting = request !== null && isOpen(request.state)
  if (isRequestWaiting && !request.isUntouched) return fail('return_label.already_requested')
  const isEarlierOpen = patch !== null && isOpen(patch.state)
  const overtaken = [isRequestWaiting && request, isEarlierOpen && patch.isUntouched && patch]
  const isWhole = isEarlierOpen || isChangeLost(label)
  return ok([
    ...overtaken.flatMap((one): LabelStep[] => (one ? [{ do: 'discard', commandId: one.id }] : [])),
    { do: 'set_sender', sender: wish.sender },
    add(labelCommands.patch, isWhole ? wholeOf(wish) : wish.changes),
    ...(isRequestWaiting || hasFallenWithChange(label) ? [add(labelCommands.request)] : []),
  ])
}

/**
 * Whether the request for the label was discarded together with the change before it, because the service refused this
 * change. False if an operator discarded the request.
 */
function hasFallenWithChange({ patch, request }: LabelRow): boolean {
  return patch?.state === 'rejected' && request?.state === 'discarded' && request.movedAt === patch.movedAt
}

/**
 * Plans a cancellation. If the creation was not sent yet, discards the creation instead of cancelling the label at the
 * service.
 */
export function planCancel(label: LabelRow): LabelPlan {
  const { create, patch, request, cancel } = label
  if (label.cancelled || (cancel && isOpen(cancel.state))) return ok([])
  const bar = barsOf(label).cancel
  if (bar !== null) return fail(bar)
  if (create?.isUntouched) return ok([{ do: 'discard', commandId: create.id }, { do: 'set_cancelled' }])
  // the service refused the creation, so there is no label to cancel, and the creation is discarded
  if (create?.state === 'rejected')
    return ok([{ do: 'discard', commandId: create.id }, { do: 'set_cancelled' }])
  if (create && isOver(create.state)) return ok([{ do: 'set_cancelled' }])
  const pointless = [patch, request].filter((one) => one?.isUntouched === true)
  return ok([
    ...pointless.flatMap((one): LabelStep[] => (one ? [{ do: 'discard', commandId: one.id }] : [])),
    add(labelCommands.cancel),
  ])
}

export interface MakeWish {
  readonly shippingMethodId: string | null
  readonly request: boolean
  readonly sender: SenderWish | null
}

/**
 * Plans a creation for which an earlier label exists. Returns the steps that continue the earlier label, or null if a
 * new label must be created. The earlier label is continued if it is not printed yet and can still get the requested
 * content. The sender can be changed until the label is requested. The method cannot be changed, because no response
 * would show whether the change arrived (API.md 8.1).
 */
export function planAgain(label: LabelRow, wish: MakeWish): readonly LabelStep[] | null {
  // a label that was cancelled, will be cancelled or was never created cannot be continued
  if (barsOf(label).request !== null || label.shippingMethodId !== wish.shippingMethodId) return null
  const change = planSender(label, wish.sender)
  if (!change) return null
  if (label.requested) return isPaperAwaited(label) ? [] : null
  const asksAlready = isRequestOpen(label) || change.some((step) => isAddOf(step, labelCommands.request))
  return wish.request && !asksAlready ? [...change, add(labelCommands.request)] : change
}

/** Returns the steps that set the sender; null: it is too late to change the sender. */
function planSender(label: LabelRow, wish: SenderWish | null): readonly LabelStep[] | null {
  if (!wish || (!isChangeLost(label) && alreadySays(label.sender, wish.changes))) return []
  const patch = planPatch(label, wish)
  return patch.ok ? patch.value : null
}

/**
 * Whether the last change ended without success. The sender at the service may then differ from the sender that
 * the operator typed.
 */
function isChangeLost({ patch }: LabelRow): boolean {
  return patch !== null && isOver(patch.state)
}

/**
 * Returns a change that contains the whole address. Leaves out fields that the service would refuse, such as an empty
 * street, and fields of which this desk has only the beginning; these fields keep their value at the service.
 */
function wholeOf({ changes, sender }: SenderWish): SenderAddressPatch {
  const { shape } = senderAddressInput
  const kept = senderAddressInput
    .keyof()
    .options.filter((field) => shape[field].safeParse(sender[field]).success)
    .filter((field) => (sender[field] ?? '').length <= longestAddressField)
    // leaves out a country id: the service returns a country as an id, but does not accept this id in a change
    .filter((field) => field !== 'country' || !isCountryReference(sender.country ?? ''))
    .map((field) => [field, sender[field]] as const)
  return { ...Object.fromEntries(kept), ...changes }
}

function barsOf(label: LabelRow): LabelBars {
  return labelBars(labelFacts(label))
}

function isRequestOpen({ request }: LabelRow): boolean {
  return request !== null && isOpen(request.state)
}

/**
 * Whether the label was requested at this desk and is not printed yet. Only such a label is printed automatically. A
 * failed print counts as not printed.
 */
function isPaperAwaited({ request, documentHash, print }: LabelRow): boolean {
  if (request?.state !== 'done') return false
  if (documentHash === null || print === null) return documentHash === null
  return isPrintOpen(print.state) || print.state === 'failed'
}

function isAddOf(step: LabelStep, type: LabelCommandSeed['type']): boolean {
  return step.do === 'add' && step.command.type === type
}
