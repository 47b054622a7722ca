import type { Deed, Said } from './errand.ts'

/** A request of one operator (wish): for a label of a shipment or for a booking. */
export interface Wish {
  readonly desk: number
  readonly deed: Deed
  /**
   * Number of the group of requests for the same label or booking to which this request belongs (`Meeting` in
   * floor.ts).
   */
  readonly meeting: number
  /**
   * Time at which the operator entered the request, in milliseconds since 1970. Null if the desk ended before the
   * entry.
   */
  readonly pressedAt: number | null
  /**
   * Id at the service of the label that the card of the shipment showed when the operator entered the request. Null if
   * the operator saw no label.
   */
  readonly seenId: string | null
  /**
   * Id of the label or the modification in the database of the desk. Null if the desk did not acknowledge the request.
   */
  readonly subjectId: string | null
}

/**
 * Wishes of several operators for the same label or booking count as simultaneous if they are at most this number of
 * milliseconds apart.
 */
const sameInstantMs = 10

/** The requests of the operators for labels and bookings, and the messages of the desks about these requests. */
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

  /** Returns all requests (`Wish`) that operators entered, whether or not a desk has acknowledged them. */
  get pressed(): readonly Wish[] {
    return [...this.#wishes.values()].filter(({ pressedAt }) => pressedAt !== null)
  }

  /** Returns the requests (`Wish`) that the desks acknowledged. */
  get acknowledged(): readonly (Wish & { readonly subjectId: string })[] {
    return [...this.#wishes.values()].flatMap((wish) =>
      wish.subjectId === null ? [] : [{ ...wish, subjectId: wish.subjectId }],
    )
  }

  /**
   * Returns the number of acknowledged requests for labels and bookings that follow an equal request of another
   * operator within ten milliseconds.
   */
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
