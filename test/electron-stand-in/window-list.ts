/** The members of a window that the module `app` uses to close it. */
export interface ListedWindow {
  readonly closed: Promise<void>
  close(): void
  destroy(): void
  isClosing(): boolean
}

/** The open windows in order of creation. A separate module, so that the module `app` need not import BrowserWindow. */
export const openWindows = new Set<ListedWindow>()
