import type { Life } from '../outbox/life.ts'
import type { Deed, Errand, Said } from './errand.ts'

/**
 * Minimum milliseconds between the message to a desk and the time of its label or booking. In this time all desks that
 * must make the same label or booking become ready.
 */
const noticeMs = 80

interface Waiting {
  readonly deedId: string
  readonly deed: Deed
  readonly at: number
}

/**
 * A desk with all its successive processes. A label or booking that is due while no process runs is entered in the next
 * process.
 */
export class Station {
  #life: Life | null = null
  readonly #waiting = new Map<string, Waiting>()

  get isUp(): boolean {
    return this.#life !== null
  }

  /** `at`: the time of the label or booking, in milliseconds since 1970. */
  give(press: Waiting): void {
    this.#waiting.set(press.deedId, press)
    if (this.#life) tell(this.#life, press)
  }

  /** Tells a new process of the desk to make the labels and bookings that no earlier process has started to make. */
  attach(life: Life): void {
    this.#life = life
    for (const press of this.#waiting.values()) tell(life, press)
  }

  detach(): void {
    this.#life = null
  }

  hear(said: Said): void {
    if (said.say === 'pressed') this.#waiting.delete(said.deedId)
  }
}

function tell(life: Life, { deedId, deed, at }: Waiting): void {
  const errand: Errand = { tell: 'press', deedId, deed, at: Math.max(at, Date.now() + noticeMs) }
  life.tell(JSON.stringify(errand))
}
