import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type {
  QueueChoice,
  QueueDecision,
  QueueEdit,
  QueueLine,
  QueueView,
} from '#shared/bridge/queue-views.ts'
import type { ScanOutcome } from '#shared/bridge/scan-views.ts'
import type { Command } from '#shared/domain/commands.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'
import type { Sound } from '#scanner/sound.ts'
import { outcomeOfFailure } from '#ui/failure-text.ts'
import { asksOperator, type QueueGroup, type QueueItem } from './queue-items.ts'
import { QueueReader } from './queue-reader.svelte.ts'
import { expectationOf, isRescan } from './rescan.ts'

export interface QueueDeps {
  readonly bridge: ScandeskBridge
  readonly play: (sound: Sound) => void
  /** A write was taken out of the queue, to be changed there. */
  readonly onEdit: (edit: QueueEdit) => void
  /** A scan that stays here: for the list of last scans. */
  readonly onScanned: (outcome: ScanOutcome) => void
  readonly nowMs?: () => number
}

/** What can send a second one, and therefore asks twice. */
type Sending = 'send_again' | 'go_on'

/** What is asked of the operator about the entry that is open. */
export type QueueStep =
  | { readonly kind: 'choose' }
  | { readonly kind: 'discard' }
  /** `other`: something else was scanned in place of what the write is about. */
  | { readonly kind: 'confirm'; readonly sending: Sending; readonly other: boolean; readonly sinceMs: number }

/** A second press that comes quicker is the same press: a double click, a bouncing switch. */
const secondPressMs = 400
const choose: QueueStep = { kind: 'choose' }

/** What waits, the entry that is open, and what the operator decides about it. */
export class QueueState {
  readonly #deps: QueueDeps
  readonly #nowMs: () => number
  readonly #reader: QueueReader
  /** Why the operator's word could not be taken. */
  #failure = $state.raw<Failure | null>(null)
  #openKey = $state<string | null>(null)
  /** The open entry as it was last seen: it may have left the queue since. */
  #seen = $state.raw<QueueItem | null>(null)
  #cursorKey = $state<string | null>(null)
  #step = $state.raw<QueueStep>(choose)
  #echo = $state<QueueDecision['kind'] | 'dismiss' | null>(null)
  #busy = $state(false)

