import type { PlaceWindow } from '#place/place.ts'
import { ListPlace, type ListGroup } from '#place/list-place.svelte.ts'
import type { Scan } from '#place/station-commands.svelte.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type {
  QueueChoice,
  QueueDecision,
  QueueEdit,
  QueueLine,
  QueueNotice,
  QueueView,
} from '#shared/bridge/queue-views.ts'
import type { ScanOutcome } from '#shared/bridge/scan-views.ts'
import type { Command } from '#shared/domain/commands.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { Sound } from '#scanner/sound.ts'
import { writeKind } from './write-kinds.ts'

export interface QueueDeps {
  readonly bridge: ScandeskBridge
  readonly stationId: PlaceWindow['stationId']
  readonly play: (sound: Sound) => void
  /** Opens the form to change a write that was taken out of the queue. */
  readonly onEdit: (edit: QueueEdit) => void
  /** Adds a scan that this place handled to the list of last scans. */
  readonly onScanned: (outcome: ScanOutcome) => void
  readonly nowMs?: () => number
}

/** One entry of the queue: a write that waits, or a notice. */
export type QueueItem =
  | { readonly kind: 'line'; readonly key: string; readonly line: QueueLine }
  | { readonly kind: 'notice'; readonly key: string; readonly notice: QueueNotice }

type QueueGroup = ListGroup<QueueItem, 'asks' | 'noticed' | 'waits' | 'approved'>

/** Decisions that may send a write twice, and therefore need a second press. */
type Sending = 'send_again' | 'go_on'

/**
 * The question about the open entry. `version`: the version of the entry when the question was asked. A decision
 * applies only to the facts of this version, so the question is closed when the entry gets another version. `version`
 * is null if the desk asks nothing about the write. Each attempt changes the version of such a write, so the question
 * is closed only when the desk begins to ask something about the write.
 */
export type QueueStep =
  | { readonly kind: 'choose' }
  | { readonly kind: 'discard'; readonly version: string | null }
  | {
      readonly kind: 'confirm'
      readonly version: string
      readonly sending: Sending
      /** Whether the last scan was something other than the subject of the write. */
      readonly other: boolean
      readonly sinceMs: number
    }

interface QueueTypes {
  view: QueueView
  item: QueueItem
  group: QueueGroup['name']
  step: QueueStep
  choice: QueueChoice
  echo: QueueDecision['kind'] | 'dismiss'
}

/**
 * Time in milliseconds. A second press within this time counts as part of the first press, for example a double click
 * or a switch that bounces.
 */
const secondPressMs = 400

/** The waiting writes, the open entry, and the operator's decisions about it. */
export class QueueState extends ListPlace<QueueTypes> {
  readonly #deps: QueueDeps
  readonly #nowMs: () => number

  constructor(deps: QueueDeps) {
    super({
      play: deps.play,
      list: () => deps.bridge.queue.list(),
      groupsOf: queueGroups,
      keyOf: ({ key }) => key,
      choicesOf: (item) => (item.kind === 'line' ? item.line.choices : []),
      choose: { kind: 'choose' },
    })
    this.#deps = deps
    this.#nowMs = deps.nowMs ?? Date.now
  }

  /** The open write if it still waits, otherwise null. */
  get line(): QueueLine | null {
    return this.listed?.kind === 'line' ? this.listed.line : null
  }
  get mayRetryByEnter(): boolean {
    return this.step.kind === 'choose' && this.line?.question === null && this.offers('retry')
  }
  /**
   * Whether the desk waits for a scan of the open write's article or parcel. The scan confirms that the write is sent
   * again.
   */
  get awaitsScan(): boolean {
    return this.step.kind === 'confirm' && this.line !== null
  }

  /** Opens the write with a question about a label or a modification. Without such a write, nothing changes. */
  openQuestionOf(subjectId: string): void {
    this.openFirst(
      (item) => item.kind === 'line' && item.line.subject.id === subjectId && asksOperator(item.line),
    )
  }

  /** Asks for the reason before a write is discarded. */
  askReason(): void {
    const { line } = this
    if (!line || !this.offers('discard')) return
    this.setStep({ kind: 'discard', version: asksOperator(line) ? line.version : null })
  }

