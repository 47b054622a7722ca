import { EventEmitter } from 'node:events'

/** Gives a forked Node process the `parentPort` of an Electron utility process. Loaded with `--import`. */
class ForkPort extends EventEmitter {
  postMessage(message: unknown): void {
    process.send?.(message)
  }
}

const port = new ForkPort()
process.on('message', (data) => port.emit('message', { data }))
Reflect.set(process, 'parentPort', port)
