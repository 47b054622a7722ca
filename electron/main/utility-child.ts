import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { utilityProcess } from 'electron'
import type { ChildLink, StartChild } from '#kit/child-process.ts'

/** Starts a process as a utility process of Electron, because a packaged Electron cannot fork a Node process. */
export const startUtility: StartChild = <Order, Word>(file: URL): ChildLink<Order, Word> => {
  const path = fileURLToPath(file)
  const child = utilityProcess.fork(path, [], { serviceName: basename(path, '.js'), stdio: 'ignore' })
  // Electron emits `error` when V8 ends the process, and `exit` afterwards; without a listener for `error`, main would
  // throw
  child.on('error', () => undefined)
  return {
    tell: (order) => {
      child.postMessage(order)
    },
    onWord: (listener) => void child.on('message', listener),
    onEnd: (listener) => void child.once('exit', listener),
    // a utility process never prevents the end of the app
    keepProgramRunning: () => undefined,
    kill: () => {
      // sends SIGKILL first, because the signal of Electron's kill() does not end a process whose write waits for a
      // printer
      if (child.pid === undefined || !killed(child.pid)) child.kill()
    },
  }
}

function killed(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}
