/** The part of a window that the app needs to close it. */
export interface ListedWindow {
  readonly closed: Promise<void>
  close(): void
  destroy(): void
  isClosing(): boolean
}

/** The open windows in order of creation. Separate from BrowserWindow, so that app need not import it. */
export const openWindows = new Set<ListedWindow>()