  /** Asks for confirmation at the first press and sends the write at the second press. */
  async send(sending: Sending): Promise<void> {
    const { line, step } = this
    if (!line || !this.offers(sending)) this.play('look')
    else if (step.kind !== 'confirm' || step.sending !== sending) {
      const { version } = line
      this.setStep({ kind: 'confirm', version, sending, other: false, sinceMs: this.#nowMs() })
      this.play('decide')
    } else if (this.#nowMs() - step.sinceMs >= secondPressMs) await this.decide({ kind: sending })
  }

  scan({ raw, reading }: Scan): Promise<void> | null {
    return reading.kind === 'none' && this.awaitsScan ? this.rescan(raw) : null
  }

  /**
   * Handles a scan while the desk asks for the article or parcel of the write. If the scan is that article or parcel,
   * the write is sent; any other scan sends nothing.
   */
  async rescan(raw: string): Promise<void> {
    const { line, step } = this
    if (!line || step.kind !== 'confirm') return
    const expect = writeKind(line.brief.kind).expectation
    const station = this.#deps.stationId()
    const result = await this.#deps.bridge.scan.submit({ raw, expect }, station)
    if (!result.ok) {
      this.setFailure(result.error)
      this.play('stop')
      return
    }
    // the window must not show at another station what was scanned at this one, so the result of the scan is dropped
    if (station !== this.#deps.stationId()) return
    this.#deps.onScanned(result.value)
    if (this.step !== step) this.play('look')
    else if (writeKind(line.brief.kind).isRescan(line.brief, result.value))
      await this.decide({ kind: step.sending })
    else {
      this.setStep({ ...step, other: true })
      this.play('look')
    }
  }

  async decide(decision: QueueDecision): Promise<void> {
    const { line } = this
    if (!line || !this.offers(decision.kind)) return
    const { commandId, version } = line
    // after the decision `retry` the entry stays open, so that the operator can watch the write; any other decision
    // closes the entry
    await this.act(decision.kind, decision.kind === 'retry', () =>
      this.#deps.bridge.queue.decide({ commandId, version, decision }),
    )
  }

  async dismiss(noticeId: string): Promise<void> {
    await this.act('dismiss', false, () => this.#deps.bridge.queue.dismiss({ noticeId }))
  }

  /** Marks this notice about an approved booking as read, and all earlier notices about approved bookings. */
  async dismissApproved(noticeId: string): Promise<void> {
    await this.act('dismiss', false, () => this.#deps.bridge.queue.dismissApproved({ noticeId }))
  }

  async edit(): Promise<void> {
    const { line } = this
    if (!line || this.busy || !this.offers('edit')) return
    const result = await this.whileBusy(() => this.#deps.bridge.queue.edit({ commandId: line.commandId }))
    if (!result.ok) return
    this.close()
    this.play('done')
    this.#deps.onEdit(result.value)
  }

  override run(command: Command): boolean {
    const records = this.line?.question && 'records' in this.line.question ? this.line.question.records : []
    const [only, second] = records
    if (command === 'ADOPT' && only && !second && this.offers('adopt'))
      void this.decide({ kind: 'adopt', serverId: only.serverId })
    // RESEND only asks for confirmation and sends nothing: a scanner may read a command twice, which must not count as
    // the confirmation
    else if (command === 'RESEND' && this.offers('send_again')) void this.#askOnce('send_again')
    else if (command === 'RESEND' && this.offers('go_on')) void this.#askOnce('go_on')
    else if (command === 'LATER' && this.offers('later')) void this.decide({ kind: 'later' })
    else return super.run(command)
    return true
  }

  async #askOnce(sending: Sending): Promise<void> {
    if (this.step.kind === 'confirm') this.play('decide')
    else await this.send(sending)
  }

  protected mayAsk(step: QueueStep): boolean {
    if (step.kind === 'choose') return true
    if (step.kind === 'confirm' && !this.offers(step.sending)) return false
    // `version` is null for a write about which the desk asks nothing. Each attempt changes the version of such a
    // write, so the version is not compared. If the desk now asks a question, the operator has not seen its facts, so
    // the step is closed.
    if (step.version === null) return this.line !== null && !asksOperator(this.line)
    return step.version === this.line?.version
  }

  /**
   * Shows that the write has changed. The screen shows the same failure if main has dropped a decision because the
   * write has changed.
   */
  protected override onStepClosed(): void {
    this.setFailure(failure('queue.moved_on'))
    this.play('look')
  }
}

/** Whether the write waits for a decision of the operator. */
export function asksOperator({ waitsFor, question }: QueueLine): boolean {
  return waitsFor === 'operator' || question !== null
}

/** Returns the queue in groups, in the order of the screen, without empty groups. */
function queueGroups({ lines, notices }: QueueView): readonly QueueGroup[] {
  const items = lines.map((line): QueueItem => ({ kind: 'line', key: line.commandId, line }))
  const asks = (item: QueueItem): boolean => item.kind === 'line' && asksOperator(item.line)
  const noticed = (isApproved: boolean): QueueItem[] =>
    notices
      .filter(({ kind }) => (kind === 'approved') === isApproved)
      .map((notice) => ({ kind: 'notice', key: `notice ${notice.id}`, notice }))
  const groups: QueueGroup[] = [
    { name: 'asks', items: items.filter(asks) },
    { name: 'noticed', items: noticed(false) },
    { name: 'waits', items: items.filter((item) => !asks(item)) },
    { name: 'approved', items: noticed(true) },
  ]
  return groups.filter((group) => group.items.length > 0)
}
