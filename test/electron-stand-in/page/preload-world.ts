import { makeBridge } from './bridge.ts'
import { decodeList, encode, isFunction, type PageFunction } from './codec.ts'

/** The configuration that the main process passes to the world of the preload. */
export interface PreloadConfig {
  /** A random key that names the binding to the main process and the events of the bridge. */
  key: string
  process: object
}

/** The preload bundle, wrapped as a CommonJS module function. */
export type PreloadModule = (
  require: (id: string) => unknown,
  module: { exports: object },
  exports: object,
  process: object,
  global: object,
) => void

/** Creates ipcRenderer: `post` sends encoded text to the main process; the returned `receive` takes its messages. */
export function makeIpcRenderer(post: (text: string) => void): {
  ipcRenderer: object
  receive: (text: string) => void
} {
  const listeners = new Map<unknown, { listener: unknown; run: PageFunction }[]>()
  const waiting = new Map<unknown, { resolve: PageFunction; reject: PageFunction }>()
  let nextCall = 0
  const send = (...message: unknown[]): void => post(encode([location.href, ...message]))
  const add = (channel: unknown, listener: unknown, run: unknown): object => {
    if (!isFunction(run)) throw new TypeError('The "listener" argument must be of type function')
    listeners.set(channel, [...(listeners.get(channel) ?? []), { listener, run }])
    return ipcRenderer
  }
  const remove = (channel: unknown, listener: unknown): object => {
    const rest = (listeners.get(channel) ?? []).filter((entry) => entry.listener !== listener)
    listeners.set(channel, rest)
    return ipcRenderer
  }
  const on = (channel: unknown, listener: unknown): object => add(channel, listener, listener)
  const once = (channel: unknown, listener: unknown): object =>
    add(channel, listener, (...args: unknown[]) => {
      remove(channel, listener)
      if (isFunction(listener)) listener(...args)
    })
  const ipcRenderer = {
    on,
    addListener: on,
    once,
    off: remove,
    removeListener: remove,
    removeAllListeners(channel?: unknown): object {
      if (channel === undefined) listeners.clear()
      else listeners.delete(channel)
      return ipcRenderer
    },
    listenerCount: (channel: unknown): number => listeners.get(channel)?.length ?? 0,
    send: (channel: unknown, ...args: unknown[]): void => send('send', channel, args),
    invoke: (channel: unknown, ...args: unknown[]): Promise<unknown> =>
      new Promise((resolve, reject) => {
        const call = nextCall++
        send('invoke', channel, args, call)
        waiting.set(call, { resolve, reject })
      }),
    sendSync(): never {
      throw new Error('stand-in: ipcRenderer.sendSync is not supported')
    },
  }
  const receive = (text: string): void => {
    const [kind, about, payload, ok] = decodeList(text)
    if (kind === 'reply') {
      const call = waiting.get(about)
      waiting.delete(about)
      if (ok === true) call?.resolve(payload)
      else call?.reject(payload)
      return
    }
    const args: unknown[] = Array.isArray(payload) ? payload : []
    for (const { run } of listeners.get(about) ?? []) run({ sender: ipcRenderer, ports: [] }, ...args)
  }
  return { ipcRenderer, receive }
}

/**
 * Runs in the isolated world: gives the preload bundle the `require` of Electron's sandboxed preloads, and starts it.
 */
export function startPreloadWorld(config: PreloadConfig, run: PreloadModule): void {
  const binding: unknown = Reflect.get(globalThis, config.key)
  const post = (text: string): void => {
    if (isFunction(binding)) binding(text)
  }
  const { ipcRenderer, receive } = makeIpcRenderer(post)
  Object.defineProperty(globalThis, `${config.key}Receive`, { value: receive })
  const toMainWorld = makeBridge(`${config.key}-main`, `${config.key}-isolated`)
  const electron = {
    ipcRenderer,
    contextBridge: {
      exposeInMainWorld: (name: string, api: unknown): void => void toMainWorld(0, [name, api]),
      // Does nothing, because the stand-in has run the function before the preload (page/source.ts). While the preload
      // runs, the content security policy of the document forbids the evaluation of the function's text.
      executeInMainWorld: (): void => undefined,
    },
  }
  const require = (id: string): unknown => {
    if (/^electron(\/(renderer|common))?$/.test(id)) return electron
    throw new Error(`module not found: ${id}`)
  }
  const module = { exports: {} }
  const start = (): void => {
    try {
      run(require, module, module.exports, config.process, globalThis)
    } catch (error) {
      console.error('Unable to load preload script', error)
      post(encode([location.href, 'preload-error', '', [error]]))
    }
  }
  // A popup is still paused when this code runs, and the JavaScript world of its page cannot be reached. Therefore its
  // preload starts in the first task after the pause.
  try {
    toMainWorld(0, [])
  } catch {
    setTimeout(start)
    return
  }
  start()
}
