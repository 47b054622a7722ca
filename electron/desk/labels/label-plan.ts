import { commandId } from '#shared/domain/ids.ts'
import { isOpen } from '#shared/domain/command-state.ts'
import { labelCommands } from '#shared/domain/label-commands.ts'
import { isCountryReference } from '#shared/domain/country.ts'
import { isPrintOpen } from '#shared/domain/print-job.ts'
import { isOver } from '#shared/domain/label-phase.ts'
import { type LabelBars, labelBars } from '#shared/domain/label-state.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import { type SenderAddress, senderAddressInput, type SenderAddressPatch } from '#shared/wire/address.ts'
import { alreadySays } from './sender-change.ts'
import { labelFacts } from './label-view.ts'
import type { LabelCommandSeed, LabelRow, LabelStep } from '../ports/label-ledger.ts'

/** What the operator's wishes mean for a label as it stands (API.md 8.3). No order, no store: rules. */

export type LabelPlan = Result<readonly LabelStep[]>

export interface SenderWish {
  /** Only what is to change. */
  readonly changes: SenderAddressPatch
  /** The whole address as it will be then. */
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

/** Asking twice is asking once. */
export function planRequest(label: LabelRow): LabelPlan {
  const bar = barsOf(label).request
  if (bar !== null) return fail(bar)
  if (label.requested || isRequestOpen(label)) return ok([])
  return ok([add(labelCommands.request)])
}

/**
 * A request that surely did not leave yet is put behind the change, so that the label is made with the new address; so is
 * one that fell with a change which was refused. A change before it that has not arrived yet may still be refused: this
 * one then says the whole address, and takes the place of one that did not leave.
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

/** Nobody took the request back: it went with the change before it. */
function hasFallenWithChange({ patch, request }: LabelRow): boolean {
  return patch?.state === 'rejected' && request?.state === 'discarded' && request.movedAt === patch.movedAt
}

/** A creation that surely did not leave yet is taken back instead of being undone at the service. */
export function planCancel(label: LabelRow): LabelPlan {
  const { create, patch, request, cancel } = label
  if (label.cancelled || (cancel && isOpen(cancel.state))) return ok([])
  const bar = barsOf(label).cancel
  if (bar !== null) return fail(bar)
  if (create?.isUntouched) return ok([{ do: 'discard', commandId: create.id }, { do: 'set_cancelled' }])
  // a refused creation is decided by it
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
 * What making a label means where one was made before: the steps that take that one further, or null when a new one is
 * meant. The same is meant while its paper has not left, and while it can still become what is wished: its sender changes
 * until the request, its method never, because no answer would show whether that arrived (API.md 8.1).
 */
export function planAgain(label: LabelRow, wish: MakeWish): readonly LabelStep[] | null {
  // cancelled or about to be, or never made
  if (barsOf(label).request !== null || label.shippingMethodId !== wish.shippingMethodId) return null
  const change = planSender(label, wish.sender)
  if (!change) return null
  if (label.requested) return isPaperAwaited(label) ? [] : null
  const asksAlready = isRequestOpen(label) || change.some((step) => isAddOf(step, labelCommands.request))
  return wish.request && !asksAlready ? [...change, add(labelCommands.request)] : change
}

/** Null: it is too late for that sender. */
function planSender(label: LabelRow, wish: SenderWish | null): readonly LabelStep[] | null {
  if (!wish || (!isChangeLost(label) && alreadySays(label.sender, wish.changes))) return []
  const patch = planPatch(label, wish)
  return patch.ok ? patch.value : null
}

/** The last change did not arrive: the service has another sender than the one that was typed and is kept here. */
function isChangeLost({ patch }: LabelRow): boolean {
  return patch !== null && isOver(patch.state)
}

/** The whole address as a change; what the service would not take, such as no street at all, is left as it is there. */
function wholeOf({ changes, sender }: SenderWish): SenderAddressPatch {
  const { shape } = senderAddressInput
  const kept = senderAddressInput
    .keyof()
    .options.filter((field) => shape[field].safeParse(sender[field]).success)
    // an id of the service's is no country that it takes
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

/** Only what was asked for here comes out of the printer by itself; a print that failed left no paper either. */
function isPaperAwaited({ request, documentHash, print }: LabelRow): boolean {
  if (request?.state !== 'done') return false
  if (documentHash === null || print === null) return documentHash === null
  return isPrintOpen(print.state) || print.state === 'failed'
}

function isAddOf(step: LabelStep, type: LabelCommandSeed['type']): boolean {
  return step.do === 'add' && step.command.type === type
}
