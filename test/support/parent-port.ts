import { EventEmitter } from 'node:events'

/** Adds the `parentPort` of an Electron utility process to a forked Node process. Loaded with `--import`. */
class ForkPort extends EventEmitter {
  postMessage(message: unknown): void {
    process.send?.(message)
  }
}

const port = new ForkPort()
process.on('message', (data) => port.emit('message', { data }))
Reflect.set(process, 'parentPort', port)
