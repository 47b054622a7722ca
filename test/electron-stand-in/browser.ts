import type { ChildProcess } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { CdpPipe, type CdpSession } from './cdp.ts'
import { appWindowUrl, type ChromiumOptions, launchChromium } from './chromium.ts'
import { debug } from './environment.ts'

/** A page that Chromium has reported. It is paused until its window has set it up. */
export interface HeldPage {
  targetId: string
  openerId: string | undefined
  /** The context to which the page belongs: that of the profile, or one of `createContext`. */
  browserContextId: string
  url: string
  session: CdpSession
}

/** The parameter of commands that selects a context of Chromium; without an id, the context of the profile. */
export interface ContextParameter {
  browserContextId?: string
}

interface PageListener {
  /** Called when this page opened another page, for instance a popup. */
  opened(page: HeldPage): void
  closed(): void
  /** Called when a property of the page changed, for instance its title. */
  changed(): void
  /** Called when a frame of the page starts a download. @returns false if a listener prevents it. */
  allowsDownload(download: { url: string; filename: string }): boolean
}

interface Connection {
  child: ChildProcess
  pipe: CdpPipe
  root: CdpSession
  downloadPath: string
}

const ready = Promise.withResolvers<undefined>()
const held = new Map<string, HeldPage>()
/** The contexts of the pages by target id. */
const contexts = new Map<string, string>()
const listeners = new Map<string, PageListener>()
let connection: Connection | undefined
/**
 * Resolves with the app window that Chromium opens at its start. Undefined if Chromium opens no such window, or if the
 * first page already uses it.
 */
let appWindow: Promise<HeldPage> | undefined

function connected(): Connection {
  if (!connection) throw new Error('stand-in: Chromium is not running yet')
  return connection
}

/**
 * Lets Chromium save the downloads of a context in the folder without a question; Electron would ask the operator for a
 * path.
 */
async function saveDownloads(
  root: CdpSession,
  downloadPath: string,
  context: ContextParameter = {},
): Promise<void> {
  const behavior = 'allowAndName'
  await root.send('Browser.setDownloadBehavior', { behavior, downloadPath, eventsEnabled: true, ...context })
}

/** The only Chromium process of the app. */
export const browser = {
  /** Resolves when pages can be created. */
  ready: ready.promise,

  get isRunning(): boolean {
    return connection !== undefined
  },

  get pid(): number {
    return connected().child.pid ?? 0
  },

  get root(): CdpSession {
    return connected().root
  },

  /**
   * Starts Chromium.
   * @param onExit - called when Chromium ends, for any reason.
   */
  async start(
    profileDir: string,
    switches: readonly string[],
    options: ChromiumOptions,
    onExit: (code: number | null) => void,
  ): Promise<void> {
    const child = await launchChromium(profileDir, switches, options)
    const opened = Promise.withResolvers<HeldPage>()
    if (options.hasAppWindow) appWindow = opened.promise
    child.once('exit', onExit)
    process.once('exit', () => child.kill('SIGKILL'))
    const pipe = new CdpPipe(child)
    const root = pipe.session()
    root.on('Target.attachedToTarget', ({ targetInfo, sessionId }) => {
      const { targetId, openerId, url, browserContextId = '' } = targetInfo
      const page = { targetId, openerId, browserContextId, url, session: pipe.session(sessionId) }
      contexts.set(targetId, browserContextId)
      const opener = openerId === undefined ? undefined : listeners.get(openerId)
      if (opener) opener.opened(page)
      else if (url === appWindowUrl) opened.resolve(page)
      else held.set(targetId, page)
    })
    root.on('Target.targetDestroyed', ({ targetId }) => {
      listeners.get(targetId)?.closed()
      listeners.delete(targetId)
      contexts.delete(targetId)
    })
    root.on('Target.targetInfoChanged', ({ targetInfo }) => {
      listeners.get(targetInfo.targetId)?.changed()
    })
    const downloadPath = join(profileDir, 'downloads')
    this.listenForDownloads(root, downloadPath)
    await saveDownloads(root, downloadPath)
    const { product } = await root.send('Browser.getVersion')
    const versions = { ...process.versions, chrome: product.split('/')[1] ?? '' }
    Object.defineProperty(process, 'versions', { value: versions, configurable: true })
    const filter = [{ type: 'page' }]
    await root.send('Target.setDiscoverTargets', { discover: true, filter })
    // Chromium starts every page paused, so that its preload is in place before any of its scripts runs.
    await root.send('Target.setAutoAttach', {
      autoAttach: true,
      waitForDebuggerOnStart: true,
      flatten: true,
      filter,
    })
    connection = { child, pipe, root, downloadPath }
    ready.resolve(undefined)
  },

  /**
   * Cancels each download that a listener prevents. Chromium has already begun the download when the listener is
   * called, so a small file can be complete before the cancellation. Such a file is removed.
   */
  listenForDownloads(root: CdpSession, downloadPath: string): void {
    const prevented = new Set<string>()
    root.on('Browser.downloadWillBegin', ({ frameId, guid, url, suggestedFilename }) => {
      const targetId = listeners.has(frameId) ? frameId : ([...listeners.keys()].at(-1) ?? '')
      if (listeners.get(targetId)?.allowsDownload({ url, filename: suggestedFilename }) !== false) return
      prevented.add(guid)
      root
        .send('Browser.cancelDownload', { guid, browserContextId: contexts.get(targetId) ?? '' })
        .catch((error: unknown) => debug('download', error))
    })
    root.on('Browser.downloadProgress', ({ guid, state }) => {
      if (state === 'completed' && prevented.has(guid)) rmSync(join(downloadPath, guid), { force: true })
    })
  },

  /** Creates a context whose pages keep their storage in memory. */
  async createContext(): Promise<ContextParameter> {
    const { root, downloadPath } = connected()
    const context = await root.send('Target.createBrowserContext', { disposeOnDetach: true })
    await saveDownloads(root, downloadPath, context)
    return context
  },

  /**
   * Creates a page in the given context. If Chromium has opened an app window at its start, the first call returns this
   * window instead, which stays in the context of the profile.
   */
  async createPage(
    size: { width: number; height: number },
    context: () => Promise<ContextParameter>,
  ): Promise<HeldPage> {
    const first = appWindow
    appWindow = undefined
    if (first) return first
    const { targetId } = await connected().root.send('Target.createTarget', {
      url: 'about:blank',
      newWindow: true,
      ...(await context()),
      ...size,
    })
    const page = held.get(targetId)
    held.delete(targetId)
    if (!page) throw new Error('stand-in: Chromium did not attach to its new page')
    return page
  },

  listen(targetId: string, listener: PageListener): void {
    listeners.set(targetId, listener)
  },

  /**
   * Closes a page that must not open. The page shares the process of its opener. This process would stay paused if the
   * page closed before the page ran. Therefore the page runs with all of its requests blocked, and is then closed.
   */
  async refusePage({ targetId, session }: HeldPage): Promise<void> {
    await session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] })
    await session.send('Runtime.runIfWaitingForDebugger')
    await browser.closePage(targetId)
  },

  async closePage(targetId: string): Promise<void> {
    await connected().root.send('Target.closeTarget', { targetId })
  },

  /** Resolves when Chromium has ended; kills it after two seconds. */
  async stop(): Promise<void> {
    if (!connection) return
    const { child, root } = connection
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    const timer = setTimeout(() => child.kill('SIGKILL'), 2000)
    root.send('Browser.close').catch(() => undefined)
    await ended
    clearTimeout(timer)
  },
}
