import type { HeardScan } from '#shared/domain/scan-burst.ts'
import type { CalibrationResult } from '#shared/domain/wedge/calibration.ts'
import type { ScannerProfile } from '#shared/domain/wedge/scanner-profile.ts'
import { heldMs, LoneKeys, loneMs } from '#shared/domain/wedge/lone-keys.ts'
import { StrokeRecorder } from '#shared/domain/wedge/stroke-recorder.ts'
import { modifierKeys, type WedgeDecision, WedgeDecoder } from '#shared/domain/wedge/wedge-decoder.ts'
import type { WedgeKey } from '#shared/domain/wedge/stroke.ts'
import {
  type FieldSnapshot,
  focusedTarget,
  OptionTyping,
  restoreSnapshot,
  takeSnapshot,
  type TypedInto,
  typeText,
} from './fields.ts'
import { actsOn, isRepeated, press, TypedChanges } from './press.ts'

// this file has over 400 lines, because its listeners share the state of the keys that are held back: from this state,
// each listener decides whether a key is passed on, is typed later, or belongs to a scan

interface Recording {
  readonly recorder: StrokeRecorder
  readonly onScan: (result: CalibrationResult) => void
}

/**
 * A scan for the calibration ends when no key arrives for this time, in milliseconds. The time is longer than any pause
 * within a scan.
 */
const scanIsOverMs = 400

type Decision = WedgeDecision<FieldSnapshot | null>

/**
 * Handles the keys of the window before any other listener that acts on a key, so that a scan reaches the desk wherever
 * the focus is: in a field, on a button, in a dialog. Keys for a field are held back until it is certain that no
 * scanner sent them, or until the focus or the cursor is about to move.
 */
export class ScannerCapture {
  readonly #window: Window
  readonly #onScan: (scan: HeardScan, lastKeyMs: number) => void
  readonly #watchCard: () => () => boolean
  readonly #decoder: WedgeDecoder<FieldSnapshot | null>
  readonly #held = new HeldKeys()
  readonly #lone = new LoneKeys<Element | null>()
  /**
   * The wait between a lone key and its effect on the focused element. Another key within this time cancels the effect.
   */
  readonly #press = new QuietTimer()
  /** The keydown event of the lone key that started `#press` last. */
  #lastLone: KeyboardEvent | null = null
  readonly #changes = new TypedChanges()
  #recording: Recording | null = null
  /** Time stamp of the last key. */
  #lastKeyMs = 0
  /** The element into which an operator typed last, or which the first keys of a scan reached. */
  #changed: EventTarget | null = null
  /** Codes of keys whose keydown event was stopped here. Their keypress and keyup events must be stopped too. */
  readonly #swallowed = new Set<string>()

  /**
   * @param onScan - called with each scan and the time stamp of its last key: Enter or Tab, or the last character if a
   * pause ends the scan. @param profile - returns how this computer's keyboard scanner types; null if the scanner was
   * not calibrated. @param watchCard - called when a lone key is pressed. The function that it returns is called before
   * the key acts, and returns false if the screen meanwhile shows another card, so that the key must not act.
   */
  constructor(
    window: Window,
    onScan: (scan: HeardScan, lastKeyMs: number) => void,
    profile: () => ScannerProfile | null,
    watchCard: () => () => boolean,
  ) {
    this.#window = window
    this.#watchCard = watchCard
    this.#onScan = onScan
    this.#decoder = new WedgeDecoder(profile)
  }

  /** Starts to listen to the events of the window. Returns a function that stops the listening. */
  start(): () => void {
    const stopping = new AbortController()
    const { signal } = stopping
    const first = { capture: true, signal }
    this.#changes.start(this.#window, signal)
    this.#window.addEventListener('keydown', this.#onKeyDown, first)
    this.#window.addEventListener('keypress', this.#onKeyPress, first)
    this.#window.addEventListener('keyup', this.#onKeyUp, first)
    this.#window.addEventListener('input', this.#onInput, first)
    // before the cursor or the focus moves, the keys that are held back are inserted, so that they get to the old
    // cursor position
    for (const type of ['mousedown', 'focusout', 'compositionstart'] as const)
      this.#window.addEventListener(type, this.#give, first)
    this.#window.addEventListener('mousedown', this.#actBefore, first)
    this.#window.addEventListener('blur', this.#onBlur, { signal })
    return () => {
      stopping.abort()
      this.#onBlur()
    }
  }

