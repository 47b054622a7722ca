import { isInputWaiting, isLaterThan, isRelease, isTap, latenessMs } from '#scanner/capture.ts'
import { isRepeated } from '#scanner/press.ts'
import { loneMs } from '#shared/domain/wedge/lone-keys.ts'
import type { DeskWindow } from './window.svelte.ts'

/** The part of the browser's window that `startKeys` uses. */
type KeyWindow = Pick<Window, 'addEventListener' | 'removeEventListener'> & {
  readonly document: { readonly activeElement: Element | null; readonly body: Element | null }
}

/**
 * Handles keys that no other element uses. Enter does the primary action. Escape goes one step back inside the open
 * place; if there is no such step, it shows the stage. F1 opens help, F2 the queue, F3 the search, F4 the print jobs.
 * This listener runs in the bubbling phase, after the listeners of the scanner and of the focused control. Further
 * listeners note the time of every key, including keys that the scanner's listener stops, and let a waiting Enter act
 * before a later click. Call this function before the scanner's listener starts.
 */
export function startKeys(window: KeyWindow, desk: DeskWindow): () => void {
  const { app } = desk
  let lastKeyMs = Number.NEGATIVE_INFINITY
  let isLone = true
  /** The wait before the primary action. `act` does the action. */
  let primary: { readonly timer: ReturnType<typeof setTimeout>; readonly act: () => void } | null = null
  /**
   * `lastEnter`: the last keydown event of Enter. `primaryEnter`: the keydown event of Enter that last started the wait
   * before the primary action (`primary`).
   */
  let lastEnter: KeyboardEvent | null = null
  let primaryEnter: KeyboardEvent | null = null
  function forgetPrimary(): void {
    if (primary !== null) clearTimeout(primary.timer)
    primary = null
  }
  /** Does the waiting primary action before a later key or click, which would cancel it or move the focus. */
  function actBefore(event: Event): void {
    if (isLaterThan(primaryEnter, event)) primary?.act()
  }
  function onAnyKey(event: KeyboardEvent): void {
    // the program sent this event (`press`); the event of the pressed key itself arrived 60 ms earlier
    if (isRepeated(event)) return
    actBefore(event)
    isLone = event.timeStamp - lastKeyMs > loneMs
    lastKeyMs = event.timeStamp
    if (event.key === 'Enter' && !event.repeat) lastEnter = event
    forgetPrimary()
  }
  function onAnyKeyUp(event: KeyboardEvent): void {
    if (isTap(event, primaryEnter)) forgetPrimary()
    // the operator pressed Enter in a field or on a button; the press is recorded, because it may lead to another
    // screen on which a second Enter would act
    else if (lastEnter !== primaryEnter && isRelease(event, lastEnter) && !isTap(event, lastEnter))
      desk.heard('ENTER')
  }
  /** Whether no element has the focus. A heading that was focused only for a screen reader does not count. */
  function isNothingFocused(): boolean {
    const focused = window.document.activeElement
    return focused === null || focused === window.document.body || focused.getAttribute('tabindex') === '-1'
  }
  /**
   * Waits `waitMs` for further keys and for the release of Enter before the primary action runs, because the Enter may
   * belong to a scan. A parcel's barcode may contain only a carriage return, begin with one, or have no other key than
   * the scanner's own Enter, and such a scan must not press the button. If a scan of another scanner replaces the card
   * during the wait, the action does not run.
   */
  function runPrimaryLater(waitMs: number, isSameCard: () => boolean): void {
    const act = (): void => {
      forgetPrimary()
      if (app.screen === 'stage' && !desk.isCovered && isNothingFocused() && isSameCard()) desk.runPrimary()
    }
    const timer = setTimeout(() => {
      if (isInputWaiting()) runPrimaryLater(waitMs, isSameCard)
      else act()
    }, waitMs)
    primary = { timer, act }
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.repeat || event.isComposing) return
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return
    // an open dialog handles its own keys, so no key acts on the place behind it
    if (desk.isCovered) return
    if (app.screen !== 'stage') {
      // Escape leaves the set-up or, if a screen is behind the login, the login; it must not also act on the place
      // behind them
      if (event.key === 'Escape' && app.screen === 'setup') desk.leaveSetup()
      else if (event.key === 'Escape' && app.screen === 'login' && app.behind !== null) desk.leaveLogin()
      return
    }
    if (event.key === 'Enter' && isNothingFocused()) {
      primaryEnter = event
      if (isLone) runPrimaryLater(loneMs + latenessMs(event), desk.watchCard())
    } else if (event.key === 'Escape') desk.escape()
    else if (event.key === 'F1') desk.run('HELP')
    else if (event.key === 'F2') desk.openQueue()
    else if (event.key === 'F3') desk.run('SEARCH')
    else if (event.key === 'F4') desk.openPrints()
    else return
    event.preventDefault()
  }
  window.addEventListener('keydown', onAnyKey, { capture: true })
  window.addEventListener('keyup', onAnyKeyUp, { capture: true })
  window.addEventListener('mousedown', actBefore, { capture: true })
  window.addEventListener('keydown', onKeyDown)
  return () => {
    forgetPrimary()
    window.removeEventListener('keydown', onAnyKey, { capture: true })
    window.removeEventListener('keyup', onAnyKeyUp, { capture: true })
    window.removeEventListener('mousedown', actBefore, { capture: true })
    window.removeEventListener('keydown', onKeyDown)
  }
}
