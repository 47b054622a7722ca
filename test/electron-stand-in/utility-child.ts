import { EventEmitter } from 'node:events'

/** The child's end of utilityProcess.fork. */
class ParentPort extends EventEmitter {
  postMessage(message: unknown): void {
    process.send?.(message)
  }

  start(): void {
    // Messages are delivered from the first listener on.
  }
}

/** Gives this process the parentPort of an Electron utility process, and ends it with its parent. */
export function becomeUtility(): void {
  delete process.env['STANDIN_UTILITY']
  const port = new ParentPort()
  // A message that the parent sends before the child's code runs must not be lost.
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
  // The child also ends after a SIGKILL of the parent. As in Electron, no handlers run at this end.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  Object.assign(process, { parentPort: port, type: 'utility' })
}
