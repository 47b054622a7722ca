import type { LabelId, ServerLabelId } from '#shared/domain/ids.ts'
import type { ArgsOf } from '#shared/bridge/contract.ts'
import type {
  LabelDraft,
  LabelList,
  LabelLook,
  LabelMode,
  ReturnLabelView,
} from '#shared/bridge/label-views.ts'
import { labelCommands } from '#shared/domain/label-commands.ts'
import { labelBars } from '#shared/domain/label-state.ts'
import type { ReprintReason, PrintState } from '#shared/domain/print-job.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import type { SenderAddressPatch } from '#shared/wire/address.ts'
import type { ReturnLabelCreate } from '#shared/wire/return-label.ts'
import { ownReference } from '#shared/domain/references.ts'
import { shortened } from '#shared/writes/bounds.ts'
import type { LabelDocuments } from '../paper/label-documents.ts'
import { readLabelDraft, writeLabelDraft } from './label-draft.ts'
import { newLabelId } from './label-records.ts'
import { changedSender } from './sender-change.ts'
import {
  type LabelPlan,
  planAgain,
  planCancel,
  planPatch,
  planRequest,
  seed,
  type SenderWish,
} from './label-plan.ts'
import type { LabelLooks } from './label-look.ts'
import type { LabelReader } from './label-reader.ts'
import { searchLabels } from './label-search.ts'
import { labelFacts, toLabelView } from './label-view.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { PrintersPort } from '../ports/printers.ts'
import type { LabelLedger, LabelRow, NewLabel } from '../ports/label-ledger.ts'
import type { LabelIndexStore, ShipmentIndexStore } from '../ports/recent-store.ts'
import type { ScopeValues } from '../ports/store.ts'
import type { PrintQueue } from '../paper/print-queue.ts'
import type { Session } from '../service/session.ts'
import type { Shipments } from '../shipments/shipments.ts'

export interface ReturnLabelsParts {
  readonly labels: LabelLedger
  readonly outbox: Outbox
  readonly documents: LabelDocuments
  readonly prints: PrintQueue
  readonly printers: PrintersPort
  readonly shipments: Shipments
  /** The copy of shipments. A change of the sender starts from the sender's address in this copy. */
  readonly index: ShipmentIndexStore
  readonly labelIndex: LabelIndexStore
  readonly reader: LabelReader
  readonly looks: LabelLooks
  readonly values: ScopeValues
  readonly session: Session
  readonly clock: ClockPort
  /** Reports that an operator's action has changed the label. */
  readonly moved: (labelId: LabelId) => void
}

type ById = ArgsOf<'returnLabel', 'get'>

type Made = Pick<NewLabel, 'shipmentId' | 'shipmentReference' | 'shippingMethodId' | 'wishedReference'> & {
  readonly body: ReturnLabelCreate
  readonly sender: SenderWish | null
}

/**
 * The operator's actions on return labels. After an action, the outbox sends its commands. After a request, the PDF of
 * the label is downloaded and stored, and the label is printed.
 */
export class ReturnLabels {
  readonly #parts: ReturnLabelsParts

  /** The number of the newest search. A search with a lower number ends. */
  #search = 0
  #isClosed = false

  constructor(parts: ReturnLabelsParts) {
    this.#parts = parts
  }

