import type { StageState } from '#features/stage/stage.state.svelte.ts'
import type { AppState } from './app-state.svelte.ts'

interface Places {
  readonly app: AppState
  readonly stage: StageState
}

/**
 * Keys that work wherever nothing else wants them: Enter does the primary action, Escape goes home, F1 helps.
 * Listens while bubbling, so that scans and focused controls come first.
 */
export function startKeys(window: Window, { app, stage }: Places): () => void {
  function onKeyDown(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.repeat || event.isComposing) return
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return
    if (app.screen === 'setup' && event.key === 'Escape') app.back()
    if (app.screen !== 'stage') return
    const focused = window.document.activeElement
    const nothingFocused = focused === null || focused === window.document.body
    if (event.key === 'Enter' && nothingFocused) void stage.runPrimary()
    else if (event.key === 'Escape') stage.home()
    else if (event.key === 'F1') stage.help()
    else return
    event.preventDefault()
  }
  window.addEventListener('keydown', onKeyDown)
  return () => {
    window.removeEventListener('keydown', onKeyDown)
  }
}
