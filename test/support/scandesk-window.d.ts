import type { ScandeskBridge } from '#shared/bridge/contract.ts'

declare global {
  interface Window {
    /** What the preload script exposes; specs call it from inside the page. */
    readonly scandesk: ScandeskBridge
  }
}
