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

/** The modifications booked at this desk, and the writes and notices about them that need the operator. */
export class Booked {
  readonly #deps: BookedDeps
  readonly #bookings = new SvelteMap<string, ModificationView>()
  #questionIds = $state.raw<readonly string[]>([])
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
    return bookingPhase(booking, this.#questionIds.includes(booking.id))
  }

  /** Returns the write of a booking if the write waits for the operator's decision. */
  writeWithQuestion(id: string): WaitingWrite | null {
    return this.#writes.find(({ needsOperator, subject }) => needsOperator && subject.id === id) ?? null
  }

  /** Returns the write of a booking if it is unknown whether the write arrived. */
  doubt(id: string): WaitingWrite | null {
    return this.#writes.find(({ state, subject }) => state === 'unknown' && subject.id === id) ?? null
  }

  /** Returns the unread notice that the warehouse disapproved a booking. */
  unread(id: string): QueueNotice | null {
    return this.#disapproved.find(({ subject }) => subject.id === id) ?? null
  }

  /** Marks a notice as read. The next status of the desk does not contain the notice. */
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

  /**
   * Adds a booking that was just made. If an event has already brought a newer view of the booking, the newer view
   * stays.
   */
  add(booking: ModificationView): void {
    this.#take(booking)
  }

  /**
   * Reads a booking that is shown. If the status of the booking is older than a minute, main then asks the service and
   * sends the result as an event.
   */
  async look(id: string): Promise<void> {
    const result = await this.#deps.bridge.modification.get({ id })
    if (result.ok) this.#take(result.value)
  }

  /**
   * Handles a changed booking. Only a refusal or a disapproval plays a sound, because saving the booking has already
   * played a sound.
   */
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
    if (asked.some((id) => !this.#questionIds.includes(id))) this.#deps.play('decide')
    this.#questionIds = asked
    this.#writes = waitingWrites
  }

  /** Stores a view of a booking. Returns false, and stores nothing, if the stored view is newer. */
  #take(booking: ModificationView): boolean {
    const known = this.#bookings.get(booking.id)
    if (known && known.told > booking.told) return false
    this.#bookings.set(booking.id, booking)
    return true
  }
}
