import type { WindowState } from './window-state.svelte.ts'

/**
 * Keys that work wherever nothing else wants them: Enter does the primary action, Escape goes home (from a form: back
 * to the card it was opened from), F1 helps. Listens while bubbling, so that scans and focused controls come first.
 */
export function startKeys(window: Window, desk: WindowState): () => void {
  const { app } = desk
  function onKeyDown(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.repeat || event.isComposing) return
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return
    if (app.screen === 'setup' && event.key === 'Escape') app.back()
    if (app.screen !== 'stage') return
    const focused = window.document.activeElement
    const nothingFocused = focused === null || focused === window.document.body
    if (event.key === 'Enter' && nothingFocused) desk.runPrimary()
    else if (event.key === 'Escape') {
      if (desk.place.kind === 'label_form') desk.labelForm.cancel()
      else desk.goHome()
    } else if (event.key === 'F1') desk.run('HELP')
    else return
    event.preventDefault()
  }
  window.addEventListener('keydown', onKeyDown)
  return () => {
    window.removeEventListener('keydown', onKeyDown)
  }
}
