import { SvelteMap } from 'svelte/reactivity'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { QueueNotice } from '#shared/bridge/queue-views.ts'
import type { ModificationView } from '#shared/bridge/stock-views.ts'
import type { DeskStatus, WaitingWrite } from '#shared/bridge/views.ts'
import type { Sound } from '#scanner/sound.ts'
import { type BookingPhase, bookingPhase, outcomeOfBooking } from './booking-text.ts'

export interface BookedDeps {
  readonly bridge: ScandeskBridge
  readonly play: (sound: Sound) => void
}

/** The modifications booked at this desk, and the word that only the operator can give on one. */
export class Booked {
  readonly #deps: BookedDeps
  readonly #bookings = new SvelteMap<string, ModificationView>()
  #askedIds = $state.raw<readonly string[]>([])
  #writes = $state.raw<readonly WaitingWrite[]>([])
  #isOffline = $state(false)
  #disapproved = $state.raw<readonly QueueNotice[]>([])

  constructor(deps: BookedDeps) {
    this.#deps = deps
  }

  of(id: string): ModificationView | null {
    return this.#bookings.get(id) ?? null
  }

  phaseOf(booking: ModificationView): BookingPhase {
    return bookingPhase(booking, this.#askedIds.includes(booking.id))
  }

  /** The write of a booking that waits for the operator's word. */
  askedWrite(id: string): WaitingWrite | null {
    return this.#writes.find(({ needsOperator, subject }) => needsOperator && subject.id === id) ?? null
  }

  /** The write of a booking of which nobody knows whether it arrived. */
  doubt(id: string): WaitingWrite | null {
    return this.#writes.find(({ state, subject }) => state === 'unknown' && subject.id === id) ?? null
  }

  /** The notice that the warehouse disapproved a booking, until somebody has read it. */
  unread(id: string): QueueNotice | null {
    return this.#disapproved.find(({ subject }) => subject.id === id) ?? null
  }

  /** The operator has read that notice; the status that follows no longer names it. */
  async markRead({ id }: QueueNotice): Promise<void> {
    const result = await this.#deps.bridge.queue.dismiss({ noticeId: id })
    this.#deps.play(result.ok ? 'done' : 'stop')
  }

  get isOffline(): boolean {
    return this.#isOffline
  }

  async load(): Promise<void> {
    const recent = await this.#deps.bridge.modification.recent()
    this.#bookings.clear()
    if (recent.ok) for (const booking of recent.value) this.#bookings.set(booking.id, booking)
  }

  /** One that was just made: the event of a quick answer may have come before it. */
  add(booking: ModificationView): void {
    this.#take(booking)
  }

  /** A booking is looked at: main asks the service how it stands, and says so by an event. */
  async look(id: string): Promise<void> {
    const result = await this.#deps.bridge.modification.get({ id })
    if (result.ok) this.#take(result.value)
  }

  /** A booking moved on. Keeping it sounded already; what needs ears after that is a refusal of any kind. */
  onModification(booking: ModificationView): void {
    const before = this.#bookings.get(booking.id)
    if (!this.#take(booking)) return
    const phase = this.phaseOf(booking)
    if (before && this.phaseOf(before) === phase) return
    if (outcomeOfBooking(phase) === 'stop') this.#deps.play('stop')
    else if (phase === 'disapproved') this.#deps.play('look')
  }

  onStatus({ waitingWrites, line, decided }: DeskStatus): void {
    this.#disapproved = decided.disapproved
    this.#isOffline = line.state === 'offline'
    const asked = waitingWrites
      .filter(({ needsOperator, subject }) => needsOperator && subject.kind === 'modification')
      .map(({ subject }) => subject.id)
    if (asked.some((id) => !this.#askedIds.includes(id))) this.#deps.play('decide')
    this.#askedIds = asked
    this.#writes = waitingWrites
  }

  /** False for a view that a later one has overtaken. */
  #take(booking: ModificationView): boolean {
    const known = this.#bookings.get(booking.id)
    if (known && known.told > booking.told) return false
    this.#bookings.set(booking.id, booking)
    return true
  }
}
