import type { ModificationChange, ModificationDraft } from '#shared/bridge/stock-views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Sound } from '#scanner/sound.ts'
import { NumberEntry } from './number-entry.svelte.ts'
import type { WaitingText } from './typed-texts.svelte.ts'

/** The result of the operator's last act. It has its own area on the screen, so that nothing moves. */
export type Echo = EchoOfAct & {
  /** Scanned digits that were dropped by the last act and not used as a number of pieces. */
  readonly lost?: string
}
type EchoOfAct =
  | { readonly kind: 'changed'; readonly change: ModificationChange | 'undo' | 'taken_back' }
  /** A code that no record has. `askedService`: whether the service was asked for it. */
  | {
      readonly kind: 'unknown'
      readonly raw: string
      readonly misread: boolean
      readonly askedService: boolean
    }
  | { readonly kind: 'badge'; readonly username: string }
  /** Digits that were scanned for a line and are not yet saved as its number of pieces. */
  | { readonly kind: 'number'; readonly digits: string; readonly name: string }
  | { readonly kind: 'number_waits'; readonly digits: string }
  | { readonly kind: 'number_none' }
  | { readonly kind: 'number_cleared' }
  /** A typed text that is no number of pieces, or no chosen location. It prevents the booking. */
  | ({ readonly kind: 'typed_waits' } & WaitingText)
  | { readonly kind: 'typed_cleared' }
  | { readonly kind: 'question_closed' }
  | { readonly kind: 'failed'; readonly failure: Failure }

/**
 * The results of the acts on a booking, and the digits of a number of pieces that is being scanned digit by digit. Each
 * shown result discards these digits, except the result of an added digit (`number`) and of PRIMARY (`number_waits`).
 * An act without a shown result, such as a scan with several meanings or a command that opens another place, does not
 * discard the digits.
 */
export class BookingEcho {
  readonly #play: (sound: Sound) => void
  readonly #number = new NumberEntry()
  #said = $state.raw<Echo | null>(null)
  /** The article of the line that changed last. Scanned digits set the number of pieces in the line of this article. */
  #lastVariantId: string | null = null

  constructor(play: (sound: Sound) => void) {
    this.#play = play
  }

  get said(): Echo | null {
    return this.#said
  }
  get pending(): NumberEntry['pending'] {
    return this.#number.pending
  }

  say(echo: Echo, sound: Sound): void {
    const isNumber = echo.kind === 'number' || echo.kind === 'number_waits'
    // Any result other than `number` and `number_waits` discards the digits that were scanned so far, so that they do
    // not set the number of pieces of another line. The result shows the discarded digits (`lost`).
    const lost = isNumber ? undefined : this.#number.take()?.digits
    this.#said = lost === undefined ? echo : { ...echo, lost }
    this.#play(lost !== undefined && sound === 'done' ? 'look' : sound)
  }

  fail(failure: Failure): void {
    this.say({ kind: 'failed', failure }, 'stop')
  }

  /** Shows that an act on the draft was saved. */
  changed(change: ModificationChange | 'undo' | 'taken_back'): void {
    if (typeof change !== 'string' && 'variantId' in change) this.#lastVariantId = change.variantId
    this.say({ kind: 'changed', change }, 'done')
  }

  /** Removes the shown result, because another element takes its area. A number that is being scanned is kept. */
  silence(): void {
    this.#said = null
  }

  /**
   * Called after the booking was made. Forgets the shown result, the scanned digits and the line for which digits are
   * scanned.
   */
  end(): void {
    this.silence()
    this.#number.take()
    this.#lastVariantId = null
  }

  addDigit(digit: number, lines: ModificationDraft['lines']): void {
    const line = lines.find(({ variant }) => variant.id === this.#lastVariantId)
    if (!line) {
      this.say({ kind: 'number_none' }, 'look')
      return
    }
    const hasRoom = this.#number.add(digit, line.variant.id)
    const digits = this.#number.pending?.digits ?? ''
    this.say({ kind: 'number', digits, name: line.variant.name }, hasRoom ? 'done' : 'look')
  }

  takeNumber(): ReturnType<NumberEntry['take']> {
    return this.#number.take()
  }
}
