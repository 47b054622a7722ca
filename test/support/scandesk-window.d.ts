import type { ScandeskBridge } from '#shared/bridge/contract.ts'

declare global {
  interface Window {
    /** The bridge of the preload script, which specs call inside the page. */
    readonly scandesk: ScandeskBridge
  }
}
