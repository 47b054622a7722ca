import type { Deed, Said } from './errand.ts'

/** One press of one operator. */
export interface Wish {
  readonly desk: number
  readonly deed: Deed
  /** The same for all who do the same. */
  readonly meeting: number
  /** Milliseconds since 1970; null: the desk ended before the press. */
  readonly pressedAt: number | null
  /** The service's id of the label of that shipment that the operator saw before the press; null: none. */
  readonly seenId: string | null
  /** The desk's own id of the label or the modification; null: nothing was promised. */
  readonly subjectId: string | null
}

/** Presses of the same meeting no further apart than this are simultaneous. */
const sameInstantMs = 10

/** What the desks were told, and what they said of it. */
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

  /** Wishes that came as far as a press. */
  get pressed(): readonly Wish[] {
    return [...this.#wishes.values()].filter(({ pressedAt }) => pressedAt !== null)
  }

  /** Wishes that a desk has promised to keep. */
  get acknowledged(): readonly (Wish & { readonly subjectId: string })[] {
    return [...this.#wishes.values()].flatMap((wish) =>
      wish.subjectId === null ? [] : [{ ...wish, subjectId: wish.subjectId }],
    )
  }

  /** Presses that came within milliseconds after another one for the same. */
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
