import { EventEmitter } from 'node:events'
import { debug, environment } from './environment.ts'

// These functions define Electron APIs that the stand-in has but that do nothing. A test must not pass only because a
// call has no effect. Therefore such a call throws in strict mode unless the test's environment declares the API.

const said = new Set<string>()

function isDeclared(name: string): boolean {
  const owner = name.slice(0, name.indexOf('.'))
  const method = name.split(':')[0] ?? name
  return [name, method, `${owner}.*`].some((entry) => environment.declaredInert.has(entry))
}

/**
 * Records the call of an API that does nothing in the stand-in, e.g. `app.setBadgeCount` or `powerMonitor.on:suspend`.
 * @throws in strict mode (STANDIN_STRICT) unless STANDIN_INERT declares the name, `owner.method` or `owner.*`.
 */
export function useInert(name: string): void {
  if (environment.strict && !isDeclared(name)) {
    throw new Error(
      `stand-in: ${name} does nothing here; declare it in STANDIN_INERT if no test depends on it`,
    )
  }
  if (said.has(name)) return
  said.add(name)
  debug(`${name} does nothing`)
}

/**
 * The return values of the methods of Electron that do nothing in the stand-in, by method name. `T`: the interface of
 * Electron to which the methods belong.
 */
export type InertAnswers<T> = {
  [K in keyof T]?: T[K] extends (...args: never[]) => infer Answer ? Answer : never
}

/**
 * Adds to `target` one method without effect for each entry of `answers`: the name of the method, and its return value.
 * Throws if `target` already has a method of this name.
 */
export function defineInert<T>(target: object, owner: string, answers: InertAnswers<T>): void {
  for (const [name, answer] of Object.entries(answers)) {
    if (name in target) throw new Error(`stand-in: ${owner}.${name} is both inert and implemented`)
    const method = (): unknown => {
      useInert(`${owner}.${name}`)
      return answer
    }
    // The property is writable, like those of Electron's objects, so that a test can replace the method.
    Object.defineProperty(target, name, { value: method, writable: true, configurable: true })
  }
}

/**
 * An emitter with a list of the events that the stand-in emits. A listener for any other event counts as a call of an
 * API that does nothing.
 */
export class FiringEmitter extends EventEmitter {
  readonly #owner: string
  readonly #fires: ReadonlySet<string>

  constructor(owner: string, fires: readonly string[]) {
    super()
    this.#owner = owner
    this.#fires = new Set(fires)
  }

  override on(event: string | symbol, listener: (...args: unknown[]) => void): this {
    this.#check(event)
    return super.on(event, listener)
  }

  override addListener(event: string | symbol, listener: (...args: unknown[]) => void): this {
    return this.on(event, listener)
  }

  #check(event: string | symbol): void {
    if (typeof event === 'string' && !this.#fires.has(event)) useInert(`${this.#owner}.on:${event}`)
  }
}
