import type { ReturnLabelView } from '#shared/bridge/views.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import { createCommand, requestCommand } from './command-types.ts'
import type { Decision } from './desk.ts'
import type { LabelDocuments } from './label-documents.ts'
import { toLabelView } from './label-view.ts'
import type { Outbox } from './outbox.ts'
import type { ClockPort } from './ports/clock.ts'
import type { LabelLedger, OutboxStore } from './ports/store.ts'
import type { PrintQueue } from './print-queue.ts'
import type { Session } from './session.ts'
import type { Shipments } from './shipments.ts'

export interface ReturnLabelsParts {
  readonly labels: LabelLedger
  readonly commands: OutboxStore
  readonly outbox: Outbox
  readonly documents: LabelDocuments
  readonly prints: PrintQueue
  readonly shipments: Shipments
  readonly session: Session
  readonly clock: ClockPort
  /** The label changed by an operator's act. */
  readonly moved: (labelId: string) => void
}

const recentLength = 50

/** What the operator can do about return labels. The chain itself: outbox, then documents, then print queue. */
export class ReturnLabels {
  readonly #parts: ReturnLabelsParts

  constructor(parts: ReturnLabelsParts) {
    this.#parts = parts
  }

  async make(shipmentId: string): Promise<Result<ReturnLabelView>> {
    const { shipments, session, labels, outbox, documents, prints, clock, moved } = this.#parts
    const { state, username } = session.view()
    if (state === 'signed_out') return fail('session.signed_out')
    const asked = await shipments.byId(shipmentId)
    if (asked.kind === 'failed') return { ok: false, error: asked.failure }
    if (asked.kind === 'absent') return fail('api.not_found')
    const label = labels.make({
      id: crypto.randomUUID(),
      shipmentId,
      shipmentReference: asked.stored.shipment.reference,
      madeBy: username,
      at: clock.now(),
      aggregate: `shipment ${shipmentId}`,
      create: { id: crypto.randomUUID(), type: createCommand },
      request: { id: crypto.randomUUID(), type: requestCommand },
    })
    moved(label.id)
    // asking again for one that is under way is a wish to go on now
    outbox.retryNow()
    documents.retryNow(label.id)
    prints.retryNow()
    return ok(toLabelView(label))
  }

  get(id: string): Result<ReturnLabelView> {
    const label = this.#parts.labels.get(id)
    return label ? ok(toLabelView(label)) : fail('return_label.unknown')
  }

  recent(): ReturnLabelView[] {
    return this.#parts.labels.recent(recentLength).map(toLabelView)
  }

  /** Resolves once the job is in the queue. Where the PDF never arrived, asks for that instead. */
  reprint(id: string): Promise<Result<ReturnLabelView>> {
    const { labels, prints, documents, moved } = this.#parts
    const label = labels.get(id)
    if (!label) return Promise.resolve(fail('return_label.unknown'))
    if (label.documentHash === null) {
      documents.retryNow(id)
      return Promise.resolve(fail('return_label.no_document'))
    }
    prints.reprint(id, label.documentHash, label.print)
    moved(id)
    return Promise.resolve(this.get(id))
  }

  resolveUnknown(commandId: string, decision: Decision): Promise<Result<ReturnLabelView>> {
    const { commands, clock, outbox, moved } = this.#parts
    const command = commands.get(commandId)
    if (!command) return Promise.resolve(fail('return_label.unknown'))
    // meanwhile decided by a read-back: then there is nothing left to decide, and the label says how it ended
    if (command.state === 'unknown') {
      if (decision === 'send_again') commands.requeue(commandId, clock.now(), command.failure)
      else commands.discard(commandId, clock.now())
    }
    moved(command.labelId)
    outbox.retryNow()
    return Promise.resolve(this.get(command.labelId))
  }
}
