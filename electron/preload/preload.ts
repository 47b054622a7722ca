import { contextBridge, ipcRenderer } from 'electron'
import type { IpcRendererEvent } from 'electron'
import { channelName, channels, eventChannel, eventNames } from '#shared/bridge/channels.ts'
import type { EventName } from '#shared/bridge/channels.ts'

type Call = (args?: unknown, station?: unknown) => Promise<unknown>

/**
 * Creates one function for each method. Each function uses only its own channel, so the window cannot choose a channel.
 */
function callsOf(domain: string, methods: readonly string[]): Readonly<Record<string, Call>> {
  const calls = methods.map((method): [string, Call] => {
    const channel = channelName(domain, method)
    return [method, (args, station) => ipcRenderer.invoke(channel, args, station)]
  })
  return Object.freeze(Object.fromEntries(calls))
}

/**
 * Registers a listener for an event of the bridge. The listener does not get Electron's event object, because it
 * contains the sender.
 */
function on(event: EventName, listener: (payload: unknown) => void): () => void {
  if (!eventNames.includes(event)) throw new Error(`unknown event ${event}`)
  const channel = eventChannel(event)
  const deliver = (_event: IpcRendererEvent, payload: unknown): void => listener(payload)
  ipcRenderer.on(channel, deliver)
  return () => ipcRenderer.off(channel, deliver)
}

/**
 * Deletes interfaces of the page: those that connect to other machines and that a content security policy cannot block,
 * and others that the desk does not use. The function runs in the page's world before any script of the page. Electron
 * sends the function there as source text, so it can use only its argument and globals. Main also blocks the requests
 * of these interfaces (page-network.ts), even in frames, where no preload runs.
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
