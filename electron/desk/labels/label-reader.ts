import type { LabelId, ServerLabelId } from '#shared/domain/ids.ts'
import type { Instant } from '#shared/domain/instants.ts'
import { type BriefLabel, toBriefLabel } from '#shared/domain/label-codes.ts'
import { baseExternalReference, isOwnReference, isSameId } from '#shared/domain/references.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { ok, type Result } from '#shared/errors/result.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import type { LabelDocuments } from '../paper/label-documents.ts'
import { describeLabel, newLabelId } from './label-records.ts'
import type { Line } from '../service/line.ts'
import type { ApiOutcome, ApiPort } from '../ports/api.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { LabelLedger, LabelRow } from '../ports/label-ledger.ts'
import { refusalReason, unlessStored } from '../service/answers.ts'
import type { Session } from '../service/session.ts'

export interface LabelReaderParts {
  readonly api: ApiPort
  readonly session: Session
  readonly labels: LabelLedger
  readonly documents: LabelDocuments
  readonly line: Line
  readonly clock: ClockPort
  /** Reports that the service has returned a new state of the label. */
  readonly moved: (labelId: LabelId) => void
  readonly onFault: (error: unknown) => void
}

/**
 * Reads the label of a shipment from the deprecated path (API.md 7.2). The response names no shipment, so a proxy that
 * confuses responses could send the label of another shipment. Therefore a second call reads the label by its id. It
 * makes the outcome ambiguous in three cases:
 *
 * - No label has this id.
 * - The second response names another shipment.
 * - The second response names no shipment, and a desk chose the reference of the label: a desk chooses references only
 *   for labels without a shipment.
 *
 * In any other case without a shipment in the second response, the returned label has the shipment of the arguments.
 * `isNamed`: the deprecated path returned a label, but the second call failed for a reason other than a missing label.
 */
export async function readShipmentLabel(
  { api, session }: { readonly api: ApiPort; readonly session: Pick<Session, 'withAccess'> },
  shipmentId: string,
  shipmentReference: string | null,
): Promise<ApiOutcome<BriefLabel> & { readonly isNamed?: true }> {
  const named = await session.withAccess(
    (token) => api.getShipmentReturnLabel(token, shipmentId),
    'observePage',
  )
  // a 404 that a cache has stored becomes ambiguous, because it does not show that the shipment has no label now
  if (named.kind !== 'answer') return unlessStored(named)
  const { status } = named
  const another: ApiOutcome<never> = {
    kind: 'ambiguous',
    status,
    failure: failure('api.malformed_answer', { status }),
  }
  const outcome = await session.withAccess(
    (token) => api.getReturnLabel(token, named.value.id),
    'observePage',
  )
  if (refusalReason(outcome) === 'gone') return another
  if (outcome.kind !== 'answer') return { ...outcome, isNamed: true }
  const label = toBriefLabel(outcome.value)
  if (!label.shipment && isOwnReference(baseExternalReference(label.external_reference ?? ''))) return another
  const shipment = label.shipment ?? { id: shipmentId, reference: shipmentReference ?? '' }
  return isSameId(shipment.id, shipmentId) ? { ...outcome, value: { ...label, shipment } } : another
}

const oldMs = 30_000

/** Reads single labels of the service, because the responses to the desk's own writes do not show later changes. */
export class LabelReader {
  readonly #parts: LabelReaderParts
  readonly #underWay = new Set<LabelId>()

  constructor(parts: LabelReaderParts) {
    this.#parts = parts
  }

  /**
   * Reads a label of the service, also one of another desk, and adds it to the ledger or updates it there. If this desk
   * has a creation of unknown outcome that may have created the label, returns the row of that creation, which has no
   * server id.
   */
  async open(serverId: ServerLabelId): Promise<Result<LabelRow>> {
    const { labels, clock } = this.#parts
    const known = labels.byServerId(serverId)
    const since = clock.now()
    const outcome = await this.#read(serverId)
    if (outcome.kind !== 'answer') return known ? ok(known) : { ok: false, error: outcome.failure }
    if (known) {
      this.#note(known.id, outcome.value, since)
      return ok(labels.get(known.id) ?? known)
    }
    const madeAt = Date.parse(outcome.value.created_at)
    const label = labels.adopt(newLabelId(), describeLabel(outcome.value), madeAt, clock.now())
    if (label.serverId !== null) this.#fetch(label.id, outcome.value)
    return ok(label)
  }

  /**
   * Reads a label again, because it may have changed. Returns before the read ends. Reads nothing without a connection
   * or a login, for a requested or cancelled label, or if the last read is less than `oldMs` ago.
   */
  refresh(id: LabelId): void {
    const { line, session, clock, labels, onFault } = this.#parts
    const label = labels.get(id)
    if (!label) return
    const { serverId, requested, cancelled, asOf, trouble } = label
    if (serverId === null || requested || cancelled || this.#underWay.has(id)) return
    // a label with this failure must be read again: the service refused a change because the label was requested, and
    // the read after that failed
    const isContradicted = trouble?.code === 'return_label.already_requested'
    const isFresh = asOf !== null && Math.abs(clock.now() - asOf) < oldMs && !isContradicted
    if (isFresh || line.isOffline() || !session.isSignedIn) return
    this.#underWay.add(id)
    const since = clock.now()
    void this.#read(serverId)
      .then((outcome) => {
        if (outcome.kind === 'answer') this.#note(id, outcome.value, since)
      })
      .catch(onFault)
      .finally(() => this.#underWay.delete(id))
  }

  #read(serverId: ServerLabelId): Promise<ApiOutcome<ReturnLabel>> {
    const { api, session } = this.#parts
    return session.withAccess((token) => api.getReturnLabel(token, serverId))
  }

  #note(labelId: LabelId, record: ReturnLabel, since: Instant): void {
    const { labels, clock, moved } = this.#parts
    if (!labels.describe(labelId, describeLabel(record), since, clock.now())) return
    moved(labelId)
    this.#fetch(labelId, record)
  }

  #fetch(labelId: LabelId, { url }: ReturnLabel): void {
    if (url !== null) this.#parts.documents.fetch(labelId, url)
  }
}
