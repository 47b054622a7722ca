import { randomBytes } from 'node:crypto'
import { browser, type ContextParameter, type HeldPage } from './browser.ts'
import type { CdpSession } from './cdp.ts'
import { givenLanguage } from './command-line.ts'
import type { Protocol } from './cdp-protocol.ts'
import { debug } from './environment.ts'
import { NavigationGate, type NavigationHost } from './navigation.ts'
import { mainWorldSource, preloadWorldSource } from './page/source.ts'

/**
 * The handlers of a page's events. The handlers that are declared here receive addresses in the form in which Chromium
 * loads them, such as https://host.app.standin.localhost/path.
 */
export interface PageEvents extends Omit<NavigationHost, 'targetId' | 'beforeDocument'> {
  beforeDocument(url: string, pageUrl: string, browserContextId: string): Promise<void>
  message(text: string): void
  domReady(): void
  loaded(): void
  navigated(url: string, loaderId: string): void
  navigatedInPage(url: string): void
  console(level: string, text: string): void
  crashed(): void
  opening(window: Protocol.Page.windowOpenPayload): void
  opened(page: HeldPage): void
  closed(): void
  changed(): void
  allowsDownload(download: { url: string; filename: string }): boolean
}

export interface PageSetup {
  size: { width: number; height: number }
  /** Returns the context in which Chromium creates the page. */
  context: () => Promise<ContextParameter>
  preload: string | undefined
  preloadArguments: readonly string[]
  /** Sets prefers-color-scheme of the page; 'system' leaves it to Chromium. */
  colorScheme: 'system' | 'light' | 'dark'
  /** A popup that Chromium has already created. */
  adopt: HeldPage | undefined
}

/** Returns an argument of the console as text. An object is replaced by its description. */
function consoleText(argument: Protocol.Runtime.RemoteObject): string {
  if (argument.description !== undefined) return argument.description
  return typeof argument.value === 'string' ? argument.value : JSON.stringify(argument.value)
}

const isolatedWorld = 'Electron Isolated Context'

/** One page of Chromium with its preload in an isolated world. */
export class Page {
  readonly targetId: string
  readonly session: CdpSession
  readonly #browserContextId: string
  readonly #key = `standin${randomBytes(8).toString('hex')}`
  readonly #events: PageEvents
  #isolatedContext: number | undefined

  private constructor(held: HeldPage, events: PageEvents) {
    this.targetId = held.targetId
    this.session = held.session
    this.#browserContextId = held.browserContextId
    this.#events = events
  }

  /** Creates a page (or takes the given one), sets up its preload and its listeners, and only then lets it run. */
  static async create(setup: PageSetup, events: PageEvents): Promise<Page> {
    const page = new Page(setup.adopt ?? (await browser.createPage(setup.size, setup.context)), events)
    browser.listen(page.targetId, events)
    page.#listen()
    await page.#prepare(setup)
    // A permitted popup keeps the size that Chromium gives it, because it accepts another size only some time after it
    // has loaded.
    if (!setup.adopt) await page.resize(setup.size)
    return page
  }

  /** Sends encoded text to the preload. Sends nothing if the page has no preload or is between two documents. */
  post(text: string): void {
    if (this.#isolatedContext === undefined) return
    this.session
      .send('Runtime.callFunctionOn', {
        functionDeclaration: `(text)=>${this.#key}Receive(text)`,
        executionContextId: this.#isolatedContext,
        arguments: [{ value: text }],
      })
      .catch((error: unknown) => debug('message to a page that has gone', error))
  }

  async evaluate(expression: string): Promise<unknown> {
    const { result, exceptionDetails } = await this.session.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    })
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return result.value as unknown
  }

  /** Sets the size of the page itself, in CSS pixels. */
  async resize(size: { width: number; height: number }): Promise<void> {
    const { windowId } = await browser.root.send('Browser.getWindowForTarget', { targetId: this.targetId })
    await browser.root.send('Browser.setContentsSize', { windowId, ...size })
  }

  async setColorScheme(scheme: 'system' | 'light' | 'dark'): Promise<void> {
    const value = scheme === 'system' ? '' : scheme
    await this.session.send('Emulation.setEmulatedMedia', {
      features: [{ name: 'prefers-color-scheme', value }],
    })
  }

  #listen(): void {
    const { session, targetId } = this
    const events = this.#events
    session.on('Runtime.executionContextCreated', ({ context }) => {
      const about: unknown = context.auxData
      const frame =
        typeof about === 'object' && about !== null && 'frameId' in about ? about.frameId : undefined
      if (frame === targetId && context.name === isolatedWorld) this.#isolatedContext = context.id
    })
    session.on('Runtime.executionContextsCleared', () => (this.#isolatedContext = undefined))
    session.on('Runtime.bindingCalled', ({ name, payload }) => {
      if (name === this.#key) events.message(payload)
    })
    session.on('Runtime.consoleAPICalled', ({ type, args }) => {
      events.console(type, args.map(consoleText).join(' '))
    })
    session.on('Page.domContentEventFired', () => events.domReady())
    session.on('Page.loadEventFired', () => events.loaded())
    session.on('Page.frameNavigated', ({ frame }) => {
      if (frame.parentId === undefined)
        events.navigated(frame.url + (frame.urlFragment ?? ''), frame.loaderId)
    })
    session.on('Page.navigatedWithinDocument', ({ frameId, url }) => {
      if (frameId === targetId) events.navigatedInPage(url)
    })
    session.on('Page.windowOpen', (window) => events.opening(window))
    session.on('Inspector.targetCrashed', () => events.crashed())
  }

  async #prepare(setup: PageSetup): Promise<void> {
    const { session } = this
    const runImmediately = setup.adopt !== undefined
    const gate = new NavigationGate(session, {
      targetId: this.targetId,
      allows: (navigation) => this.#events.allows(navigation),
      cancels: (request) => this.#events.cancels(request),
      handlerOf: (url) => this.#events.handlerOf(url),
      beforeDocument: (url, pageUrl) => this.#events.beforeDocument(url, pageUrl, this.#browserContextId),
    })
    const steps: Promise<unknown>[] = [
      session.send('Page.enable'),
      session.send('Runtime.enable'),
      gate.open(),
    ]
    if (setup.preload !== undefined) {
      steps.push(
        session.send('Runtime.addBinding', { name: this.#key, executionContextName: isolatedWorld }),
        session.send('Page.addScriptToEvaluateOnNewDocument', {
          source: mainWorldSource(this.#key, setup.preload),
          runImmediately,
        }),
        session.send('Page.addScriptToEvaluateOnNewDocument', {
          source: preloadWorldSource(setup.preload, { key: this.#key, process: this.#preloadProcess(setup) }),
          worldName: isolatedWorld,
          runImmediately,
        }),
      )
    }
    // Emulates the focus, because without a window manager no window has the focus, and then no key event reaches an
    // element.
    steps.push(session.send('Emulation.setFocusEmulationEnabled', { enabled: true }))
    const locale = givenLanguage()
    if (locale !== undefined) steps.push(session.send('Emulation.setLocaleOverride', { locale }))
    if (setup.colorScheme !== 'system') steps.push(this.setColorScheme(setup.colorScheme))
    steps.push(session.send('Runtime.runIfWaitingForDebugger'))
    await Promise.all(steps)
  }

  #preloadProcess(setup: PageSetup): object {
    const { platform, arch, versions, execPath } = process
    const argv = [execPath, ...setup.preloadArguments]
    return {
      platform,
      arch,
      versions,
      env: {},
      argv,
      type: 'renderer',
      sandboxed: true,
      contextIsolated: true,
    }
  }
}