  /**
   * Reads each scan as a calibration and passes the result to `onScan`, until the returned function is called. The desk
   * gets none of these scans.
   */
  readonly record = (onScan: (result: CalibrationResult) => void): (() => void) => {
    this.#held.give()
    this.#decoder.reset()
    const recording = { recorder: new StrokeRecorder(), onScan }
    this.#recording = recording
    return () => {
      if (this.#recording === recording) this.#recording = null
    }
  }

  readonly #onKeyDown = (event: KeyboardEvent): void => {
    if (isRepeated(event)) return
    this.#swallowed.delete(event.code)
    this.#lastKeyMs = event.timeStamp
    const { document } = this.#window
    if (this.#recording) {
      this.#takeDown(event, this.#recording)
      return
    }
    this.#actBefore(event)
    const decision = this.#decoder.feed(wedgeKey(event, document, this.#changed), () =>
      takeSnapshot(document, this.#held.text),
    )
    if (decision.kind === 'modifier') {
      if (!event.repeat && this.#lone.modifier(event.timeStamp, true)) this.#press.clear()
      return
    }
    this.#lone.heard(event.timeStamp)
    this.#press.clear()
    if (decision.kind === 'ignore') {
      this.#held.give()
      this.#passLone(event)
    } else if (decision.kind === 'character') this.#onCharacter(event, decision)
    else {
      this.#swallow(event)
      if (decision.kind === 'scan') this.#take(decision)
      else if (decision.kind === 'drop') this.#drop(decision)
      else this.#restoreFocus()
    }
  }

  /** Stops a key that would move the focus, press a control or submit a form and may be part of a barcode. */
  #passLone(event: KeyboardEvent): void {
    const { document } = this.#window
    const { key, repeat } = event
    const element = actsOn(event, document)
    const inField = focusedTarget(document) !== null
    const act = this.#lone.decide({ key, repeat, presses: element !== null, inField }, document.activeElement)
    if (act === 'pass') return
    this.#swallow(event)
    if (act === 'stop') this.#restoreFocus()
    else {
      this.#lastLone = event
      const isSameCard = this.#watchCard()
      this.#press.after(loneMs + latenessMs(event), () => {
        if (element !== null && document.activeElement === element && isSameCard())
          press(element, event, this.#changes)
      })
    }
  }

  /** Lets a waiting lone key act before a later key or click, which would cancel it or move the focus. */
  readonly #actBefore = (event: Event): void => {
    if (isLaterThan(this.#lastLone, event)) this.#press.endNow()
  }

  /** Moves the focus back to the element that had it before the Tab keys of a barcode. */
  #restoreFocus(): void {
    const before = this.#lone.takeFocus()
    if (before === null) return
    const { document } = this.#window
    if (before.focus instanceof HTMLElement && before.focus !== document.body) before.focus.focus()
    else if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
  }

  #takeDown(event: KeyboardEvent, { recorder, onScan }: Recording): void {
    if (!recorder.feed(wedgeKey(event, this.#window.document, null))) return
    this.#swallow(event)
    this.#held.after(scanIsOverMs, () => {
      const result = recorder.finish()
      if (result) onScan(result)
    })
  }

  #onCharacter(event: KeyboardEvent, decision: Extract<Decision, { kind: 'character' }>): void {
    const { burst, follows, text, holdMs } = decision
    const target = focusedTarget(this.#window.document)
    const isList = target instanceof HTMLSelectElement
    const opensList = isList && text === ' ' && !this.#held.spells(target, event.timeStamp)
    const field = opensList ? null : target
    if (!follows) this.#held.give()
    // the key of a space inside a scan is stopped, because it would press the focused button
    if (burst || (field && text !== '')) this.#swallow(event)
    else {
      this.#held.pass(event.timeStamp)
      this.#passLone(event)
    }
    if (field && text !== '') this.#held.hold(field, { text, timeStampMs: event.timeStamp })
    if (field || this.#decoder.endsByPause) this.#held.after(holdMs, this.#onPause)
  }

  readonly #onPause = (): void => {
    const decision = this.#decoder.pause(fieldKind(focusedTarget(this.#window.document)))
    if (decision.kind === 'scan') this.#take(decision)
    else this.#held.give()
  }

  #take(scan: Extract<Decision, { kind: 'scan' }>): void {
    this.#drop(scan)
    this.#onScan({ raw: scan.text, inBurst: scan.inBurst }, this.#lastKeyMs)
  }

  /** Removes the keys since the first key of a scan or a dropped burst, from the held keys and from the field. */
  #drop({ sinceMs, restore }: Extract<Decision, { kind: 'scan' | 'drop' }>): void {
    this.#held.give(sinceMs)
    this.#held.drop()
    // on a busy machine, some keys of the scan may already be in the field, so the content of the field is restored
    if (restore && this.#held.gaveSince(sinceMs)) {
      const changed = this.#changed
      restoreSnapshot(restore)
      this.#changed = changed
    }
    this.#restoreFocus()
  }

  readonly #onInput = (event: Event): void => {
    // a barcode may contain keys that delete, paste or undo text, so such a change does not count as typing of an
    // operator
    if (event instanceof InputEvent && isEdit.test(event.inputType)) return
    this.#changed = event.target
  }

  readonly #give = (): void => {
    this.#held.give()
  }

  readonly #onKeyPress = (event: KeyboardEvent): void => {
    if (this.#swallowed.has(event.code)) swallow(event)
  }

  readonly #onKeyUp = (event: KeyboardEvent): void => {
    if (modifierKeys.has(event.key)) this.#lone.modifier(event.timeStamp, false)
    if (isTap(event, this.#lastLone)) this.#press.clear()
    if (this.#swallowed.delete(event.code)) swallow(event)
  }

  readonly #onBlur = (): void => {
    this.#held.give()
    this.#press.clear()
    this.#decoder.reset()
    this.#swallowed.clear()
  }

  #swallow(event: KeyboardEvent): void {
    this.#swallowed.add(event.code)
    swallow(event)
  }
}

