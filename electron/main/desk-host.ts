import type { Desk } from '#desk/desk.ts'
import { eventNames, type EventName } from '#shared/bridge/channels.ts'
import type { EventPayload } from '#shared/bridge/contract.ts'
import type { StationView } from '#shared/bridge/views.ts'

type Broadcast = <E extends EventName>(event: E, payload: EventPayload<E>) => void

/** Runs the desk of one station at a time; another station closes it first, so that two never share the files. */
export class DeskHost {
  readonly #compose: (station: StationView) => Promise<Desk>
  readonly #broadcast: Broadcast
  #running: Promise<Desk> | null = null

  constructor(compose: (station: StationView) => Promise<Desk>, broadcast: Broadcast) {
    this.#compose = compose
    this.#broadcast = broadcast
  }

  /** Opens the station's desk and waits until it has recovered what an earlier run left. */
  async open(station: StationView): Promise<void> {
    await this.close()
    this.#running = this.#start(station)
    await this.#running
  }

  /** The running desk. Throws where none was opened, which is a fault of ours. */
  desk(): Promise<Desk> {
    if (!this.#running) throw new Error('no desk is open')
    return this.#running
  }

  async close(): Promise<void> {
    const running = this.#running
    this.#running = null
    // a desk that failed to open has nothing to close
    const desk = await running?.catch(() => null)
    await desk?.close()
  }

  async #start(station: StationView): Promise<Desk> {
    const desk = await this.#compose(station)
    for (const event of eventNames) desk.on(event, (payload) => this.#broadcast(event, payload))
    await desk.start()
    return desk
  }
}
