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
  url: string
  session: CdpSession
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
}

const ready = Promise.withResolvers<undefined>()
const held = new Map<string, HeldPage>()
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
      const { targetId, openerId, url } = targetInfo
      const page = { targetId, openerId, url, session: pipe.session(sessionId) }
      const opener = openerId === undefined ? undefined : listeners.get(openerId)
      if (opener) opener.opened(page)
      else if (url === appWindowUrl) opened.resolve(page)
      else held.set(targetId, page)
    })
    root.on('Target.targetDestroyed', ({ targetId }) => {
      listeners.get(targetId)?.closed()
      listeners.delete(targetId)
    })
    root.on('Target.targetInfoChanged', ({ targetInfo }) => {
      listeners.get(targetInfo.targetId)?.changed()
    })
    await this.reportDownloads(root, join(profileDir, 'downloads'))
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
    connection = { child, pipe, root }
    ready.resolve(undefined)
  },

  /**
   * Saves downloads in the folder without a question; Electron would ask the operator for a path. A download that a
   * listener prevents is cancelled. Chromium has begun the download by then, so a small file may already exist and is
   * removed.
   */
  async reportDownloads(root: CdpSession, downloadPath: string): Promise<void> {
    const prevented = new Set<string>()
    root.on('Browser.downloadWillBegin', ({ frameId, guid, url, suggestedFilename }) => {
      const listener = listeners.get(frameId) ?? [...listeners.values()].at(-1)
      if (listener?.allowsDownload({ url, filename: suggestedFilename }) !== false) return
      prevented.add(guid)
      root.send('Browser.cancelDownload', { guid }).catch((error: unknown) => debug('download', error))
    })
    root.on('Browser.downloadProgress', ({ guid, state }) => {
      if (state === 'completed' && prevented.has(guid)) rmSync(join(downloadPath, guid), { force: true })
    })
    const behavior = 'allowAndName'
    await root.send('Browser.setDownloadBehavior', { behavior, downloadPath, eventsEnabled: true })
  },

  async createPage(size: { width: number; height: number }): Promise<HeldPage> {
    const first = appWindow
    appWindow = undefined
    if (first) return first
    const { targetId } = await connected().root.send('Target.createTarget', {
      url: 'about:blank',
      newWindow: true,
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
