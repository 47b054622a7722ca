/** What the app must know of a window to close it. */
export interface ListedWindow {
  readonly closed: Promise<void>
  close(): void
  destroy(): void
  isClosing(): boolean
}

/** The open windows in order of creation. Apart from BrowserWindow, so that app needs not import it. */
export const openWindows = new Set<ListedWindow>()