  /**
   * Creates a label, or continues an unfinished label with the same purpose. `seen`: the label of the same shipment
   * that the operator saw before the request; null: the operator saw none. If another desk has created a label that the
   * operator did not see, the operator is asked before a second label is created. Resolves when the commands are
   * durable; `returnLabel` events report the progress.
   */
  async make({ mode, request, seen }: ArgsOf<'returnLabel', 'make'>): Promise<Result<ReturnLabelView>> {
    const { session, labels, clock } = this.#parts
    const { state, username } = session.state()
    if (state === 'signed_out') return fail('session.signed_out')
    const wanted = mode.by === 'hand' ? ok(byHand(mode)) : await this.#byShipment(mode)
    if (!wanted.ok) return wanted
    const { body, sender, ...made } = wanted.value
    // the creation of a label by hand contains the sender's address, so only a label of a shipment needs a separate
    // change
    const patch = mode.by === 'shipment' && sender ? [seed(labelCommands.patch, sender.changes)] : []
    const label = labels.make(
      {
        ...made,
        id: newLabelId(),
        sender: sender && sender.sender,
        madeBy: username,
        at: clock.now(),
        commands: [
          { ...seed(labelCommands.create, body), acknowledged: this.#known(made.shipmentId, seen) },
          ...patch,
          ...(request ? [seed(labelCommands.request)] : []),
        ],
      },
      (newest) => planAgain(newest, { ...made, sender, request }),
    )
    if (label.documentHash !== null && label.print?.state === 'failed')
      await this.#printAgain(label.id, label.documentHash, null, ['failed'])
    return ok(this.#goOn(labels.get(label.id) ?? label))
  }

  request({ id }: ById): Promise<Result<ReturnLabelView>> {
    return this.#change(id, planRequest)
  }

  patch({ id, sender }: ArgsOf<'returnLabel', 'patch'>): Promise<Result<ReturnLabelView>> {
    return this.#change(id, (label) =>
      planPatch(label, {
        changes: sender,
        sender: changedSender(label.sender ?? this.#shipmentAddress(label), sender),
      }),
    )
  }

  cancel({ id }: ById): Promise<Result<ReturnLabelView>> {
    return this.#change(id, planCancel)
  }

  /**
   * Returns whether the shipment has a label of any desk. Makes at most two calls to the service, and none if this desk
   * has a label of the shipment that was not cancelled and whose creation did not fail. If the service does not
   * respond, returns the stored state with its date.
   */
  look({ shipmentId }: ArgsOf<'returnLabel', 'look'>): Promise<LabelLook> {
    return this.#parts.looks.ofShipment(shipmentId)
  }

  /** Reads a label from the service and adds it to the ledger. */
  async open({ serverId }: ArgsOf<'returnLabel', 'open'>): Promise<Result<ReturnLabelView>> {
    const opened = await this.#parts.reader.open(serverId)
    // an opened label without a server id may be the result of a creation of this desk, so the outbox now looks for
    // this creation
    if (opened.ok && opened.value.serverId === null) this.#parts.outbox.lookNow()
    return opened.ok ? ok(this.#goOn(opened.value)) : opened
  }

  /** Returns the label from the ledger at once. An event follows if the service has a newer state. */
  get({ id }: ById): Result<ReturnLabelView> {
    const label = this.#parts.labels.get(id)
    if (!label) return fail('return_label.unknown')
    this.#parts.reader.refresh(id)
    return ok(toLabelView(label, this.#parts.printers))
  }

  recent(): ReturnLabelView[] {
    const { labels, printers } = this.#parts
    return labels.recent(recentLength).map((label) => toLabelView(label, printers))
  }

  /**
   * Searches the labels of this desk and the copy of the service's list; needs no network. Ends the previous search,
   * because the window shows only the newest search.
   */
  search({ text }: ArgsOf<'returnLabel', 'search'>): Promise<LabelList> {
    const search = ++this.#search
    return searchLabels(this.#parts, text, () => search === this.#search && !this.#isClosed)
  }

  /** Ends the current search of labels. */
  close(): void {
    this.#isClosed = true
  }

  /**
   * Prints the label again; never creates a new label. Resolves when the job is in the queue. If the PDF is missing,
   * fails with `return_label.no_document`, and the label is printed as soon as the PDF has arrived.
   */
  async reprint({ id, reason }: ArgsOf<'returnLabel', 'reprint'>): Promise<Result<ReturnLabelView>> {
    const { labels, documents, moved } = this.#parts
    const label = labels.get(id)
    if (!label) return fail('return_label.unknown')
    if (label.documentHash === null) {
      const bar = labelBars(labelFacts(label)).print ?? 'return_label.no_document'
      if (bar === 'return_label.no_document') documents.print(id, reason)
      return fail(bar)
    }
    await this.#printAgain(id, label.documentHash, reason)
    moved(id)
    return this.get({ id })
  }

  readDraft(): LabelDraft | null {
    return readLabelDraft(this.#parts.values)
  }

  writeDraft(draft: LabelDraft | null): LabelDraft | null {
    writeLabelDraft(this.#parts.values, draft, this.#parts.clock.now())
    return draft
  }

  /**
   * Prints the label again. If `only` is given, prints only if `only` contains the state of the newest job, because
   * another action may have printed the label meanwhile.
   */
  async #printAgain(
    id: LabelId,
    documentHash: string,
    reason: ReprintReason | null,
    only?: readonly PrintState[],
  ): Promise<void> {
    const { labels, prints } = this.#parts
    const printer = await prints.printerFor(documentHash)
    const newest = labels.get(id)?.print ?? null
    if (only && !(newest && only.includes(newest.state))) return
    prints.reprint(id, documentHash, { newest, reason, printer: printer.name, decided: null })
  }

  #change(id: LabelId, plan: (label: LabelRow) => LabelPlan): Promise<Result<ReturnLabelView>> {
    const { session, labels, clock } = this.#parts
    const { state, username } = session.state()
    if (state === 'signed_out') return Promise.resolve(fail('session.signed_out'))
    const changed = labels.change(id, { at: clock.now(), by: username }, plan)
    if (!changed) return Promise.resolve(fail('return_label.unknown'))
    return Promise.resolve(changed.ok ? ok(this.#goOn(changed.value)) : changed)
  }

  /**
   * Called when the operator has created, changed or opened the label. Ends the pause of the label's download, and also
   * the pauses of all commands and all prints of the desk.
   */
  #goOn(label: LabelRow): ReturnLabelView {
    const { outbox, documents, prints, printers, moved } = this.#parts
    moved(label.id)
    outbox.retryNow()
    documents.retryNow(label.id)
    prints.retryNow()
    return toLabelView(label, printers)
  }

  async #byShipment(mode: Extract<LabelMode, { by: 'shipment' }>): Promise<Result<Made>> {
    const answer = await this.#parts.shipments.byId(mode.shipmentId)
    if (answer.kind === 'failed') return { ok: false, error: answer.failure }
    if (answer.kind === 'absent') return fail('api.not_found')
    const { shipmentId, shippingMethodId } = mode
    const { shipment } = answer.stored
    return ok({
      shipmentId,
      shipmentReference: shortened(shipment.reference),
      shippingMethodId,
      wishedReference: null,
      sender: mode.sender && toWish(mode.sender, shipment.shipping_address?.country ?? null),
      body: {
        shipment_id: shipmentId,
        ...(shippingMethodId === null ? {} : { shipping_method: shippingMethodId }),
      },
    })
  }

  /**
   * Returns a list with the server id of the label that the operator saw, if it is a label of this shipment and has a
   * server id; otherwise an empty list.
   */
  #known(shipmentId: string | null, seen: LabelId | null): ServerLabelId[] {
    const label = seen === null ? null : this.#parts.labels.get(seen)
    return label?.serverId != null && label.shipmentId === shipmentId ? [label.serverId] : []
  }

  #shipmentAddress({ shipmentId }: LabelRow): LabelRow['sender'] {
    const shipment = shipmentId === null ? null : this.#parts.index.get(shipmentId)
    return shipment?.shipment.shipping_address ?? null
  }
}

const recentLength = 50

/**
 * Prepares the creation of a label without a shipment, from the operator's input. Assigns a reference if the operator
 * entered none, because a look can find the label only by its reference.
 */
function byHand(mode: Extract<LabelMode, { by: 'hand' }>): Made {
  const wishedReference = mode.externalReference ?? ownReference(crypto.randomUUID())
  return {
    shipmentId: null,
    shipmentReference: null,
    shippingMethodId: mode.shippingMethodId,
    wishedReference,
    sender: toWish(mode.sender, null),
    body: {
      shipping_method: mode.shippingMethodId,
      sender_address: mode.sender,
      external_reference: wishedReference,
    },
  }
}

/** Prepares a change of the sender. `country`: the country to keep if the change contains none. */
function toWish(changes: SenderAddressPatch, country: string | null): SenderWish {
  const sender = changedSender(null, changes)
  return { changes, sender: { ...sender, country: sender.country ?? country } }
}