/**
 * Returns how many milliseconds after its time stamp a key reached this window, at most `mostLateMs`. On a busy
 * computer, the browser's own process delays the keys, and the next key of a barcode is delayed by a similar time.
 */
export function latenessMs({ timeStamp }: KeyboardEvent): number {
  return Math.min(mostLateMs, Math.max(0, performance.now() - timeStamp))
}

const mostLateMs = 500

/**
 * Whether an event follows a lone key so late that an operator caused both, because a scanner sends its next key
 * sooner. The lone key may still be held back at this time, because it arrived late.
 */
export function isLaterThan(lone: KeyboardEvent | null, { timeStamp }: Event): boolean {
  return lone !== null && timeStamp - lone.timeStamp > loneMs + stampStepMs
}

/** Windows gives keys time stamps in steps of up to 16 ms. */
const stampStepMs = 16

/** Whether a keyup event releases the key of the keydown event. */
export function isRelease(up: KeyboardEvent, down: KeyboardEvent | null): down is KeyboardEvent {
  return down !== null && up.code === down.code
}

/**
 * Whether a keyup event releases the key of the keydown event so soon that a scanner sent the key. The barcode may have
 * no characters that this scanner can type, so that it types only its own Enter.
 */
export function isTap(up: KeyboardEvent, down: KeyboardEvent | null): boolean {
  return isRelease(up, down) && up.timeStamp - down.timeStamp < heldMs
}

function swallow(event: KeyboardEvent): void {
  event.preventDefault()
  event.stopImmediatePropagation()
}

/**
 * Returns a keydown event of this window in the form that the decoder needs.
 * @param changed - the element into which an operator typed last
 */
export function wedgeKey(event: KeyboardEvent, document: Document, changed: EventTarget | null): WedgeKey {
  const target = focusedTarget(document)
  return {
    key: event.key,
    code: event.code,
    timeStampMs: event.timeStamp,
    ctrl: event.ctrlKey,
    alt: event.altKey,
    meta: event.metaKey,
    altGraph: event.getModifierState('AltGraph'),
    shift: event.shiftKey,
    capsLock: event.getModifierState('CapsLock'),
    repeat: event.repeat,
    composing: event.isComposing,
    field: fieldKind(target),
    hasTyped: target !== null && target === changed && target.value !== '',
  }
}

