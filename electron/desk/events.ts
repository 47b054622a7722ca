import type { EventName } from '#shared/bridge/channels.ts'
import type { EventPayload } from '#shared/bridge/contract.ts'

type Listener<E extends EventName> = (payload: EventPayload<E>) => void

export interface DeskEvents {
  on<E extends EventName>(event: E, listener: Listener<E>): () => void
  emit<E extends EventName>(event: E, payload: EventPayload<E>): void
}

/** What the desk tells. A listener that throws is not the desk's affair: `onFault` hears of it, the others still listen. */
export function createEvents(onFault: (error: unknown) => void): DeskEvents {
  const listeners: { [E in EventName]: Set<Listener<E>> } = {
    status: new Set(),
    session: new Set(),
    returnLabel: new Set(),
    modification: new Set(),
    // main's own
    closing: new Set(),
    scanners: new Set(),
    heldScans: new Set(),
  }
  return {
    on(event, listener) {
      listeners[event].add(listener)
      return () => void listeners[event].delete(listener)
    },
    emit(event, payload) {
      for (const listener of [...listeners[event]]) {
        try {
          listener(payload)
        } catch (error) {
          onFault(error)
        }
      }
    },
  }
}
