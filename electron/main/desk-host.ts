import type { Desk } from '#desk/desk.ts'
import { eventNames, type EventName } from '#shared/bridge/channels.ts'
import type { EventPayload } from '#shared/bridge/contract.ts'
import type { Closing, StationView } from '#shared/bridge/views.ts'

type Broadcast = <E extends EventName>(event: E, payload: EventPayload<E>) => void

interface Running {
  readonly desk: Desk
  /** Says nothing more to the window, closes the files. */
  end(): Promise<void>
}

/** Runs the desk of one station at a time; another station closes it first, so that two never share the files. */
export class DeskHost {
  readonly #compose: (station: StationView) => Promise<Desk>
  readonly #broadcast: Broadcast
  /** The desk asked for last. Each waits for the end of the one before it, so that no two ever run. */
  #running: Promise<Running> | null = null
  /** The one that has started and is not being closed. */
  #started: Desk | null = null
  #isOver = false

  constructor(compose: (station: StationView) => Promise<Desk>, broadcast: Broadcast) {
    this.#compose = compose
    this.#broadcast = broadcast
  }

  /** Opens the station's desk and waits until it has recovered what an earlier run left. */
  async open(station: StationView): Promise<void> {
    this.#running = this.#follow(this.#running, station)
    await this.#running
  }

  /** The running desk, or the one being opened. Throws where none was opened, which is a fault of ours. */
  async desk(): Promise<Desk> {
    if (!this.#running) throw new Error('no desk is open')
    return (await this.#running).desk
  }

  /** What the running desk has not sent for sure; null while none runs. */
  unsent(): Closing | null {
    if (!this.#started) return null
    const { waiting, asking } = this.#started.status().unsent
    return { waiting, asking }
  }

  /** For good: what is still opening is closed as well, and nothing opens afterwards. */
  async close(): Promise<void> {
    this.#isOver = true
    const running = this.#running
    this.#running = null
    await end(running)
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
      // half of it may run already, and it holds the files
      await running.end()
      throw error
    }
    this.#started = desk
    return running
  }
}

async function end(running: Promise<Running> | null): Promise<void> {
  // one that failed to open has nothing left to close
  await (await running?.catch(() => null))?.end()
}
