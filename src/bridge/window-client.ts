import type { ScandeskBridge } from '#shared/bridge/contract.ts'

declare global {
  interface Window {
    /** Put there by the preload script; absent in a plain browser. */
    readonly scandesk?: ScandeskBridge
  }
}

/** The bridge that the preload script exposed. Throws where this page does not run inside the desk. */
export function windowBridge(): ScandeskBridge {
  if (!window.scandesk) throw new Error('window.scandesk is missing: this page runs outside the desk')
  return window.scandesk
}
