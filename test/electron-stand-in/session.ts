import type { Session as ElectronSession, WebRequest as ElectronWebRequest } from 'electron'
import { app } from './app.ts'
import { browser, type ContextParameter } from './browser.ts'
import { environment } from './environment.ts'
import { defineInert, FiringEmitter, useInert } from './inert.ts'
import { fetchIn } from './net.ts'
import { Permissions, type CheckHandler, type RequestHandler } from './permissions.ts'
import { Protocol, protocol } from './protocol.ts'

const sessions = new Map<string, Session>()

type RequestListener = (details: object, callback: (answer: { cancel?: boolean }) => void) => void

/** Implements session.webRequest. Handlers can only cancel requests; a redirectURL has no effect here. */
class WebRequest {
  #onBeforeRequest: RequestListener | null = null

  onBeforeRequest(listener: RequestListener | { urls: readonly string[] } | null): void {
    if (listener !== null && 'urls' in listener)
      throw new Error('stand-in: webRequest.onBeforeRequest takes no filter')
    this.#onBeforeRequest = listener
  }

  cancels(details: object): Promise<boolean> {
    const listener = this.#onBeforeRequest
    if (!listener) return Promise.resolve(false)
    return new Promise((resolve) => listener(details, ({ cancel = false }) => resolve(cancel)))
  }
}

defineInert<ElectronWebRequest>(WebRequest.prototype, 'webRequest', {
  onBeforeSendHeaders: undefined,
  onHeadersReceived: undefined,
  onCompleted: undefined,
  onErrorOccurred: undefined,
})

/**
 * A session. All persistent partitions share the profile of Chromium; only their handlers and listeners differ. Every
 * other partition has a context of its own in Chromium, which keeps its storage in memory.
 */
export class Session extends FiringEmitter {
  readonly protocol: Protocol
  readonly permissions = new Permissions()
  readonly webRequest = new WebRequest()
  readonly cookies: object
  readonly #isPersistent: boolean
  #context: Promise<ContextParameter> | undefined

  constructor(partition: string) {
    super('session', ['will-download'])
    this.#isPersistent = partition === '' || partition.startsWith('persist:')
    this.protocol = partition === '' ? protocol : new Protocol()
    this.cookies = neverFires('cookies', ['get', 'set', 'remove', 'flushStore'])
  }

  /** Returns the session of a window's `partition`; without a partition, the default session. */
  static from(partition = ''): Session {
    const known = sessions.get(partition) ?? new Session(partition)
    sessions.set(partition, known)
    return known
  }

  setPermissionRequestHandler(handler: RequestHandler | null): void {
    this.permissions.setRequestHandler(handler)
  }

  setPermissionCheckHandler(handler: CheckHandler | null): void {
    this.permissions.setCheckHandler(handler)
  }

  /** Returns STANDIN_PROXY, in the form of a PAC script's result; DIRECT by default. */
  resolveProxy(): Promise<string> {
    return Promise.resolve(environment.proxy)
  }

  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    return fetchIn(this.protocol, input, init)
  }

  getStoragePath(): string | null {
    return this.#isPersistent ? app.getPath('userData') : null
  }

  isPersistent(): boolean {
    return this.#isPersistent
  }

  /** Returns the context of Chromium in which the session's pages are created. */
  context(): Promise<ContextParameter> {
    this.#context ??= this.#isPersistent ? Promise.resolve({}) : browser.createContext()
    return this.#context
  }
}

function neverFires(owner: string, methods: readonly string[]): object {
  return Object.fromEntries(methods.map((name) => [name, (): void => useInert(`${owner}.${name}`)]))
}

defineInert<ElectronSession>(Session.prototype, 'session', {
  clearAuthCache: Promise.resolve(),
  clearCache: Promise.resolve(),
  clearData: Promise.resolve(),
  clearHostResolverCache: Promise.resolve(),
  clearStorageData: Promise.resolve(),
  closeAllConnections: Promise.resolve(),
  forceReloadProxyConfig: Promise.resolve(),
  flushStorageData: undefined,
  getUserAgent: '',
  setBluetoothPairingHandler: undefined,
  setCertificateVerifyProc: undefined,
  setDevicePermissionHandler: undefined,
  setDisplayMediaRequestHandler: undefined,
  setDownloadPath: undefined,
  setProxy: Promise.resolve(),
  setSpellCheckerDictionaryDownloadURL: undefined,
  setSpellCheckerEnabled: undefined,
  setSpellCheckerLanguages: undefined,
  setSSLConfig: undefined,
  setUSBProtectedClassesHandler: undefined,
  setUserAgent: undefined,
})

export const session = {
  get defaultSession(): Session {
    return Session.from()
  },
  fromPartition: (partition: string): Session => Session.from(partition),
}
