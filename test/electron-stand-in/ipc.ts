import { EventEmitter } from 'node:events'
import { createEvent } from './events.ts'

type Handler = (event: object, ...args: unknown[]) => unknown

/** Implements ipcMain and webContents.ipc. */
export class IpcMain extends EventEmitter {
  readonly #handlers = new Map<string, Handler>()

  handle(channel: string, handler: Handler): void {
    if (this.#handlers.has(channel))
      throw new Error(`Attempted to register a second handler for '${channel}'`)
    this.#handlers.set(channel, handler)
  }

  handleOnce(channel: string, handler: Handler): void {
    this.handle(channel, (event, ...args) => {
      this.removeHandler(channel)
      return handler(event, ...args)
    })
  }

  removeHandler(channel: string): void {
    this.#handlers.delete(channel)
  }

  handlerOf(channel: string): Handler | undefined {
    return this.#handlers.get(channel)
  }
}

export const ipcMain = new IpcMain()

/** The sender of a message, as listeners see it. */
export interface IpcSender {
  readonly ipc: IpcMain
  readonly mainFrame: object
  send(channel: string, ...args: unknown[]): void
}

function createIpcEvent(sender: IpcSender): object {
  return createEvent({
    type: 'frame',
    sender,
    senderFrame: sender.mainFrame,
    frameId: 1,
    processId: 1,
    ports: [],
    reply: (channel: string, ...args: unknown[]): void => sender.send(channel, ...args),
  })
}

/** Implements ipcRenderer.send. */
export function deliver(sender: IpcSender, channel: string, args: unknown[]): void {
  const event = createIpcEvent(sender)
  sender.ipc.emit(channel, event, ...args)
  ipcMain.emit(channel, event, ...args)
}

/** Implements ipcRenderer.invoke. Rejects with the error that the page receives, in Electron's format. */
export async function invoke(sender: IpcSender, channel: string, args: unknown[]): Promise<unknown> {
  try {
    const handler = sender.ipc.handlerOf(channel) ?? ipcMain.handlerOf(channel)
    if (!handler) throw new Error(`No handler registered for '${channel}'`)
    return await handler(createIpcEvent(sender), ...args)
  } catch (error) {
    console.error(`Error occurred in handler for '${channel}':`, error)
    throw new Error(`Error invoking remote method '${channel}': ${String(error)}`)
  }
}
