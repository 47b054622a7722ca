import { contextBridge, ipcRenderer } from 'electron'
import type { IpcRendererEvent } from 'electron'
import { channelName, channels, eventChannel, eventNames } from '#shared/bridge/channels.ts'
import type { EventName } from '#shared/bridge/channels.ts'

type Call = (args?: unknown) => Promise<unknown>

/** Creates one function a method, each bound to its own channel, so that the window cannot name any other. */
function callsOf(domain: string, methods: readonly string[]): Readonly<Record<string, Call>> {
  const calls = methods.map((method): [string, Call] => {
    const channel = channelName(domain, method)
    return [method, (args) => ipcRenderer.invoke(channel, args)]
  })
  return Object.freeze(Object.fromEntries(calls))
}

/**
 * Registers a listener for events of the contract only. The Electron event, which contains the sender, is not passed
 * on.
 */
function on(event: EventName, listener: (payload: unknown) => void): () => void {
  if (!eventNames.includes(event)) throw new Error(`unknown event ${event}`)
  const channel = eventChannel(event)
  const deliver = (_event: IpcRendererEvent, payload: unknown): void => listener(payload)
  ipcRenderer.on(channel, deliver)
  return () => ipcRenderer.off(channel, deliver)
}

/**
 * Deletes the interfaces that connect to other machines without any content security policy, and others that the desk
 * does not use. Runs in the page's own world before any script of the page. It is sent there as source text, so it may
 * use its argument and globals only. Main also blocks what these interfaces would send (page-network.ts), including
 * from frames, which no preload reaches.
 */
function removeNetworkInterfaces(pattern: string): void {
  const unwanted = new RegExp(pattern)
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (unwanted.test(name)) Reflect.deleteProperty(globalThis, name)
  }
}

contextBridge.executeInMainWorld({
  func: removeNetworkInterfaces,
  args: [
    '^((webkit)?RTC|WebTransport|WebSocketStream|Presentation|RemotePlayback|(webkit)?SpeechRecognition|SharedWorker|fetchLater)',
  ],
})

const domains = Object.entries(channels).map(
  ([domain, methods]) => [domain, callsOf(domain, methods)] as const,
)

contextBridge.exposeInMainWorld('scandesk', Object.freeze({ ...Object.fromEntries(domains), on }))
