import { EventEmitter } from 'node:events'

/** The port through which a child of utilityProcess.fork exchanges messages with its parent. */
class ParentPort extends EventEmitter {
  postMessage(message: unknown): void {
    process.send?.(message)
  }

  start(): void {
    // Does nothing: the messages are delivered as soon as the first listener is added.
  }
}

/** Adds the parentPort of an Electron utility process to this process, and ends the process when its parent ends. */
export function becomeUtility(): void {
  delete process.env['STANDIN_UTILITY']
  const port = new ParentPort()
  // Messages are stored from the start, because the parent may send one before the child's code runs.
  const early: unknown[] = []
  process.on('message', (data) => {
    if (port.listenerCount('message') === 0) early.push(data)
    else port.emit('message', { data, ports: [] })
  })
  port.on('newListener', (event) => {
    if (event !== 'message') return
    queueMicrotask(() => {
      for (const data of early.splice(0)) port.emit('message', { data, ports: [] })
    })
  })
  // The child also ends after a SIGKILL of the parent. The exit handlers of the child do not run then, as in Electron.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  Object.assign(process, { parentPort: port, type: 'utility' })
}
