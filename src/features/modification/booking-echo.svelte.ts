import type { ModificationChange, ModificationDraft } from '#shared/bridge/stock-views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Sound } from '#scanner/sound.ts'
import { NumberEntry } from './number-entry.svelte.ts'

/** What the last act came to: shown in a place of its own, so that nothing moves. */
export type Echo = EchoOfAct & {
  /** Digits that were scanned before and not taken: something else came. */
  readonly lost?: string
}
type EchoOfAct =
  | { readonly kind: 'changed'; readonly change: ModificationChange | 'undo' | 'taken_back' }
  | { readonly kind: 'unknown'; readonly raw: string; readonly misread: boolean }
  | { readonly kind: 'badge'; readonly username: string }
  /** Digits that are scanned for a line: shown until they are taken. */
  | { readonly kind: 'number'; readonly digits: string; readonly name: string }
  | { readonly kind: 'number_waits'; readonly digits: string }
  | { readonly kind: 'number_none' }
  | { readonly kind: 'number_cleared' }
  | { readonly kind: 'failed'; readonly failure: Failure }

/** What is said of the acts on a booking, and the number that is scanned digit by digit: whatever else is said ends it. */
export class BookingEcho {
  readonly #play: (sound: Sound) => void
  readonly #number = new NumberEntry()
  #said = $state.raw<Echo | null>(null)
  /** The article of the last act on a line: scanned digits are its pieces. */
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
    // what is no digit ends the number: it is said, and never becomes the pieces of something else
    const lost = isNumber ? undefined : this.#number.take()?.digits
    this.#said = lost === undefined ? echo : { ...echo, lost }
    this.#play(lost !== undefined && sound === 'done' ? 'look' : sound)
  }

  fail(failure: Failure): void {
    this.say({ kind: 'failed', failure }, 'stop')
  }

  /** An act on the draft was taken. */
  changed(change: ModificationChange | 'undo' | 'taken_back'): void {
    if (typeof change !== 'string' && 'variantId' in change) this.#lastVariantId = change.variantId
    this.say({ kind: 'changed', change }, 'done')
  }

  /** Something else is shown in its place; a number that was begun stays. */
  silence(): void {
    this.#said = null
  }

  /** Nothing of the booking that was made is meant any more. */
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
