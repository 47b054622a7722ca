import type { ServerLabelId } from '#shared/domain/ids.ts'
import type { LabelLook } from '#shared/bridge/label-views.ts'
import type { Instant, Milliseconds } from '#shared/domain/instants.ts'
import { type Failure, failure } from '#shared/errors/catalogue.ts'
import { isOpen } from '#shared/domain/command-state.ts'
import type { LabelDescription } from '#shared/writes/return-label.ts'
import { readShipmentLabel } from './label-reader.ts'
import { describeLabel, newLabelId } from './label-records.ts'
import { toLabelView } from './label-view.ts'
import type { ApiPort } from '../ports/api.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { LabelLedger, LabelRow } from '../ports/label-ledger.ts'
import type { PrintersPort } from '../ports/printers.ts'
import type { LabelIndexStore, ShipmentIndexStore } from '../ports/recent-store.ts'
import { refusalReason } from '../service/answers.ts'
import type { Line } from '../service/line.ts'
import type { Session } from '../service/session.ts'
import { withTimeout } from '../timing/calls.ts'
import { saidAt } from '../timing/said-at.ts'
import { isoTime, toFailureView } from '../view-parts.ts'

export interface LabelLookParts {
  readonly api: ApiPort
  readonly session: Session
  readonly line: Line
  readonly clock: ClockPort
  readonly labels: LabelLedger
  /** The copy of the service's list of labels. */
  readonly labelIndex: LabelIndexStore
  readonly index: ShipmentIndexStore
  readonly printers: Pick<PrintersPort, 'named'>
  /** Maximum time for which a look waits for the service, in milliseconds. */
  readonly askMs: Milliseconds
}

/** The service's response, or the reason why there is no response. */
type LookAnswer =
  | { readonly kind: 'label'; readonly label: LabelDescription; readonly madeAt: Instant }
  | { readonly kind: 'none'; readonly at: Instant }
  | { readonly kind: 'silent'; readonly failure: Failure }

/**
 * Asks the service whether any desk has created a return label for a shipment. Before this look, a card does not show
 * "no label".
 */
export class LabelLooks {
  readonly #parts: LabelLookParts

  /**
   * Whether the deprecated path (API.md 7.2) has returned a label at least once, which proves that the service has the
   * path.
   */
  #isPathProven = false

  constructor(parts: LabelLookParts) {
    this.#parts = parts
  }

  /**
   * Looks for the label of a shipment. Makes at most two calls to the service. Makes none without a connection or a
   * login, or if the newest label of the shipment in the ledger is not gone (`isGone`). A label of another desk is
   * added to the ledger, so that this desk can print it.
   */
  async ofShipment(shipmentId: string): Promise<LabelLook> {
    const { labels, line, session, clock, askMs } = this.#parts
    const known = labels.newestOfShipment(shipmentId)
    if (known && !isGone(known)) return this.#found(known)
    if (line.isOffline() || !session.isSignedIn) return this.#withoutAnswer(shipmentId, null)
    const since = clock.now()
    const silent: LookAnswer = { kind: 'silent', failure: failure('network.timeout') }
    const response = await withTimeout<LookAnswer>(clock, askMs, this.#ask(shipmentId), () => silent)
    if (response.kind === 'silent') return this.#withoutAnswer(shipmentId, response.failure)
    if (response.kind === 'label') {
      this.#isPathProven = true
      return this.#take(response.label, response.madeAt, since)
    }
    // the service returned 404: the shipment has no label, or the service lacks this deprecated path (API.md 7.2). In
    // two cases the newest label of the shipment is taken from this desk's copy of the service's list of labels
    // instead. In the first case, the path has never returned a label. In the second case, the PDF of the newest label
    // was requested: such a label can no longer be cancelled, so it still exists
    const listed = this.#listed(shipmentId)
    const counts = listed !== null && !this.#isCancelledHere(listed.label.serverId)
    if (counts && (listed.label.requested || !this.#isPathProven))
      return this.#take(listed.label, listed.madeAt)
    return { state: 'none', label: null, asOf: isoTime(response.at), failure: null }
  }

  async #ask(shipmentId: string): Promise<LookAnswer> {
    const { clock, index } = this.#parts
    const reference = index.get(shipmentId)?.shipment.reference ?? null
    const outcome = await readShipmentLabel(this.#parts, shipmentId, reference)
    if (outcome.kind === 'refused' && refusalReason(outcome) === 'gone')
      return { kind: 'none', at: saidAt(outcome, clock) }
    if (outcome.kind !== 'answer') return { kind: 'silent', failure: outcome.failure }
    const { value } = outcome
    return { kind: 'label', label: describeLabel(value), madeAt: Date.parse(value.created_at) }
  }

  /**
   * Returns the newest label of the shipment from the copy of the service's list, in the state that it had when the
   * list was read.
   */
  #listed(shipmentId: string): { label: LabelDescription; madeAt: Instant } | null {
    const newest = this.#parts.labelIndex.newestOf(shipmentId)
    return newest ? { label: describeLabel(newest.label), madeAt: Date.parse(newest.label.created_at) } : null
  }

  /**
   * Returns the result of a look to which the service did not respond. The result is from the copy of the service's
   * list of labels. `asOf`: when the list was last read.
   */
  #withoutAnswer(shipmentId: string, why: Failure | null): LabelLook {
    const listed = this.#listed(shipmentId)
    if (listed && !this.#isCancelledHere(listed.label.serverId))
      return this.#take(listed.label, listed.madeAt)
    const syncedAt = this.#parts.labelIndex.state()?.syncedAt ?? null
    return {
      state: 'unasked',
      label: null,
      asOf: syncedAt === null ? null : isoTime(syncedAt),
      failure: toFailureView(why),
    }
  }

  #isCancelledHere(serverId: ServerLabelId): boolean {
    return this.#parts.labels.byServerId(serverId)?.cancelled === true
  }

  /**
   * Adds the label to the ledger, or updates it there. `since`: when the service was asked; null: the label is from
   * this desk's copy of the service's list of labels. In this case a label that is already in the ledger is not
   * updated.
   */
  #take(label: LabelDescription, madeAt: Instant, since: Instant | null = null): LabelLook {
    const { labels, clock } = this.#parts
    const known = labels.byServerId(label.serverId)
    if (!known) return this.#found(labels.adopt(newLabelId(), label, madeAt, clock.now()))
    if (since !== null) labels.describe(known.id, label, since, clock.now())
    return this.#found(labels.get(known.id) ?? known)
  }

  #found(label: LabelRow): LabelLook {
    return { state: 'label', label: toLabelView(label, this.#parts.printers), asOf: null, failure: null }
  }
}

/**
 * Whether the label was cancelled or never created. In both cases another desk may have created a label for the
 * shipment.
 */
function isGone({ cancelled, create }: LabelRow): boolean {
  return cancelled || (create !== null && !isOpen(create.state) && create.state !== 'done')
}
