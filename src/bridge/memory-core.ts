import type { EventName } from '#shared/bridge/channels.ts'
import type { EventPayload, ScandeskBridge } from '#shared/bridge/contract.ts'
import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { ModificationView } from '#shared/bridge/stock-views.ts'
import type { SessionView } from '#shared/bridge/views.ts'
import { fail, type Result } from '#shared/errors/result.ts'
import type { MemoryWorld } from './memory-world.ts'

/** What the parts of the desk in memory share: its world, its events, and the calls made. */
export class MemoryCore {
  readonly world: MemoryWorld
  /** Names of the calls made, in order. */
  readonly calls: string[] = []
  readonly #listeners = new Map<EventName, Set<(payload: never) => void>>()
  #serial = 0

  constructor(world: MemoryWorld) {
    this.world = world
  }

  emit<E extends EventName>(event: E, payload: EventPayload<E>): void {
    for (const listener of this.#listeners.get(event) ?? []) {
      const call = listener as (payload: EventPayload<E>) => void
      call(payload)
    }
  }

  readonly on: ScandeskBridge['on'] = (event, listener) => {
    const set = this.#listeners.get(event) ?? new Set()
    this.#listeners.set(event, set.add(listener))
    return () => {
      set.delete(listener)
    }
  }

  /** Notes the call, and answers it unless the world says that it fails or hangs. */
  call<T>(name: string, answer: () => Result<T>): Promise<Result<T>> {
    this.calls.push(name)
    if (this.world.hanging.has(name)) return new Promise(() => undefined)
    const failure = this.world.failures[name]
    return Promise.resolve(failure ? fail<T>(failure.code, failure.params) : answer())
  }

  id(prefix: string): string {
    this.#serial += 1
    return `${prefix}-memory-${String(this.#serial)}`
  }

  /** Changes a label as the desk would, and says so. */
  putLabel(label: ReturnLabelView): void {
    this.world.labels = [label, ...this.world.labels.filter((known) => known.id !== label.id)]
    this.emit('returnLabel', label)
  }

  /** Changes a booked modification as the desk would, and says so. */
  putModification(modification: ModificationView): void {
    const { modifications } = this.world
    this.world.modifications = [modification, ...modifications.filter(({ id }) => id !== modification.id)]
    this.emit('modification', modification)
  }

  putSession(session: SessionView): SessionView {
    this.world.session = session
    this.emit('session', session)
    return session
  }
}
