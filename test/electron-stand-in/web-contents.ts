import type { WebContents as ElectronWebContents, WindowOpenHandlerResponse } from 'electron'
import { app } from './app.ts'
import { browser, type HeldPage } from './browser.ts'
import { debug } from './environment.ts'
import { createEvent } from './events.ts'
import { defineInert } from './inert.ts'
import { deliver, invoke, IpcMain } from './ipc.ts'
import { nativeTheme } from './native-theme.ts'
import { PageActions } from './page-actions.ts'
import { Page, type PageEvents } from './page.ts'
import { decodeList, encode } from './page/codec.ts'
import { toAppUrl } from './protocol.ts'
import { session, type Session } from './session.ts'
import { WebFrameMain } from './web-frame.ts'

/** The part of a window that its `WebContents` can use. A `WebContents` has no other reference to its window. */
export interface ContentsOwner {
  readonly size: { width: number; height: number }
  readonly preload: string | undefined
  readonly preloadArguments: readonly string[]
  readonly session: Session | undefined
  close(): void
  isDestroyed(): boolean
  firstPaint(): void
  pageClosed(): void
  pageTitle(title: string): void
  /** Creates the window of a permitted popup. */
  adopt(page: HeldPage, answer: WindowOpenHandlerResponse): { window: object; ready: Promise<unknown> }
}

type WindowOpenHandler = (details: object) => WindowOpenHandlerResponse

let lastId = 0
const all = new Map<number, WebContents>()

export class WebContents extends PageActions {
  readonly id = ++lastId
  readonly ipc = new IpcMain()
  readonly mainFrame = new WebFrameMain(this)
  readonly session: Session
  readonly page: Promise<Page>
  readonly #owner: ContentsOwner
  readonly #opening: { url: string; windowName: string; windowFeatures: string[] }[] = []
  #openHandler: WindowOpenHandler = () => ({ action: 'allow' })
  #targetId = ''
  #title = ''

  constructor(owner: ContentsOwner, adopt?: HeldPage) {
    super()
    this.#owner = owner
    this.session = owner.session ?? session.defaultSession
    all.set(this.id, this)
    const { size, preload, preloadArguments } = owner
    this.page = Page.create(
      {
        size,
        context: () => this.session.context(),
        preload,
        preloadArguments,
        colorScheme: nativeTheme.themeSource,
        adopt,
      },
      this.#pageEvents(),
    )
    this.page.then(
      (page) => (this.#targetId = page.targetId),
      (error: unknown) => debug('window failed', error),
    )
    nativeTheme.onScheme((scheme) => this.withPage((page) => page.setColorScheme(scheme)))
  }

  get targetId(): string {
    return this.#targetId
  }

  send(channel: string, ...args: unknown[]): void {
    const text = encode(['message', channel, args])
    this.withPage((page) => page.post(text))
  }

  setWindowOpenHandler(handler: WindowOpenHandler): void {
    this.#openHandler = handler
  }

  getURL(): string {
    return this.mainFrame.url
  }

  getTitle(): string {
    return this.#title
  }

  isDestroyed(): boolean {
    return this.#owner.isDestroyed()
  }

  isCrashed(): boolean {
    return false
  }

  isFocused(): boolean {
    return !this.isDestroyed()
  }

  getType(): string {
    return 'window'
  }

  getOSProcessId(): number {
    return browser.pid
  }

  focus(): void {
    this.withPage((page) => page.session.send('Page.bringToFront'))
  }

  close(): void {
    this.#owner.close()
  }

  #pageEvents(): PageEvents {
    return {
      message: (text) => void this.#receive(text),
      domReady: () => {
        this.#readTitle()
        this.emit('dom-ready', createEvent({}))
      },
      loaded: () => this.#loaded(),
      navigated: (url, loaderId) => {
        this.documents.set(loaderId, false)
        this.mainFrame.moveTo(url)
        if (url !== 'about:blank') this.emit('did-navigate', createEvent({}), toAppUrl(url), 200, '')
      },
      navigatedInPage: (url) => {
        this.mainFrame.moveTo(url)
        this.emit('did-navigate-in-page', createEvent({}), toAppUrl(url), true)
      },
      console: (level, message) => {
        debug('page console', level, message)
        const known = level === 'warning' || level === 'error' ? level : 'info'
        this.emit('console-message', createEvent({ level: known, message, lineNumber: 0, sourceId: '' }))
      },
      crashed: () => {
        const details = { reason: 'crashed', exitCode: 1 }
        this.emit('render-process-gone', createEvent({}), details)
        app.emit('render-process-gone', createEvent({}), this, details)
      },
      allows: ({ kind, url, isMainFrame }) => {
        const frame = isMainFrame ? this.mainFrame : null
        const event = createEvent({
          url,
          isMainFrame,
          isSameDocument: false,
          frame,
          initiator: this.mainFrame,
        })
        if (kind === 'will-navigate') this.emit('will-frame-navigate', event)
        this.emit(kind, event, url, false, isMainFrame, 1, 1)
        return !event.defaultPrevented
      },
      cancels: (request) => this.session.webRequest.cancels({ ...request, webContentsId: this.id }),
      handlerOf: (url) => this.session.protocol.handlerOf(url),
      beforeDocument: (url, pageUrl, browserContextId) =>
        this.session.permissions.apply(this, url, pageUrl, browserContextId),
      opening: (window) => this.#opening.push(window),
      opened: (page) => void this.#opened(page).catch((error: unknown) => debug('popup', error)),
      closed: () => {
        all.delete(this.id)
        this.emit('destroyed')
        this.#owner.pageClosed()
      },
      changed: () => this.#readTitle(),
      allowsDownload: ({ url, filename }) => {
        const event = createEvent({})
        const item = { getURL: () => toAppUrl(url), getFilename: () => filename }
        this.session.emit('will-download', event, item, this)
        return !event.defaultPrevented
      },
    }
  }

