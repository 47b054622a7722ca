import { fork } from 'node:child_process'

/** Messages to the process that has a device open. */
export type DeviceOrder =
  | { readonly do: 'open'; readonly path: string }
  | { readonly do: 'write'; readonly bytes: Uint8Array }
  | { readonly do: 'close' }

/**
 * Messages from the process: a response to each order, and at any time bytes from the device or the loss of the device.
 */
export type DeviceWord =
  | { readonly say: 'opened' | 'written' | 'closed' }
  | { readonly say: 'failed' | 'lost'; readonly cause: string }
  | { readonly say: 'bytes'; readonly bytes: Uint8Array }

/**
 * A separate process for one connection to a device. If a write never returns, only the end of the process can stop it.
 */
export interface DeviceProcess {
  tell(order: DeviceOrder): void
  onWord(listener: (word: DeviceWord) => void): void
  onEnd(listener: () => void): void
  /** Ends the process at once, whatever it is doing. */
  kill(): void
}

export type StartDeviceProcess = () => DeviceProcess

/**
 * Starts the process with Node. In Electron, main passes another function, because a packaged Electron cannot run as
 * Node.
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
      // an error of `send` is ignored, because the end of the process is reported by another event
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
 * Returns the path of the process's file. In the sources, that file is beside this one. In a bundle, it is beside
 * main.js, while this code may be in the folder of chunks.
 */
export function deviceProcessFile(): URL {
  const here = import.meta.url
  if (here.endsWith('.ts')) return new URL('./device-child.ts', here)
  return new URL(here.includes('/chunks/') ? '../device-child.js' : './device-child.js', here)
}
