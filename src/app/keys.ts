import type { Place } from './places.svelte.ts'
import type { WindowState } from './window-state.svelte.ts'

/** Places that are looked into in between: Escape leads back to the card that stood. */
const lookedInto: readonly Place['kind'][] = ['search', 'expiring', 'catalogue', 'storage', 'sheets']

/** As much of a window as keys need. */
type KeyWindow = Pick<Window, 'addEventListener' | 'removeEventListener'> & {
  readonly document: { readonly activeElement: Element | null; readonly body: Element | null }
}

/**
 * Keys that work wherever nothing else wants them: Enter does the primary action, Escape goes home (from a form, a
 * list or an entry of the queue: back to where it was opened), F1 helps, F2 shows the queue, F3 searches, F4 shows the
 * paper. Listens while bubbling, so that scans and focused controls come first.
 */
export function startKeys(window: KeyWindow, desk: WindowState): () => void {
  const { app } = desk
  function onKeyDown(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.repeat || event.isComposing) return
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return
    // its own dialog takes the keys of an open question
    if (desk.leave.leaving !== null) return
    if (app.screen !== 'stage') {
      // what is behind is not meant by the same key
      if (event.key === 'Escape' && app.screen === 'setup') desk.leaveSetup()
      else if (event.key === 'Escape' && app.screen === 'login' && app.behind !== null) desk.leaveLogin()
      return
    }
    const focused = window.document.activeElement
    // a heading that was only focused to be read out takes no keys
    const nothingFocused =
      focused === null || focused === window.document.body || focused.getAttribute('tabindex') === '-1'
    if (event.key === 'Enter' && nothingFocused) desk.runPrimary()
    else if (event.key === 'Escape') {
      if (desk.place.kind === 'label_form') desk.labelForm.cancel()
      else if (lookedInto.includes(desk.place.kind)) desk.goBack()
      else if (!desk.stepBack()) desk.goHome()
    } else if (event.key === 'F1') desk.run('HELP')
    else if (event.key === 'F2') desk.openQueue()
    else if (event.key === 'F3') desk.run('SEARCH')
    else if (event.key === 'F4') desk.openPrints()
    else return
    event.preventDefault()
  }
  window.addEventListener('keydown', onKeyDown)
  return () => {
    window.removeEventListener('keydown', onKeyDown)
  }
}
