import type { LabelId } from '#shared/domain/ids.ts'
import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { QueueDecision, QueueLine } from '#shared/bridge/queue-views.ts'
import type { Result } from '#shared/errors/result.ts'
import type { Desk } from '#desk/desk.ts'
import type { Random } from '#middleware/warehouse/demo/random.ts'
import type { Deed, Errand, Said } from './errand.ts'

type Press = Extract<Errand, { tell: 'press' }>
type BookingDeed = Extract<Deed, { kind: 'booking' }>

export interface OperatorOptions {
  /** Share of the desk's questions that the operator leaves open until this process ends, from 0 to 1. */
  readonly leaves: number
  readonly random: Random
  readonly say: (what: Said) => void
}

const slowestDecisionMs = 600
const dismissRate = 0.15
/** Milliseconds by which a timer fires early, so that it is not late on a busy machine. */
const spinMs = 12

/** An operator of one desk: scans, makes labels and bookings, decides questions and dismisses some notices. */
export class Operator {
  readonly #desk: Desk
  readonly #options: OperatorOptions
  /**
   * The time of each decision in milliseconds since 1970. Infinity: the operator does not decide while this process
   * runs.
   */
  readonly #decidesAt = new Map<string, number>()
  readonly #seenNotices = new Set<string>()

  constructor(desk: Desk, options: OperatorOptions) {
    this.#desk = desk
    this.#options = options
  }

  /** Scans the parcel or article at once, and makes the label or booking at the time `at`. */
  async press({ deedId, deed, at }: Press): Promise<void> {
    const { say } = this.#options
    const scanned = this.#scan(deed).then(() => say({ say: 'scanned' }))
    const shown = deed.kind === 'label' && deed.looks ? await this.#look(deed.shipmentId) : null
    await moment(at)
    const seenId = shown?.serverId ?? null
    say({ say: 'pressed', deedId, at: performance.timeOrigin + performance.now(), seenId })
    const done = await this.#do(deed, shown?.id ?? null)
    if (done.ok) say({ say: 'ack', deedId, subjectId: done.value.id })
    else say({ say: 'refused', deedId, code: done.error.code })
    await scanned
  }

  /** Decides each question whose time of decision has come, and dismisses some of the new notices. */
  lookAtQueue(): void {
    const { queue } = this.#desk
    const { lines, notices } = queue.list()
    for (const line of lines) if (line.question !== null && this.#isDue(line)) this.#decide(line)
    for (const { id } of notices) {
      if (this.#seenNotices.has(id)) continue
      this.#seenNotices.add(id)
      if (this.#options.random.chance(dismissRate)) queue.dismiss({ noticeId: id })
    }
  }

  async #scan(deed: Deed): Promise<void> {
    await this.#desk.scan.submit({ raw: deed.code, expect: deed.kind === 'label' ? 'anything' : 'stock' })
  }

  /** Returns the label on the card of a shipment, or null. */
  async #look(shipmentId: string): Promise<ReturnLabelView | null> {
    return (await this.#desk.returnLabel.look({ shipmentId })).label
  }

  /** `seen` is the desk's own id of the label that the operator saw. */
  #do(deed: Deed, seen: LabelId | null): Promise<Result<{ readonly id: string }>> {
    if (deed.kind === 'booking') return Promise.resolve(this.#book(deed))
    const { shipmentId, methodId, isRequested } = deed
    return this.#desk.returnLabel.make({
      mode: { by: 'shipment', shipmentId, shippingMethodId: methodId, sender: null },
      request: isRequested,
      seen,
    })
  }

  /** Clears the draft first, because an earlier process may have left lines in it. */
  #book({ variantId, locationId, reason, quantity }: BookingDeed): Result<{ readonly id: string }> {
    const { modification: modifications } = this.#desk
    modifications.change({ kind: 'clear' })
    modifications.change({ kind: 'location', locationId })
    modifications.change({ kind: 'reason', reason })
    modifications.change({ kind: 'note', note: 'counted at the desk' })
    const added = modifications.change({ kind: 'add', variantId })
    if (!added.ok) return added
    modifications.change({ kind: 'quantity', variantId, quantity })
    return modifications.book()
  }

  #isDue({ commandId, version }: QueueLine): boolean {
    const { random, leaves } = this.#options
    const key = `${commandId} ${version}`
    const at = this.#decidesAt.get(key)
    if (at !== undefined) return at <= Date.now()
    const isQuick = random.chance(0.7)
    const waitMs = random.chance(leaves) ? Infinity : isQuick ? 0 : random.int(50, slowestDecisionMs)
    this.#decidesAt.set(key, Date.now() + waitMs)
    return waitMs === 0
  }

  #decide(line: QueueLine): void {
    const decision = this.#choose(line)
    if (decision) this.#desk.queue.decide({ ...line, decision })
    // The operator decides once about each version of a question; a changed question has another version.
    this.#decidesAt.set(`${line.commandId} ${line.version}`, Infinity)
  }

  #choose({ question, choices }: QueueLine): QueueDecision | null {
    const { random } = this.#options
    const records = question !== null && 'records' in question ? question.records : []
    const discard: QueueDecision = { kind: 'discard', reason: 'no longer wanted' }
    switch (question?.kind) {
      case 'exists': {
        const kind = random.weighted([
          ['adopt', 4],
          ['go_on', 3],
          ['discard', 3],
        ] as const)
        if (kind === 'adopt' && choices.includes(kind) && records.length > 0)
          return { kind, serverId: random.pick(records).serverId }
        return kind === 'discard' ? discard : { kind: 'go_on' }
      }
      case 'outcome': {
        // Without records of the service, the operator cannot know the outcome, so the question stays open.
        if (records.length === 0) return null
        const kind = random.weighted([
          ['adopt', 6],
          ['send_again', 2],
          ['discard', 2],
        ] as const)
        if (kind === 'adopt') return { kind, serverId: random.pick(records).serverId }
        return kind === 'discard' ? discard : { kind }
      }
      case 'changed':
      case 'refused':
        return choices.includes('retry') ? { kind: 'retry' } : discard
      case undefined:
        return null
    }
  }
}

/**
 * Resolves at the given time with the precision of a millisecond. Timers are slightly late, so the last part is a busy
 * wait.
 */
async function moment(at: number): Promise<void> {
  const waitMs = at - Date.now()
  if (waitMs > spinMs) await new Promise((resolve) => setTimeout(resolve, waitMs - spinMs))
  while (Date.now() < at) await new Promise((resolve) => setImmediate(resolve))
}
