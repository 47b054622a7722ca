import type { DeskWindow } from './window.svelte.ts'

/** An Enter with another key so close before or behind it came out of a barcode, and presses nothing. */
const loneMs = 60

/** As much of a window as keys need. */
type KeyWindow = Pick<Window, 'addEventListener' | 'removeEventListener'> & {
  readonly document: { readonly activeElement: Element | null; readonly body: Element | null }
}

/**
 * Keys that work wherever nothing else wants them: Enter does the primary action, Escape goes home (from a form, a
 * list or an entry of the queue: back to where it was opened), F1 helps, F2 shows the queue, F3 searches, F4 shows the
 * paper. Listens while bubbling, so that scans and focused controls come first; but it counts every key before the scanner's
 * listener can stop it, so start it first.
 */
export function startKeys(window: KeyWindow, desk: DeskWindow): () => void {
  const { app } = desk
  let lastKeyMs = Number.NEGATIVE_INFINITY
  let isLone = true
  let primary: ReturnType<typeof setTimeout> | null = null
  function forgetPrimary(): void {
    if (primary !== null) clearTimeout(primary)
    primary = null
  }
  function onAnyKey({ timeStamp }: KeyboardEvent): void {
    isLone = timeStamp - lastKeyMs > loneMs
    lastKeyMs = timeStamp
    forgetPrimary()
  }
  /** A heading that was only focused to be read out takes no keys. */
  function isNothingFocused(): boolean {
    const focused = window.document.activeElement
    return focused === null || focused === window.document.body || focused.getAttribute('tabindex') === '-1'
  }
  /** A parcel's barcode may hold a carriage return alone, or begin with one: it must not do what a button does. */
  function runPrimaryLater(): void {
    primary = setTimeout(() => {
      if (app.screen === 'stage' && !desk.isCovered && isNothingFocused()) desk.runPrimary()
    }, loneMs)
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.repeat || event.isComposing) return
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return
    // a dialog in front takes its keys itself
    if (desk.isCovered) return
    if (app.screen !== 'stage') {
      // what is behind is not meant by the same key
      if (event.key === 'Escape' && app.screen === 'setup') desk.leaveSetup()
      else if (event.key === 'Escape' && app.screen === 'login' && app.behind !== null) desk.leaveLogin()
      return
    }
    if (event.key === 'Enter' && isNothingFocused()) {
      if (isLone) runPrimaryLater()
    } else if (event.key === 'Escape') desk.escape()
    else if (event.key === 'F1') desk.run('HELP')
    else if (event.key === 'F2') desk.openQueue()
    else if (event.key === 'F3') desk.run('SEARCH')
    else if (event.key === 'F4') desk.openPrints()
    else return
    event.preventDefault()
  }
  window.addEventListener('keydown', onAnyKey, { capture: true })
  window.addEventListener('keydown', onKeyDown)
  return () => {
    forgetPrimary()
    window.removeEventListener('keydown', onAnyKey, { capture: true })
    window.removeEventListener('keydown', onKeyDown)
  }
}
