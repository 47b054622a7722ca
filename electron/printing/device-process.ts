import { fork } from 'node:child_process'

/** Orders to the process that has a device open. */
export type DeviceOrder =
  | { readonly do: 'open'; readonly path: string }
  | { readonly do: 'write'; readonly bytes: Uint8Array }
  | { readonly do: 'close' }

/** Messages of that process: one for each order, and at any time the bytes of the device or its loss. */
export type DeviceWord =
  | { readonly say: 'opened' | 'written' | 'closed' }
  | { readonly say: 'failed' | 'lost'; readonly cause: string }
  | { readonly say: 'bytes'; readonly bytes: Uint8Array }

/** A separate process for one connection to a device, because a write that never returns ends only with its process. */
export interface DeviceProcess {
  tell(order: DeviceOrder): void
  onWord(listener: (word: DeviceWord) => void): void
  onEnd(listener: () => void): void
  /** Ends the process at once, whatever it is doing. */
  kill(): void
}

export type StartDeviceProcess = () => DeviceProcess

/**
 * Starts the process with Node. Electron's main starts it otherwise, because a packaged Electron cannot run as Node.
 */
export function forkDeviceProcess(): DeviceProcess {
  const child = fork(deviceProcessFile(), [], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [],
  })
  child.on('error', () => undefined)
  return {
    tell: (order) => {
      // the end of the process is a separate event
      if (child.connected) child.send(order, () => undefined)
    },
    onWord: (listener) => void child.on('message', listener),
    onEnd: (listener) => {
      child.once('exit', listener)
      child.once('error', listener)
    },
    kill: () => void child.kill('SIGKILL'),
  }
}

/**
 * Returns the file of the process: beside this file in the sources; beside main.js in a bundle, where this file may be
 * among the chunks.
 */
export function deviceProcessFile(): URL {
  const here = import.meta.url
  if (here.endsWith('.ts')) return new URL('./device-child.ts', here)
  return new URL(here.includes('/chunks/') ? '../device-child.js' : './device-child.js', here)
}
