import type { LabelId } from '#shared/domain/ids.ts'
import type { Desk } from '#desk/desk.ts'
import type { QueueLine } from '#shared/bridge/queue-views.ts'
import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { Result } from '#shared/errors/result.ts'
import type { Modification } from '#shared/wire/modification.ts'
import type { DeskOptions } from '../../electron/compose-desk.ts'
import { DeskBench, eventually } from './desk-bench.ts'
import { scriptedLabel, type ScriptedLabel } from './scripted-records.ts'
import { ScriptedService } from './scripted-service.ts'
import { smallId } from './small-world.ts'
import { serverIdOf } from './ids.ts'

export const shelf = smallId(401)

export function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.error.code)
  return result.value
}

const unopened = new Proxy({} as Desk, {
  get() {
    throw new Error('the desk is not open')
  },
})

/** A desk at a scripted service with an adjustable clock, and the queue as the window shows it. */
export class QueueBench {
  readonly service = new ScriptedService()
  readonly bench: DeskBench
  desk: Desk
  /** Milliseconds that the test has added to the clock of the PC. */
  laterMs = 0

  private constructor(bench: DeskBench) {
    this.bench = bench
    this.desk = unopened
  }

  static async start(): Promise<QueueBench> {
    const station = new QueueBench(await DeskBench.create())
    await station.service.start()
    await station.#open()
    await station.signIn()
    await eventually(() => station.desk.status().index.shipments === station.service.shipments.length)
    return station
  }

  async stop(): Promise<void> {
    await this.bench.dispose()
    await this.service.stop()
  }

  /** Closes the desk and opens it again, as after a restart, this many milliseconds later. */
  async reopen(laterMs = 0, options: Partial<DeskOptions> = {}): Promise<void> {
    await this.bench.close(this.desk)
    this.laterMs += laterMs
    await this.#open(options)
  }

  async #open(options: Partial<DeskOptions> = {}): Promise<void> {
    const clock = { now: () => Date.now() + this.laterMs, ticks: () => performance.now() }
    const pace = { firstRetryMs: 20, slowestRetryMs: 50, failedChecksMs: 200 }
    const timeouts = { connectMs: 2_000, headersMs: 1_500, idleMs: 1_500, totalMs: 5_000 }
    this.desk = await this.bench.open(() => this.service.url, {
      ...{ clock, pace, timeouts, quietMs: 80 },
      ...options,
    })
  }

  async signIn(): Promise<void> {
    value(await this.desk.session.login({ username: 'sam', password: 'right' }))
  }

  /**
   * Stops the service, runs `act` while the desk is offline, and sets the clock two minutes forward. The service stays
   * stopped.
   */
  async whileOffline<T>(act: () => Promise<T> | T): Promise<T> {
    await this.service.stop()
    await eventually(() => this.desk.status().line.state === 'offline' || this.probe())
    const made = await act()
    await eventually(() => this.lines().some(({ failure }) => failure?.code === 'network.offline'))
    this.laterMs += 2 * 60_000
    return made
  }

  async online(): Promise<void> {
    await this.service.start()
  }

  /** Makes a call to the service, so that the desk notices the state of its connection. */
  probe(): false {
    void this.desk.scan.submit({ raw: 'SHP00000000099', expect: 'anything' })
    return false
  }

  lines(): QueueLine[] {
    return this.desk.queue.list().lines
  }

  /** Waits until the write of the given type has a question, and returns its line of the queue. */
  question(type: string): Promise<QueueLine> {
    return eventually(() => this.lines().find((line) => line.type === type && line.question !== null))
  }

  label(id: LabelId): ReturnLabelView {
    return value(this.desk.returnLabel.get({ id }))
  }

  /** Adds a label of another desk for the shipment to the records of the service. */
  theirLabel(index: number): ScriptedLabel {
    const shipment = this.service.shipments[index]
    if (!shipment) throw new Error('no such shipment')
    const label = scriptedLabel(this.service.labels.length + 1, shipment)
    this.service.labels.push(label)
    return label
  }

  /** Books a loss as another desk: two pieces of A-1 at the shelf of `enterLoss`. */
  theirLoss(quantity = -2): Modification {
    const { modifications } = this.service
    const at = new Date().toISOString()
    const made: Modification = {
      id: serverIdOf(smallId(790 + modifications.length)),
      reference: `MOD0000000009${modifications.length}`,
      reason: 'LOST',
      status: 'created',
      note: 'fell #0123456789abcdef0123',
      created_at: at,
      modified_at: at,
      modification_lines: [
        { variant: { id: smallId(301) }, location: { id: shelf, code: 'S-401' }, quantity },
      ],
    }
    modifications.push(made)
    return made
  }

  shipmentId(index: number): string {
    return this.service.shipments[index]?.id ?? ''
  }

  /**
   * Enters a loss of two pieces of A-1 into the draft of a booking, like an operator, but does not book it. The service
   * must be reachable, because the scan of A-1 asks it.
   */
  async enterLoss(): Promise<void> {
    const scanned = await this.desk.scan.submit({ raw: `LOC ${shelf}`, expect: 'stock' })
    if (scanned.kind !== 'location') throw new Error(scanned.kind)
    this.desk.modification.change({ kind: 'location', locationId: scanned.location.id })
    for (let piece = 0; piece < 2; piece++) {
      const article = await this.desk.scan.submit({ raw: 'A-1', expect: 'stock' })
      if (article.kind !== 'article') throw new Error(article.kind)
      value(this.desk.modification.change({ kind: 'add', variantId: article.variant.id }))
    }
    this.desk.modification.change({ kind: 'reason', reason: 'LOST' })
  }
}