/**
 * Returns the kind of a field for the decoder. A list counts as a text field, because an operator may type fast to
 * select an option.
 */
export function fieldKind(field: TypedInto | null): WedgeKey['field'] {
  if (field === null) return 'none'
  return field.type === 'password' ? 'secret' : 'text'
}

/** The input events of keys that type no character (`InputEvent.inputType`). */
const isEdit = /^(?:delete|history|insertFrom)/

interface Held {
  readonly text: string
  readonly timeStampMs: number
}

/** Chromium's extension of `navigator`, which TypeScript does not declare. */
interface Scheduling {
  readonly scheduling?: { readonly isInputPending?: () => boolean }
}

/** Returns whether input events wait to be handled. On a busy machine a timer may run before waiting events. */
export function isInputWaiting(): boolean {
  return (navigator as Scheduling).scheduling?.isInputPending?.() ?? false
}

/**
 * Calls a function after a time in milliseconds. If an input event waits to be handled at that moment, the timer waits
 * for the same time again. A further call of `after` restarts the time. `clear` cancels the call. `endNow` makes a
 * pending call at once.
 */
class QuietTimer {
  #timer: ReturnType<typeof setTimeout> | undefined
  #act: (() => void) | null = null

  after(waitMs: number, act: () => void): void {
    this.clear()
    this.#act = act
    this.#timer = setTimeout(() => {
      if (isInputWaiting()) this.after(waitMs, act)
      else this.endNow()
    }, waitMs)
  }

  endNow(): void {
    const act = this.#act
    this.clear()
    act?.()
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#act = null
  }
}

/**
 * Holds back the keys for a field or a list until it is known whether an operator or a scanner sent them. Keys of an
 * operator are then inserted as typed text, so that the undo history of the field contains them.
 */
export class HeldKeys {
  #keys: readonly Held[] = []
  #field: TypedInto | null = null
  readonly #options = new OptionTyping()
  #givenMs = Number.NEGATIVE_INFINITY
  readonly #timer = new QuietTimer()

  /** The text of the keys that are held back. */
  get text(): string {
    return this.#keys.map(({ text }) => text).join('')
  }

  hold(field: TypedInto, key: Held): void {
    if (this.#field !== field) this.give()
    this.#field = field
    this.#keys = [...this.#keys, key]
  }

  /**
   * Records the time stamp of a key that is not held back: the field receives the key at once, and `gaveSince` takes
   * the key into account.
   */
  pass(timeStampMs: number): void {
    this.#givenMs = timeStampMs
  }

  /** Whether the field received a key with this time stamp or a later one. */
  gaveSince(timeStampMs: number): boolean {
    return this.#givenMs >= timeStampMs
  }

  /** Whether a key with this time stamp continues the typed letters that select an option of this list. */
  spells(list: HTMLSelectElement, timeStampMs: number): boolean {
    return this.#keys.length > 0 || this.#options.isUnderWay(list, timeStampMs)
  }

  /** Passes to the field all keys that are held back and are older than the time stamp `beforeMs`. */
  give(beforeMs = Number.POSITIVE_INFINITY): void {
    this.#timer.clear()
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

  /** Drops the held keys. Called if a scanner sent them. */
  drop(): void {
    this.#timer.clear()
    this.#keys = []
  }

  /** Calls `act` after a time, as `QuietTimer.after` does. `give` and `drop` cancel the call. */
  after(waitMs: number, act: () => void): void {
    this.#timer.after(waitMs, act)
  }
}

function insert(field: HTMLInputElement | HTMLTextAreaElement, text: string): void {
  if (field.readOnly || field.disabled) return
  const { ownerDocument: page } = field
  if (page.activeElement === field && typeText(page, text)) return
  field.setRangeText(text, field.selectionStart ?? 0, field.selectionEnd ?? 0, 'end')
  field.dispatchEvent(new InputEvent('input', { bubbles: true }))
}
