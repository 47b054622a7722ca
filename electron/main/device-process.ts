import { fileURLToPath } from 'node:url'
import { utilityProcess } from 'electron'
import { type DeviceProcess, deviceProcessFile } from '#printing/device-process.ts'

/**
 * Starts the process for one connection to a device file. It is a utility process of Electron, because a packaged
 * Electron cannot fork a Node process.
 */
export function startDeviceProcess(): DeviceProcess {
  const file = fileURLToPath(deviceProcessFile())
  const child = utilityProcess.fork(file, [], { serviceName: 'scandesk-printer', stdio: 'ignore' })
  return {
    tell: (order) => {
      child.postMessage(order)
    },
    onWord: (listener) => void child.on('message', listener),
    onEnd: (listener) => void child.once('exit', listener),
    kill: () => {
      // sends SIGKILL first, because the signal of Electron's kill() does not end a process whose write waits for a printer
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
