import type { Life } from '../outbox/life.ts'
import type { Deed, Errand, Said } from './errand.ts'

/** A press gets this long on its way to the desk, so that all who are to press at once hear of it in time. */
const noticeMs = 80

interface Waiting {
  readonly deedId: string
  readonly deed: Deed
  readonly at: number
}

/** One desk as the floor sees it: a press that comes while it is down is made once it is up again. */
export class Station {
  #life: Life | null = null
  readonly #waiting = new Map<string, Waiting>()

  get isUp(): boolean {
    return this.#life !== null
  }

  /** `at`: when to press, in milliseconds since 1970. */
  give(press: Waiting): void {
    this.#waiting.set(press.deedId, press)
    if (this.#life) tell(this.#life, press)
  }

  /** What was not pressed before is pressed in this life. */
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
