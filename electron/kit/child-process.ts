import { fork } from 'node:child_process'

/**
 * A separate process that receives messages of type `Order` and sends messages of type `Word`. All messages are
 * structured clones.
 */
export interface ChildLink<Order, Word> {
  tell(order: Order): void
  onWord(listener: (word: Word) => void): void
  /** Registers a listener for the end of the process, or for a start that failed. The listener may be called twice. */
  onEnd(listener: () => void): void
  /** Sets whether the process prevents the end of this program. Before the first call, the process prevents it. */
  keepProgramRunning(isKept: boolean): void
  /** Ends the process at once, whatever it is doing. */
  readonly kill: () => void
}

/** Starts a separate process whose entry is the file at the URL `file`, and returns the connection to it. */
export type StartChild = <Order, Word>(file: URL) => ChildLink<Order, Word>

/**
 * Starts a separate process with Node's `fork`. In Electron, main uses `startUtility` (electron/main/utility-child.ts)
 * instead, because a packaged Electron cannot run as Node.
 */
export const forkChild: StartChild = <Order, Word>(file: URL): ChildLink<Order, Word> => {
  const child = fork(file, [], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [],
  })
  child.on('error', () => undefined)
  return {
    tell: (order) => {
      // an error of `send` is ignored, because the end of the process is reported by another event
      if (child.connected) child.send(order as object, () => undefined)
    },
    onWord: (listener) => void child.on('message', (word) => listener(word as Word)),
    onEnd: (listener) => {
      child.once('exit', listener)
      child.once('error', listener)
    },
    keepProgramRunning: (isKept) => {
      if (isKept) child.ref()
      else child.unref()
      // the channel is null after the end of the process
      if (isKept) child.channel?.ref()
      else child.channel?.unref()
    },
    kill: () => void child.kill('SIGKILL'),
  }
}

/** The connection of a started process to the program that started it. */
export interface ParentLink<Order, Word> {
  readonly say: (word: Word) => void
  readonly listen: (listener: (order: Order) => void) => void
}

/**
 * Connects this process, which another program has started, with its parent. The process ends when its parent has
 * ended.
 */
export function parentLink<Order, Word>(): ParentLink<Order, Word> {
  // a utility process of Electron has a port, and a process that Node forked has `process.send`
  const port: unknown = Reflect.get(process, 'parentPort')
  return {
    say(word) {
      if (isPort(port)) port.postMessage(word)
      else process.send?.(word)
    },
    listen(listener) {
      if (isPort(port)) port.on('message', ({ data }) => listener(data as Order))
      else process.on('message', (order) => listener(order as Order))
      // the parent has ended and can no longer kill this process, so the process kills itself
      process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
    },
  }
}

interface Port {
  on(event: 'message', listener: (event: { data: unknown }) => void): void
  postMessage(word: unknown): void
}

function isPort(value: unknown): value is Port {
  return typeof value === 'object' && value !== null && 'postMessage' in value
}

/**
 * Returns the URL of the entry of a thread or a process. In the sources the entry is beside the file `here`. In a
 * bundle it is beside main.js, and the code of `here` may be in the folder `chunks`.
 *
 * @param here `import.meta.url` of the calling file
 * @param name name of the entry's file without its extension
 */
export function entryBeside(here: string, name: string): URL {
  if (here.endsWith('.ts')) return new URL(`./${name}.ts`, here)
  return new URL(here.includes('/chunks/') ? `../${name}.js` : `./${name}.js`, here)
}
