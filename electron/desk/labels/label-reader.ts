import type { LabelId, ServerLabelId } from '#shared/domain/ids.ts'
import type { Instant } from '#shared/domain/instants.ts'
import { ok, type Result } from '#shared/errors/result.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import type { LabelDocuments } from '../paper/label-documents.ts'
import { describeLabel, newLabelId } from './label-records.ts'
import type { Line } from '../service/line.ts'
import type { ApiOutcome, ApiPort } from '../ports/api.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { LabelLedger, LabelRow } from '../ports/label-ledger.ts'
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

  /** Reads a label again, because it may have changed. Returns before the read ends. */
  refresh(id: LabelId): void {
    const { line, session, clock, labels, onFault } = this.#parts
    const label = labels.get(id)
    if (!label) return
    const { serverId, requested, cancelled, asOf, trouble } = label
    if (serverId === null || requested || cancelled || this.#underWay.has(id)) return
    // the label must be read again: the service refused a change of a requested label, and the read after that failed
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
