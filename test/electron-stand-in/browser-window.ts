import type { BrowserWindow as ElectronWindow, BrowserWindowConstructorOptions } from 'electron'
import { app } from './app.ts'
import { browser, type HeldPage } from './browser.ts'
import { debug } from './environment.ts'
import { createEvent } from './events.ts'
import { defineInert } from './inert.ts'
import type { NativeImage } from './native-image.ts'
import { Session } from './session.ts'
import { WebContents, type ContentsOwner } from './web-contents.ts'
import { openWindows } from './window-list.ts'
import { WindowFrame } from './window-frame.ts'

let lastId = 0
const windows = new Map<number, BrowserWindow>()

/**
 * Throws for options that ask for less isolation, because the stand-in's pages are always isolated and never have Node.
 */
function refuseUnsafe(options: BrowserWindowConstructorOptions): void {
  const { contextIsolation = true, nodeIntegration = false, sandbox = true } = options.webPreferences ?? {}
  if (contextIsolation && !nodeIntegration && sandbox) return
  throw new Error('stand-in: only windows with contextIsolation, sandbox and without nodeIntegration')
}

export class BrowserWindow extends WindowFrame {
  readonly id = ++lastId
  readonly webContents: WebContents
  readonly closed: Promise<void>
  readonly #gone = Promise.withResolvers<undefined>()
  #closing = false
  #destroyed = false
  #painted = false

  constructor(options: BrowserWindowConstructorOptions = {}, adopt?: HeldPage) {
    if (!app.isReady()) throw new Error('Cannot create BrowserWindow before app is ready')
    refuseUnsafe(options)
    super(options)
    this.closed = this.#gone.promise
    this.webContents = new WebContents(this.#ownerOf(options), adopt)
    windows.set(this.id, this)
    openWindows.add(this)
    app.emit('web-contents-created', createEvent({}), this.webContents)
    app.emit('browser-window-created', createEvent({}), this)
  }

  static getAllWindows(): BrowserWindow[] {
    return [...windows.values()]
  }

  static fromId(id: number): BrowserWindow | null {
    return windows.get(id) ?? null
  }

  static fromWebContents(contents: WebContents): BrowserWindow | null {
    return BrowserWindow.getAllWindows().find((window) => window.webContents === contents) ?? null
  }

  static getFocusedWindow(): BrowserWindow | null {
    return BrowserWindow.getAllWindows().findLast((window) => window.isFocused()) ?? null
  }

  loadURL(url: string): Promise<void> {
    return this.webContents.loadURL(url)
  }

  loadFile(file: string, options?: { query?: Record<string, string>; hash?: string }): Promise<void> {
    return this.webContents.loadFile(file, options)
  }

  reload(): void {
    this.webContents.reload()
  }

  capturePage(): Promise<NativeImage> {
    return this.webContents.capturePage()
  }

  close(): void {
    if (this.#closing) return
    const event = createEvent({})
    this.emit('close', event)
    if (!event.defaultPrevented) this.destroy()
  }

  destroy(): void {
    if (this.#closing) return
    this.#closing = true
    this.webContents.page
      .then((page) => browser.closePage(page.targetId))
      .catch((error: unknown) => {
        debug('close', error)
        this.#pageClosed()
      })
  }

  isDestroyed(): boolean {
    return this.#destroyed
  }

  isClosing(): boolean {
    return this.#closing
  }

  show(): void {
    this.state.show()
    this.focus()
  }

  showInactive(): void {
    this.state.show()
  }

  hide(): void {
    this.state.hide()
  }

  isVisible(): boolean {
    return this.state.visible && !this.#destroyed
  }

  focus(): void {
    for (const window of windows.values()) if (window !== this) window.blur()
    if (this.state.setFocused(true)) app.emit('browser-window-focus', createEvent({}), this)
    this.webContents.focus()
  }

  blur(): void {
    if (this.state.setFocused(false)) app.emit('browser-window-blur', createEvent({}), this)
  }

  isFocused(): boolean {
    return this.state.focused && this.isVisible()
  }

  protected override resizePage(size: { width: number; height: number }): void {
    this.webContents.page.then((page) => page.resize(size)).catch((error: unknown) => debug('resize', error))
  }

  #ownerOf(options: BrowserWindowConstructorOptions): ContentsOwner {
    const { preload, additionalArguments = [], session, partition } = options.webPreferences ?? {}
    return {
      size: { width: this.state.bounds.width, height: this.state.bounds.height },
      preload,
      preloadArguments: additionalArguments,
      session: session instanceof Session ? session : Session.from(partition),
      close: () => this.close(),
      isDestroyed: () => this.#destroyed,
      firstPaint: () => {
        if (this.#painted) return
        this.#painted = true
        this.emit('ready-to-show', createEvent({}))
      },
      pageClosed: () => this.#pageClosed(),
      pageTitle: (title) => {
        const event = createEvent({})
        this.webContents.emit('page-title-updated', event, title, true)
        this.emit('page-title-updated', event, title, true)
        if (!event.defaultPrevented) this.state.title = title
      },
      adopt: (page, answer) => {
        const window = new BrowserWindow(answer.overrideBrowserWindowOptions, page)
        return { window, ready: window.webContents.page }
      },
    }
  }

  #pageClosed(): void {
    if (this.#destroyed) return
    this.#destroyed = true
    this.#closing = true
    windows.delete(this.id)
    openWindows.delete(this)
    this.emit('closed')
    this.#gone.resolve(undefined)
    if (windows.size > 0 || app.isQuitting) return
    if (app.listenerCount('window-all-closed') > 0) app.emit('window-all-closed')
    else app.quit()
  }
}

defineInert<ElectronWindow>(BrowserWindow.prototype, 'BrowserWindow', {
  flashFrame: undefined,
  moveTop: undefined,
  getParentWindow: null,
  getChildWindows: [],
  setAlwaysOnTop: undefined,
  setAutoHideMenuBar: undefined,
  setBackgroundColor: undefined,
  setClosable: undefined,
  setContentProtection: undefined,
  setEnabled: undefined,
  setIcon: undefined,
  setMaximizable: undefined,
  setMinimizable: undefined,
  setMaximumSize: undefined,
  setOpacity: undefined,
  setOverlayIcon: undefined,
  setProgressBar: undefined,
  setResizable: undefined,
  setSkipTaskbar: undefined,
  setTitleBarOverlay: undefined,
  setVisibleOnAllWorkspaces: undefined,
})
