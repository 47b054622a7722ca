import type { ForkOptions } from 'electron'
import { fork, type ChildProcess, type Serializable } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import { app } from './app.ts'
import { createEvent } from './events.ts'

type Stream = 'pipe' | 'ignore' | 'inherit'

function streams(stdio: ForkOptions['stdio']): [Stream, Stream] {
  const known = (value: string | undefined): Stream =>
    value === 'pipe' || value === 'ignore' ? value : 'inherit'
  return Array.isArray(stdio) ? [known(stdio[1]), known(stdio[2])] : [known(stdio), known(stdio)]
}

const alive = new Set<UtilityProcess>()
process.once('exit', () => alive.forEach((utility) => utility.kill()))

/** A Node child whose messages are structured clones, with process.parentPort on its side (utility-child.ts). */
export class UtilityProcess extends EventEmitter {
  readonly stdout: Readable | null
  readonly stderr: Readable | null
  readonly #child: ChildProcess
  readonly #name: string

  constructor(modulePath: string, args: readonly string[], options: ForkOptions) {
    super()
    if (!app.isReady()) throw new Error('utilityProcess cannot be created before app is ready.')
    this.#name = options.serviceName ?? 'Node Utility Process'
    const register = new URL('./register.ts', import.meta.url).href
    this.#child = fork(modulePath, args, {
      serialization: 'advanced',
      stdio: ['ignore', ...streams(options.stdio), 'ipc'],
      execArgv: ['--disable-warning=ExperimentalWarning', ...(options.execArgv ?? []), '--import', register],
      env: { ...(options.env ?? process.env), STANDIN_UTILITY: '1' },
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    })
    this.stdout = this.#child.stdout
    this.stderr = this.#child.stderr
    this.#child.on('spawn', () => this.emit('spawn'))
    this.#child.on('message', (message) => this.emit('message', message))
    this.#child.on('error', (error) => this.emit('error', 'FatalError', '', String(error)))
    this.#child.on('exit', (code, signal) => this.#exited(code, signal))
    alive.add(this)
  }

  get pid(): number | undefined {
    return this.#child.exitCode === null && this.#child.signalCode === null ? this.#child.pid : undefined
  }

  postMessage(message: Serializable, transfer: readonly unknown[] = []): void {
    if (transfer.length > 0) throw new Error('stand-in: utilityProcess carries no message ports')
    // A child that has just ended may still count as connected. Electron drops a message to this child without an
    // event, but Node would emit `error`.
    if (this.#child.connected) this.#child.send(message, () => undefined)
  }

  kill(): boolean {
    return this.#child.kill()
  }

  #exited(code: number | null, signal: NodeJS.Signals | null): void {
    const exitCode = code ?? (signal === null ? 1 : constants.signals[signal])
    alive.delete(this)
    this.emit('exit', exitCode)
    if (exitCode === 0) return
    const reason = signal === null ? 'abnormal-exit' : 'killed'
    const details = {
      type: 'Utility',
      reason,
      exitCode,
      serviceName: 'node.mojom.NodeService',
      name: this.#name,
    }
    app.emit('child-process-gone', createEvent({}), details)
  }
}

export const utilityProcess = {
  fork: (modulePath: string, args: readonly string[] = [], options: ForkOptions = {}): UtilityProcess =>
    new UtilityProcess(modulePath, args, options),
}