  /** Reads the title of the page, because Chromium at first reports the address as the title. */
  #readTitle(): void {
    this.withPage(async (page) => {
      const title = String(await page.evaluate('document.title'))
      if (title === '' || title === this.#title) return
      this.#title = title
      this.#owner.pageTitle(title)
    })
  }

  #loaded(): void {
    this.loading = false
    for (const loaderId of this.documents.keys()) this.documents.set(loaderId, true)
    this.emit('did-finish-load', createEvent({}))
    this.emit('did-stop-loading', createEvent({}))
    this.#owner.firstPaint()
  }

  async #receive(text: string): Promise<void> {
    const [address, kind, channel, args, call] = decodeList(text)
    // The frame gets its address from the message, because the first messages of the preload script arrive before
    // Chromium reports the document that sent them.
    this.mainFrame.moveTo(String(address))
    const parameters: unknown[] = Array.isArray(args) ? args : []
    if (kind === 'preload-error') {
      console.error('Unable to load preload script', ...parameters)
      this.emit('preload-error', createEvent({}), this.#owner.preload, parameters[0])
    } else if (kind === 'send') deliver(this, String(channel), parameters)
    else if (kind === 'invoke') {
      const answer = await invoke(this, String(channel), parameters)
        .then((value) => encode(['reply', call, value, true]))
        .catch((error: unknown) => encode(['reply', call, error, false]))
      this.withPage((page) => page.post(answer))
    }
  }

  /** Handles a window that Chromium has opened for the page. The window is still paused and empty. */
  async #opened(page: HeldPage): Promise<void> {
    const asked = this.#opening.shift() ?? { url: page.url, windowName: '', windowFeatures: [] }
    const answer = this.#openHandler({
      url: toAppUrl(asked.url),
      frameName: asked.windowName,
      features: asked.windowFeatures.join(','),
      disposition: 'new-window',
      referrer: { url: this.getURL(), policy: 'default' },
    })
    if (answer.action !== 'allow') return browser.refusePage(page)
    const { window, ready } = this.#owner.adopt(page, answer)
    await ready
    this.emit('did-create-window', window, { url: toAppUrl(asked.url), frameName: asked.windowName })
  }
}

defineInert<ElectronWebContents>(WebContents.prototype, 'webContents', {
  openDevTools: undefined,
  closeDevTools: undefined,
  toggleDevTools: undefined,
  isDevToolsOpened: false,
  print: undefined,
  getPrintersAsync: Promise.resolve([]),
  sendInputEvent: undefined,
  setAudioMuted: undefined,
  setBackgroundThrottling: undefined,
  setIgnoreMenuShortcuts: undefined,
  setUserAgent: undefined,
  setVisualZoomLevelLimits: Promise.resolve(),
  setWebRTCIPHandlingPolicy: undefined,
  setZoomFactor: undefined,
  getZoomFactor: 1,
  setZoomLevel: undefined,
  getZoomLevel: 0,
})

/** The static methods of Electron's webContents. */
export const webContents = {
  getAllWebContents: (): WebContents[] => [...all.values()],
  fromId: (id: number): WebContents | undefined => all.get(id),
  fromDevToolsTargetId: (targetId: string): WebContents | undefined =>
    [...all.values()].find((contents) => contents.targetId === targetId),
  getFocusedWebContents: (): WebContents | null => [...all.values()].at(-1) ?? null,
}
