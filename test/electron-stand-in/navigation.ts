import type { CdpSession } from './cdp.ts'
import type { Protocol } from './cdp-protocol.ts'
import { debug } from './environment.ts'
import { toAppUrl, toPageHeader, type SchemeHandler } from './protocol.ts'

type Paused = Protocol.Fetch.requestPausedPayload

/** A navigation that the page began (not the app), or a redirect of such a navigation. */
export interface Navigation {
  kind: 'will-navigate' | 'will-frame-navigate' | 'will-redirect'
  url: string
  isMainFrame: boolean
}

export interface NavigationHost {
  readonly targetId: string
  /** Called for a navigation that the page began. @returns false if a listener prevents it. */
  allows(navigation: Navigation): boolean
  /** @returns true if the session's webRequest handler cancels the request. */
  cancels(request: { url: string; method: string; resourceType: string }): Promise<boolean>
  /** Returns the handler with which the session serves an address of the app. */
  handlerOf(url: string): SchemeHandler | undefined
  /**
   * Called before a document of the top frame is requested. `url`: the address that the app uses, such as
   * app://host/path; `pageUrl`: the address that Chromium loads instead.
   */
  beforeDocument(url: string, pageUrl: string): Promise<void>
}

/** Electron's names of Chromium's request types. All other types are `other`. */
const electronTypes: Readonly<Record<string, string>> = {
  Document: 'mainFrame',
  Stylesheet: 'stylesheet',
  Image: 'image',
  Media: 'media',
  Font: 'font',
  Script: 'script',
  XHR: 'xhr',
  Fetch: 'xhr',
  Ping: 'ping',
}

const withoutFragment = (url: string): string => url.split('#', 1)[0] ?? url

/**
 * Pauses every request of the page that Chromium's protocol reports, and asks listeners about it. The protocol reports
 * no WebSockets, no preconnects and no requests of workers. For a navigation that the page began, such as a click,
 * Chromium also reports frameRequestedNavigation, and this report arrives before the request. For webContents.loadURL,
 * page.goto and page.reload Chromium sends no such report.
 */
export class NavigationGate {
  readonly #page: CdpSession
  readonly #host: NavigationHost
  readonly #begunByPage = new Set<string>()

  constructor(page: CdpSession, host: NavigationHost) {
    this.#page = page
    this.#host = host
  }

  async open(): Promise<void> {
    this.#page.on('Page.frameRequestedNavigation', ({ frameId, url, disposition }) => {
      if (disposition !== 'currentTab') return
      if (/^(https?|file):/.test(url)) this.#begunByPage.add(`${frameId} ${withoutFragment(url)}`)
      // Navigations to blob:, mailto: and unknown schemes cannot be paused. The stand-in emits will-navigate for them
      // in the main frame, but a listener that prevents the navigation may be too late to stop the load.
      else if (frameId === this.#host.targetId && !this.#allowed('will-navigate', url, true)) {
        void this.#page.send('Page.stopLoading').catch(debug)
      }
    })
    this.#page.on('Fetch.requestPaused', (paused) => {
      this.#decide(paused).catch((error: unknown) => debug('request', paused.request.url, error))
    })
    await this.#page.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] })
  }

  async #decide(paused: Paused): Promise<void> {
    const { requestId, request, resourceType, frameId } = paused
    const url = toAppUrl(request.url)
    if (resourceType === 'Document') {
      const isMainFrame = frameId === this.#host.targetId
      if (!this.#passes(paused, url + (request.urlFragment ?? ''), isMainFrame)) {
        await this.#page.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
        return
      }
      if (isMainFrame) await this.#host.beforeDocument(url, request.url)
    }
    if (
      await this.#host.cancels({
        url,
        method: request.method,
        resourceType: electronTypes[resourceType] ?? 'other',
      })
    ) {
      await this.#page.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
      return
    }
    if (url === request.url) await this.#page.send('Fetch.continueRequest', { requestId })
    else await this.#serve(paused, url)
  }

  #passes(paused: Paused, url: string, isMainFrame: boolean): boolean {
    if (paused.redirectedRequestId !== undefined) return this.#allowed('will-redirect', url, isMainFrame)
    if (!this.#begunByPage.delete(`${paused.frameId} ${paused.request.url}`)) return true
    return this.#allowed(isMainFrame ? 'will-navigate' : 'will-frame-navigate', url, isMainFrame)
  }

  #allowed(kind: Navigation['kind'], url: string, isMainFrame: boolean): boolean {
    return this.#host.allows({ kind, url, isMainFrame })
  }

  async #serve(paused: Paused, url: string): Promise<void> {
    const { requestId, request, resourceType } = paused
    const handler = this.#host.handlerOf(url)
    // Fails the request for a favicon. Chromium requests it for a tab; a window of Electron does not.
    const isFavicon = resourceType === 'Other' && new URL(request.url).pathname === '/favicon.ico'
    let response: Response
    try {
      if (!handler || isFavicon) throw new Error(`no handler for ${url}`)
      response = await handler(toRequest(request, url))
    } catch (error) {
      debug('protocol', url, error)
      await this.#page.send('Fetch.failRequest', { requestId, errorReason: 'Failed' })
      return
    }
    await this.#page.send('Fetch.fulfillRequest', {
      requestId,
      responseCode: response.status === 0 ? 502 : response.status,
      responseHeaders: [...response.headers].map(([name, value]) => ({
        name,
        value: toPageHeader(name, value),
      })),
      body: Buffer.from(await response.arrayBuffer()).toString('base64'),
    })
  }
}

function toRequest(request: Protocol.Network.Request, url: string): Request {
  const entries = request.postDataEntries ?? []
  const body = Buffer.concat(entries.map((entry) => Buffer.from(entry.bytes ?? '', 'base64')))
  return new Request(url, {
    method: request.method,
    headers: request.headers,
    ...(entries.length > 0 ? { body: new Uint8Array(body) } : {}),
  })
}
