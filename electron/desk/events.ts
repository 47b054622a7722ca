import type { EventName } from '#shared/bridge/channels.ts'
import type { EventPayload } from '#shared/bridge/contract.ts'

type Listener<E extends EventName> = (payload: EventPayload<E>) => void

/**
 * Events for the window. If a listener throws, the error is reported (`onFault`) and the other listeners are still
 * called.
 */
export class DeskEvents {
  readonly #onFault: (error: unknown) => void
  readonly #listeners: { readonly [E in EventName]: Set<Listener<E>> } = {
    status: new Set(),
    session: new Set(),
    returnLabel: new Set(),
    modification: new Set(),
    // only main listens to `closing`; the window does not get it
    closing: new Set(),
    scanners: new Set(),
    heldScans: new Set(),
  }

  constructor(onFault: (error: unknown) => void) {
    this.#onFault = onFault
  }

  on<E extends EventName>(event: E, listener: Listener<E>): () => void {
    this.#listeners[event].add(listener)
    return () => void this.#listeners[event].delete(listener)
  }

  emit<E extends EventName>(event: E, payload: EventPayload<E>): void {
    for (const listener of [...this.#listeners[event]]) {
      try {
        listener(payload)
      } catch (error) {
        this.#onFault(error)
      }
    }
  }
}

/**
 * An event from one part of the desk to a part that is created later. With a Signal, neither part needs the other part
 * when it is created. Listeners are added when both parts exist. If a listener throws, `emit` throws the error, as a
 * direct call would.
 */
export class Signal<T = void> {
  readonly #listeners: ((value: T) => void)[] = []

  on(listener: (value: T) => void): void {
    this.#listeners.push(listener)
  }

  readonly emit = (value: T): void => {
    for (const listener of this.#listeners) listener(value)
  }
}
