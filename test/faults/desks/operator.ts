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
  /** How many of the questions stay open in this life. */
  readonly leaves: number
  readonly random: Random
  readonly say: (what: Said) => void
}

const slowestDecisionMs = 600
const dismissRate = 0.15
/** How early a timer has to be not to be late on a busy machine. */
const spinMs = 12

/** An operator of one desk: scans, presses, answers what the desk asks, dismisses some notices. */
export class Operator {
  readonly #desk: Desk
  readonly #options: OperatorOptions
  /** When each question is to be decided, in milliseconds since 1970; Infinity: not in this life. */
  readonly #decidesAt = new Map<string, number>()
  readonly #seenNotices = new Set<string>()

  constructor(desk: Desk, options: OperatorOptions) {
    this.#desk = desk
    this.#options = options
  }

  /** Scans at once and presses at the given moment. */
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

  /** Decides what is due now, and dismisses some of the notices that are new. */
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

  /** The label that the card of a shipment shows; null: none. */
  async #look(shipmentId: string): Promise<ReturnLabelView | null> {
    return (await this.#desk.returnLabel.look({ shipmentId })).label
  }

  /** `seen`: the desk's own id of the label that the operator knows of. */
  #do(deed: Deed, seen: LabelId | null): Promise<Result<{ readonly id: string }>> {
    if (deed.kind === 'booking') return Promise.resolve(this.#book(deed))
    const { shipmentId, methodId, isRequested } = deed
    return this.#desk.returnLabel.make({
      mode: { by: 'shipment', shipmentId, shippingMethodId: methodId, sender: null },
      request: isRequested,
      seen,
    })
  }

  /** Clears the draft first: a life before this one may have left something in it. */
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
    // once is enough: what moved on meanwhile has another version
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
        // nobody here can see what the desk cannot: without a record it stays open
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

/** Resolves at that moment, to a millisecond: timers come a little late, so the rest is waited for. */
async function moment(at: number): Promise<void> {
  const waitMs = at - Date.now()
  if (waitMs > spinMs) await new Promise((resolve) => setTimeout(resolve, waitMs - spinMs))
  while (Date.now() < at) await new Promise((resolve) => setImmediate(resolve))
}
