import { EventEmitter } from 'node:events'

/** The child's end of utilityProcess.fork. */
class ParentPort extends EventEmitter {
  postMessage(message: unknown): void {
    process.send?.(message)
  }

  start(): void {
    // Messages flow from the first listener on.
  }
}

/** Gives this process the parentPort of an Electron utility process, and ends it with its parent. */
export function becomeUtility(): void {
  delete process.env['STANDIN_UTILITY']
  const port = new ParentPort()
  // A parent that posts before the child's code has run must not lose the message.
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
  // Also after a SIGKILL of the parent. Like Electron's, this end runs no handlers.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  Object.assign(process, { parentPort: port, type: 'utility' })
}
