import type { PrintToPDFOptions } from 'electron'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { app } from './app.ts'
import { debug } from './environment.ts'
import { createEvent } from './events.ts'
import { FiringEmitter } from './inert.ts'
import { NativeImage } from './native-image.ts'
import { capturePng, printToPdf } from './page-output.ts'
import type { Page } from './page.ts'
import { toPageUrl } from './protocol.ts'

const fires = [
  'did-finish-load did-fail-load did-start-loading did-stop-loading dom-ready did-navigate did-navigate-in-page will-navigate',
  'will-frame-navigate will-redirect did-create-window render-process-gone preload-error console-message ipc-message',
  'page-title-updated destroyed',
].flatMap((line) => line.split(' '))

/** The methods of Electron's WebContents with which the app acts on a page, such as `loadURL` and `printToPDF`. */
export abstract class PageActions extends FiringEmitter {
  /** Resolves with the page when Chromium has created it. */
  abstract readonly page: Promise<Page>
  protected loading = false
  /** Loader ids of the documents that were shown, and whether a load event arrived after the document was shown. */
  protected readonly documents = new Map<string, boolean>()

  constructor() {
    super('webContents', fires)
  }

  async loadURL(url: string): Promise<void> {
    const page = await this.page
    this.loading = true
    this.emit('did-start-loading', createEvent({}))
    const { errorText, loaderId } = await page.session.send('Page.navigate', { url: toPageUrl(url) })
    if (errorText !== undefined) {
      this.emit('did-fail-load', createEvent({}), -2, errorText, url, true)
      throw Object.assign(new Error(`${errorText} loading '${url}'`), { code: errorText, url })
    }
    if (loaderId !== undefined) await this.#untilLoaded(loaderId)
  }

  /**
   * Waits for the load event of the document with this loader id. A load event of the previous document may still
   * arrive, but does not end the wait.
   */
  async #untilLoaded(loaderId: string): Promise<void> {
    while (this.documents.get(loaderId) !== true)
      await new Promise<void>((done) => this.once('did-finish-load', () => done()))
  }

  loadFile(file: string, options: { query?: Record<string, string>; hash?: string } = {}): Promise<void> {
    const url = pathToFileURL(resolve(app.getAppPath(), file))
    url.search = new URLSearchParams(options.query ?? {}).toString()
    url.hash = options.hash ?? ''
    return this.loadURL(url.href)
  }

  reload(): void {
    this.withPage((page) => page.session.send('Page.reload', {}))
  }

  reloadIgnoringCache(): void {
    this.withPage((page) => page.session.send('Page.reload', { ignoreCache: true }))
  }

  stop(): void {
    this.withPage((page) => page.session.send('Page.stopLoading'))
  }

  /** Ends the process of the page, as a fault of the page would. */
  forcefullyCrashRenderer(): void {
    // Chromium sends no response, because the process that would send it has ended
    this.withPage((page) => page.session.send('Page.crash'))
  }

  async executeJavaScript(code: string): Promise<unknown> {
    return (await this.page).evaluate(code)
  }

  /**
   * Inserts the CSS as a constructed style sheet, because a content security policy of the page never blocks such a
   * sheet. The policy does not block Electron's `insertCSS` either.
   */
  async insertCSS(css: string): Promise<string> {
    const key = String(Math.random())
    await this.executeJavaScript(
      `{const sheet=new CSSStyleSheet();sheet.replaceSync(${JSON.stringify(css)});sheet.standInKey=${key};document.adoptedStyleSheets.push(sheet)}`,
    )
    return key
  }

  async removeInsertedCSS(key: string): Promise<void> {
    const kept = `document.adoptedStyleSheets.filter((sheet)=>String(sheet.standInKey)!==${JSON.stringify(key)})`
    await this.executeJavaScript(`document.adoptedStyleSheets=${kept};0`)
  }

  async printToPDF(options: PrintToPDFOptions = {}): Promise<Buffer> {
    return printToPdf((await this.page).session, options)
  }

  async capturePage(): Promise<NativeImage> {
    return new NativeImage(await capturePng((await this.page).session))
  }

  isLoading(): boolean {
    return this.loading
  }

  /** Runs an action for which Electron returns no result. */
  protected withPage(use: (page: Page) => unknown): void {
    this.page.then(use).catch((error: unknown) => debug('page', error))
  }
}
