import { ViewReader } from '#place/view-reader.svelte.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { QueueView } from '#shared/bridge/queue-views.ts'
import { type QueueGroup, queueGroups, type QueueItem } from './queue-items.ts'

function itemsOf(groups: readonly QueueGroup[]): readonly QueueItem[] {
  return groups.flatMap(({ items }) => items)
}

/** The queue as main has it. */
export class QueueReader extends ViewReader<QueueView> {
  #groups: readonly QueueGroup[] = $derived.by(() => (this.view ? queueGroups(this.view) : []))

  /** `onTaken`: another view is here; `before` is what stood there until now. */
  constructor(bridge: ScandeskBridge, onTaken: (before: readonly QueueItem[]) => void) {
    super(
      () => bridge.queue.list(),
      (before) => {
        onTaken(before ? itemsOf(queueGroups(before)) : [])
      },
    )
  }

  get groups(): readonly QueueGroup[] {
    return this.#groups
  }
  get items(): readonly QueueItem[] {
    return itemsOf(this.#groups)
  }

  find(key: string): QueueItem | null {
    return this.items.find((item) => item.key === key) ?? null
  }
}
