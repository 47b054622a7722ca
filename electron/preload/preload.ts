import { contextBridge, ipcRenderer } from 'electron'
import type { IpcRendererEvent } from 'electron'
import { channelName, channels, eventChannel, eventNames } from '#shared/bridge/channels.ts'
import type { EventName } from '#shared/bridge/channels.ts'

type Call = (args?: unknown) => Promise<unknown>

/** One function a method, each bound to its own channel: the window can name no other. */
function callsOf(domain: string, methods: readonly string[]): Readonly<Record<string, Call>> {
  const calls = methods.map((method): [string, Call] => {
    const channel = channelName(domain, method)
    return [method, (args) => ipcRenderer.invoke(channel, args)]
  })
  return Object.freeze(Object.fromEntries(calls))
}

/** Only events of the contract; the Electron event, which holds the sender, stays on this side. */
function on(event: EventName, listener: (payload: unknown) => void): () => void {
  if (!eventNames.includes(event)) throw new Error(`no event is called ${event}`)
  const channel = eventChannel(event)
  const deliver = (_event: IpcRendererEvent, payload: unknown): void => listener(payload)
  ipcRenderer.on(channel, deliver)
  return () => ipcRenderer.off(channel, deliver)
}

/**
 * Runs in the page's own world, before any script of the page, and is sent there as source text: it may use its argument
 * and globals alone. Deletes the interfaces that speak to other machines and that no content security policy governs,
 * with those that the desk has no use for. Main stops what they would send as well (page-network.ts), also from frames,
 * which no preload reaches.
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
