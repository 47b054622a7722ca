import { typeText } from './edit-commands.ts'
import type { TypedInto } from './field-snapshot.ts'
import { OptionTyping } from './option-typing.ts'

interface Held {
  readonly text: string
  readonly timeStampMs: number
}

/** Chromium's own word on whether keys wait to be heard; a timer may come before them on a busy machine. */
interface Scheduling {
  readonly scheduling?: { readonly isInputPending?: () => boolean }
}

/**
 * Keys that a field or a list would have got, held back until it is known whether a hand or a scanner sent them. What is given
 * on is inserted as typed text, so that the field's undo history has it like any other.
 */
export class HeldKeys {
  #keys: readonly Held[] = []
  #field: TypedInto | null = null
  readonly #options = new OptionTyping()
  #givenMs = Number.NEGATIVE_INFINITY
  #timer: ReturnType<typeof setTimeout> | undefined

  /** What is held, as the field would show it. */
  get text(): string {
    return this.#keys.map(({ text }) => text).join('')
  }

  hold(field: TypedInto, key: Held): void {
    if (this.#field !== field) this.give()
    this.#field = field
    this.#keys = [...this.#keys, key]
  }

  /** Notes a key that the field gets by itself. */
  pass(timeStampMs: number): void {
    this.#givenMs = timeStampMs
  }

  /** Whether the field got a key of this time or later. */
  gaveSince(timeStampMs: number): boolean {
    return this.#givenMs >= timeStampMs
  }

  /** Whether a key of this time goes on with letters that pick an option of this list. */
  spells(list: HTMLSelectElement, timeStampMs: number): boolean {
    return this.#keys.length > 0 || this.#options.isUnderWay(list, timeStampMs)
  }

  /** Gives the field what is held, up to the keys of this time. */
  give(beforeMs = Number.POSITIVE_INFINITY): void {
    this.clearTimer()
    const field = this.#field
    const given = this.#keys.filter(({ timeStampMs }) => timeStampMs < beforeMs)
    this.#keys = this.#keys.slice(given.length)
    const text = given.map((key) => key.text).join('')
    const last = given.at(-1)
    if (field === null || last === undefined) return
    this.#givenMs = last.timeStampMs
    if (text === '') return
    if (field instanceof HTMLSelectElement) this.#options.type(field, text, last.timeStampMs)
    else insert(field, text)
  }

  /** Forgets what is held: a scanner sent it. */
  drop(): void {
    this.clearTimer()
    this.#keys = []
  }

  /** Calls back when no key has come for so long, and none waits to be heard. */
  after(waitMs: number, act: () => void): void {
    this.clearTimer()
    this.#timer = setTimeout(() => {
      const { scheduling } = navigator as Scheduling
      if (scheduling?.isInputPending?.()) this.after(waitMs, act)
      else act()
    }, waitMs)
  }

  clearTimer(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}

function insert(field: HTMLInputElement | HTMLTextAreaElement, text: string): void {
  if (field.readOnly || field.disabled) return
  const { ownerDocument: page } = field
  if (page.activeElement === field && typeText(page, text)) return
  field.setRangeText(text, field.selectionStart ?? 0, field.selectionEnd ?? 0, 'end')
  field.dispatchEvent(new InputEvent('input', { bubbles: true }))
}
