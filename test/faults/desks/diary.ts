import type { Deed, Said } from './errand.ts'

/** One wish of one operator: for a label of a shipment or for a booking. */
export interface Wish {
  readonly desk: number
  readonly deed: Deed
  /** Number of the meeting, which is the same for all operators who enter the same wish. */
  readonly meeting: number
  /** Time of the wish in milliseconds since 1970. Null if the desk ended before the operator entered it. */
  readonly pressedAt: number | null
  /**
   * The service's id of the label that the operator saw for the shipment of the wish before entering it. Null if there
   * was none.
   */
  readonly seenId: string | null
  /** The desk's own id of the label or the modification. Null without an acknowledgement. */
  readonly subjectId: string | null
}

/** Milliseconds within which equal wishes of several operators count as simultaneous. */
const sameInstantMs = 10

/** The wishes that operators entered at the desks, and the output lines of the desks about them. */
export class Diary {
  scans = 0
  presses = 0
  readonly refused: Record<string, number> = {}
  readonly faults: string[] = []
  readonly #wishes = new Map<string, { -readonly [Key in keyof Wish]: Wish[Key] }>()

  plan(deedId: string, wish: Pick<Wish, 'desk' | 'deed' | 'meeting'>): void {
    this.#wishes.set(deedId, { ...wish, pressedAt: null, seenId: null, subjectId: null })
  }

  note(said: Said): void {
    switch (said.say) {
      case 'scanned':
        this.scans++
        return
      case 'pressed': {
        this.presses++
        const wish = this.#wishes.get(said.deedId)
        if (wish) [wish.pressedAt, wish.seenId] = [said.at, said.seenId]
        return
      }
      case 'ack': {
        const wish = this.#wishes.get(said.deedId)
        if (wish) wish.subjectId = said.subjectId
        return
      }
      case 'refused':
        this.refused[said.code] = (this.refused[said.code] ?? 0) + 1
        return
      case 'fault':
        this.faults.push(said.problem)
        return
      case 'ready':
    }
  }

  /** Returns the wishes that an operator entered. */
  get pressed(): readonly Wish[] {
    return [...this.#wishes.values()].filter(({ pressedAt }) => pressedAt !== null)
  }

  /** Returns the wishes that a desk acknowledged. */
  get acknowledged(): readonly (Wish & { readonly subjectId: string })[] {
    return [...this.#wishes.values()].flatMap((wish) =>
      wish.subjectId === null ? [] : [{ ...wish, subjectId: wish.subjectId }],
    )
  }

  /** Returns the number of wishes that an operator entered within milliseconds after another operator's equal wish. */
  get simultaneous(): number {
    const pressed = this.acknowledged.flatMap(({ meeting, pressedAt }) =>
      pressedAt === null ? [] : [{ meeting, pressedAt }],
    )
    return [...Map.groupBy(pressed, ({ meeting }) => meeting).values()].reduce((sum, presses) => {
      const times = presses.map(({ pressedAt }) => pressedAt).toSorted((a, b) => a - b)
      return sum + times.filter((at, index) => at - (times[index - 1] ?? -Infinity) <= sameInstantMs).length
    }, 0)
  }
}