  constructor(deps: QueueDeps) {
    this.#deps = deps
    this.#nowMs = deps.nowMs ?? Date.now
    this.#reader = new QueueReader(deps.bridge, (before) => {
      this.#follow(before)
    })
  }

  /** Null until the first answer. */
  get view(): QueueView | null {
    return this.#reader.view
  }
  get groups(): readonly QueueGroup[] {
    return this.#reader.groups
  }
  /** Why the operator's word could not be taken, or else why the queue could not be read. */
  get failure(): Failure | null {
    return this.#failure ?? this.#reader.failure
  }
  get busy(): boolean {
    return this.#busy
  }
  get step(): QueueStep {
    return this.#step
  }
  /** What the last decision came to, until the next entry is opened. */
  get echo(): QueueDecision['kind'] | 'dismiss' | null {
    return this.#echo
  }
  /** Where the cursor is in the list; an entry that left hands it on. */
  get cursorKey(): string | null {
    return this.#cursorKey
  }
  /** The entry that is open, as it is now or as it was last. */
  get opened(): QueueItem | null {
    return this.#openKey === null ? null : this.#seen
  }
  /** Whether the open entry left the queue by itself. */
  get gone(): boolean {
    return this.#openKey !== null && this.#reader.find(this.#openKey) === null
  }
  /** The write that is open and still waits. */
  get line(): QueueLine | null {
    const { opened } = this
    return opened?.kind === 'line' && !this.gone ? opened.line : null
  }
  /** A question has no large button: Enter must not answer it. */
  get mayRetryByEnter(): boolean {
    return this.#step.kind === 'choose' && this.line?.question === null && this.offers('retry')
  }

  offers(choice: QueueChoice): boolean {
    return this.line?.choices.includes(choice) === true
  }

  /** Reads the queue; calls while it is being read lead to one more reading. */
  load(): Promise<void> {
    return this.#reader.load()
  }

  /** Another operator or station: what this one looked at is not the next one's. */
  reset(): void {
    this.#reader.reset()
    this.#failure = null
    this.#echo = null
    this.#cursorKey = null
    this.close()
  }

  /** Opens an entry; one that is not in the queue any more leaves the list as it is. */
  open(key: string): void {
    const found = this.#reader.find(key)
    this.#openKey = found && key
    this.#seen = found
    this.#cursorKey = found ? key : this.#cursorKey
    this.#step = choose
    this.#failure = null
    this.#echo = null
  }

  /** Opens the write that asks about a label or a modification; where none does, the list stays as it is. */
  openAsked(subjectId: string): void {
    const asked = this.#reader.items.find(
      (item) => item.kind === 'line' && item.line.subject.id === subjectId && asksOperator(item.line),
    )
    if (asked) this.open(asked.key)
  }

  /** Back to the list. */
  close(): void {
    this.#openKey = null
    this.#seen = null
    this.#step = choose
  }

  /** The cursor went to an entry of the list. */
  point(key: string): void {
    this.#cursorKey = key
  }

  /** One step back, as Escape takes it; answers whether there was one. */
  back(): boolean {
    if (this.#step.kind !== 'choose') this.#step = choose
    else if (this.#openKey !== null) this.close()
    else return false
    return true
  }

  /** Asks why, before anything is discarded. */
  askReason(): void {
    if (this.offers('discard')) this.#step = { kind: 'discard' }
  }

  /** Asks first; the second press sends. */
  async send(sending: Sending): Promise<void> {
    const step = this.#step
    if (!this.offers(sending)) this.#deps.play('look')
    else if (step.kind !== 'confirm' || step.sending !== sending) {
      this.#step = { kind: 'confirm', sending, other: false, sinceMs: this.#nowMs() }
      this.#deps.play('decide')
    } else if (this.#nowMs() - step.sinceMs >= secondPressMs) await this.decide({ kind: sending })
  }

  /** Whether the next scan is to be the article or parcel that the open write is about. */
  get awaitsScan(): boolean {
    return this.#step.kind === 'confirm' && this.line !== null
  }

  /** A scan while one is awaited: what the write is about sends it, anything else does not. */
  async scan(raw: string): Promise<void> {
    const { line } = this
    const step = this.#step
    if (!line || step.kind !== 'confirm') return
    const expect = expectationOf(line.brief)
    const result = await this.#deps.bridge.scan.submit({ raw, expect })
    if (!result.ok) {
      this.#failure = result.error
      this.#deps.play('stop')
      return
    }
    this.#deps.onScanned(result.value)
    if (this.#step !== step) this.#deps.play('look')
    else if (isRescan(line.brief, result.value)) await this.decide({ kind: step.sending })
    else {
      this.#step = { ...step, other: true }
      this.#deps.play('look')
    }
  }

  async decide(decision: QueueDecision): Promise<void> {
    const { line } = this
    if (!line || this.#busy || !this.offers(decision.kind)) return
    const { commandId, version } = line
    await this.#act(decision.kind, () => this.#deps.bridge.queue.decide({ commandId, version, decision }))
  }

  async dismiss(noticeId: string): Promise<void> {
    await this.#act('dismiss', () => this.#deps.bridge.queue.dismiss({ noticeId }))
  }

  /** This approval and all before it were read. */
  async dismissApproved(noticeId: string): Promise<void> {
    await this.#act('dismiss', () => this.#deps.bridge.queue.dismissApproved({ noticeId }))
  }

  async edit(): Promise<void> {
    const { line } = this
    if (!line || this.#busy || !this.offers('edit')) return
    this.#busy = true
    this.#failure = null
    const result = await this.#deps.bridge.queue.edit({ commandId: line.commandId })
    this.#busy = false
    if (result.ok) {
      this.close()
      this.#deps.play('done')
      this.#deps.onEdit(result.value)
    } else this.#refuse(result.error)
  }

  /** What a scanned command means for the open entry; returns whether it means anything. */
  run(command: Command): boolean {
    const records = this.line?.question && 'records' in this.line.question ? this.line.question.records : []
    const [only, second] = records
    if (command === 'ADOPT' && only && !second && this.offers('adopt'))
      void this.decide({ kind: 'adopt', serverId: only.serverId })
    // by command it only asks: a scanner that reads twice must not send
    else if (command === 'RESEND' && this.offers('send_again')) void this.#askOnce('send_again')
    else if (command === 'RESEND' && this.offers('go_on')) void this.#askOnce('go_on')
    else if (command === 'LATER' && this.offers('later')) void this.decide({ kind: 'later' })
    else if (command === 'NEXT') return this.#openNext()
    else if (command === 'HOME') return this.back()
    else return false
    return true
  }

  async primary(): Promise<void> {
    if (this.mayRetryByEnter) await this.decide({ kind: 'retry' })
    else this.#deps.play('look')
  }

  /** The entry after the open one, or the one that the cursor is on; after the last comes the first. */
  #openNext(): boolean {
    const { items } = this.#reader
    const at = items.findIndex(({ key }) => key === (this.#openKey ?? this.#cursorKey))
    const next = this.#openKey === null && at >= 0 ? items[at] : (items[at + 1] ?? items[0])
    if (this.#step.kind !== 'choose' || !next) return false
    this.open(next.key)
    return true
  }

  async #askOnce(sending: Sending): Promise<void> {
    if (this.#step.kind === 'confirm') this.#deps.play('decide')
    else await this.send(sending)
  }

  async #act(kind: QueueDecision['kind'] | 'dismiss', call: () => Promise<Result<QueueView>>): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    this.#failure = null
    const result = await this.#reader.ask(call)
    this.#busy = false
    if (!result.ok) {
      this.#refuse(result.error)
      return
    }
    this.#deps.play('done')
    // one that was tried stays open to be watched; what is decided makes room for the next
    if (kind !== 'retry') this.close()
    this.#step = choose
    if (kind !== 'retry') this.#cursorKey = this.#reader.items[0]?.key ?? null
    this.#echo = kind
  }

  #refuse(failure: Failure): void {
    this.#failure = failure
    this.#step = choose
    this.#deps.play(outcomeOfFailure(failure))
  }

  /** Another view is here: the cursor and the open entry go with their writes. */
  #follow(before: readonly QueueItem[]): void {
    const now = this.#reader.items
    const wasAt = before.findIndex(({ key }) => key === this.#cursorKey)
    if (this.#cursorKey !== null && !now.some(({ key }) => key === this.#cursorKey))
      this.#cursorKey = now[Math.min(Math.max(wasAt, 0), now.length - 1)]?.key ?? null
    if (this.#openKey === null) return
    const found = this.#reader.find(this.#openKey)
    if (found) this.#seen = found
    const { step } = this
    if (!found || (step.kind === 'confirm' && !this.offers(step.sending))) this.#step = choose
  }
}
