import { decode, decodeList, encode, isFunction, type PageFunction } from './codec.ts'

/**
 * A call between the page's own JavaScript world and the preload's isolated world: the number of a function that the
 * other world exposes, and the arguments.
 */
export type CallOther = (id: number, args: unknown[]) => unknown

interface Answer {
  /**
   * If the called function returned a promise, this is the number of the promise. Its result follows in a separate
   * message.
   */
  promise?: number
  ok: boolean
  value: string
}

interface BridgeMessage {
  call?: number
  args?: string
  answer?: Answer
  settle?: number
  settled?: Answer
}

/**
 * Creates one end of the synchronous bridge between the page's own world and the preload's isolated world. DOM events
 * carry encoded text in both directions, because the DOM is the only object that two isolated worlds share. The names
 * of the events contain a random key, which a page cannot find out. @param root - the function that the other end calls
 * as number 0.
 */
export function makeBridge(outgoing: string, incoming: string, root?: PageFunction): CallOther {
  const exposed: PageFunction[] = root ? [root] : []
  const ids = new Map<PageFunction, number>(exposed.map((fn, id) => [fn, id]))
  const promises = new Map<number, { resolve: PageFunction; reject: PageFunction }>()
  const answers: Answer[] = []
  let nextPromise = 0

  const expose = (fn: PageFunction): number => {
    const known = ids.get(fn) ?? exposed.push(fn) - 1
    ids.set(fn, known)
    return known
  }
  const revive =
    (id: number): PageFunction =>
    (...args) =>
      callOther(id, args)
  const emit = (message: BridgeMessage): void => {
    window.dispatchEvent(new CustomEvent(outgoing, { detail: JSON.stringify(message) }))
  }
  const pack = (ok: boolean, value: unknown): Answer => {
    try {
      return { ok, value: encode(value, expose) }
    } catch (error) {
      return { ok: false, value: encode(error) }
    }
  }
  const callOther: CallOther = (id, args) => {
    emit({ call: id, args: encode(args, expose) })
    const answer = answers.pop()
    if (!answer) throw new Error('context bridge: the other world is gone')
    const { promise, ok, value } = answer
    if (promise !== undefined) {
      return new Promise((resolve, reject) => promises.set(promise, { resolve, reject }))
    }
    const result = decode(value, revive)
    if (ok) return result
    throw result
  }
  const run = (id: number, text: string): Answer => {
    try {
      const args = decodeList(text, revive)
      const fn = exposed[id]
      if (!fn) throw new Error('context bridge: no such function')
      const result: unknown = fn(...args)
      if (typeof result !== 'object' || result === null || !('then' in result) || !isFunction(result.then)) {
        return pack(true, result)
      }
      const promise = nextPromise++
      Promise.resolve(result).then(
        (value: unknown) => emit({ settle: promise, settled: pack(true, value) }),
        (error: unknown) => emit({ settle: promise, settled: pack(false, error) }),
      )
      return { promise, ok: true, value: '' }
    } catch (error) {
      return pack(false, error)
    }
  }
  const receive = (event: Event): void => {
    event.stopImmediatePropagation()
    const message = JSON.parse((event as CustomEvent<string>).detail) as BridgeMessage
    if (message.call !== undefined) emit({ answer: run(message.call, message.args ?? '') })
    else if (message.answer) answers.push(message.answer)
    else if (message.settle !== undefined && message.settled) {
      const waiting = promises.get(message.settle)
      promises.delete(message.settle)
      const value = decode(message.settled.value, revive)
      if (message.settled.ok) waiting?.resolve(value)
      else waiting?.reject(value)
    }
  }
  window.addEventListener(incoming, receive, true)
  return callOther
}

/** Freezes the preload's exposed objects at every depth, as Electron's contextBridge does. */
export function deepFreeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  for (const part of Object.values(value)) deepFreeze(part)
  return Object.freeze(value)
}

/** Runs in the page's own world before any of its scripts: adds the preload's exposed objects to window. */
export function startMainWorld(key: string): void {
  makeBridge(`${key}-isolated`, `${key}-main`, (name, api) => {
    // If the preload's isolated world calls this function without `name`, it only checks that the page's own world
    // responds.
    if (typeof name !== 'string') return
    Object.defineProperty(window, name, {
      value: deepFreeze(api),
      enumerable: true,
      configurable: false,
      writable: false,
    })
  })
}
