import type { Desk } from '#desk/desk.ts'
import { eventNames, type EventName } from '#shared/bridge/channels.ts'
import type { EventPayload } from '#shared/bridge/contract.ts'
import type { Closing, DeskStatus, StationView } from '#shared/bridge/views.ts'
import { CataloguedError } from '#shared/errors/result.ts'

type Broadcast = <E extends EventName>(event: E, payload: EventPayload<E>) => void

interface Running {
  readonly desk: Desk
  /** Stops all events to the window and closes the desk's files. */
  end(): Promise<void>
}

/**
 * Runs the desk of one station at a time. It closes a desk before it opens another, so that two desks never use the
 * same files.
 */
export class DeskHost {
  readonly #compose: (station: StationView) => Promise<Desk>
  readonly #broadcast: Broadcast
  /**
   * The last requested desk. Each desk waits for the end of the previous desk, so that two desks never run at the same
   * time.
   */
  #running: Promise<Running> | null = null
  /** The station of the last requested desk; null before the first desk is requested. */
  #station: StationView | null = null
  /** Whether the last requested desk could not open. */
  #hasFailed = false
  /** The desk that has started and is not being closed. */
  #started: Desk | null = null
  #isOver = false

  constructor(compose: (station: StationView) => Promise<Desk>, broadcast: Broadcast) {
    this.#compose = compose
    this.#broadcast = broadcast
  }

  /** Opens the station's desk. Resolves after the desk has recovered the work of an earlier run. */
  async open(station: StationView): Promise<void> {
    await this.#request(station)
  }

  /** Whether the last call of `open` was for this station. The desk of the station may still be opening. */
  isAt(stationId: string): boolean {
    return stationId === this.#station?.id
  }

  /**
   * Returns the running desk, or waits for a desk that is opening. `stationId`: the station for which the window calls.
   * Throws `station.changed` if the last requested desk is that of another station: the old desk closes or is closed,
   * and the new desk must not do what the window asked of the old one. If that desk could not open, tries to open it
   * again, because the cause may have ended, and throws the error of this attempt. Throws if no desk was requested,
   * which is a programming error.
   */
  async desk(stationId?: string): Promise<Desk> {
    if (!this.#running || !this.#station) throw new Error('no desk is open')
    if (stationId !== undefined && !this.isAt(stationId)) throw new CataloguedError('station.changed')
    return (await (this.#hasFailed ? this.#request(this.#station) : this.#running)).desk
  }

  /** Returns how many commands of the running desk are perhaps not sent yet; null if no desk runs. */
  unsent(): Closing | null {
    if (!this.#started) return null
    const { waiting, asking } = this.#started.status().unsent
    return { waiting, asking }
  }

  /** Returns the status of the running desk, or null if no desk runs. */
  status(): DeskStatus | null {
    return this.#started?.status() ?? null
  }

  /** Closes the running desk, or a desk that is still opening. No desk can be opened afterwards. */
  async close(): Promise<void> {
    this.#isOver = true
    const running = this.#running
    this.#running = null
    await end(running)
  }

  #request(station: StationView): Promise<Running> {
    const running = this.#follow(this.#running, station)
    this.#running = running
    this.#station = station
    this.#hasFailed = false
    running.catch(() => {
      if (this.#running === running) this.#hasFailed = true
    })
    return running
  }

  async #follow(before: Promise<Running> | null, station: StationView): Promise<Running> {
    await end(before)
    if (this.#isOver) throw new Error('the app is closing')
    return this.#start(station)
  }

  async #start(station: StationView): Promise<Running> {
    const desk = await this.#compose(station)
    const silence = eventNames.map((event) => desk.on(event, (payload) => this.#broadcast(event, payload)))
    const running = {
      desk,
      end: () => {
        if (this.#started === desk) this.#started = null
        for (const stop of silence) stop()
        return desk.close()
      },
    }
    try {
      await desk.start()
    } catch (error) {
      // closes the desk, because a desk that failed to start may be partly running and has the files open
      await running.end()
      throw error
    }
    this.#started = desk
    return running
  }
}

async function end(running: Promise<Running> | null): Promise<void> {
  // a desk that failed to open has nothing to close
  await (await running?.catch(() => null))?.end()
}
