import type { OutboxStore } from '#desk/ports/commands.ts'
import type { StorePort } from '#desk/ports/store.ts'

export const controls = ['naive', 'at-most-once'] as const
export type Control = (typeof controls)[number]

/**
 * Returns a store that makes the outbox faulty: it does not look before it decides. `naive` sends a write again if it
 * had no response. `at-most-once` sends no write a second time. The suite must find these two faults, otherwise it
 * proves nothing.
 */
export function spoil(store: StorePort, control: Control): StorePort {
  const outbox = control === 'naive' ? sendBlindly(store.outbox) : giveUp(store.outbox)
  return { ...store, outbox: { ...store.outbox, ...outbox } }
}

type Spoiled = Pick<OutboxStore, 'markUnknown' | 'requeue' | 'recover'>

function sendBlindly(outbox: OutboxStore): Spoiled {
  return {
    requeue: (id, at, failure) => outbox.requeue(id, at, failure),
    // The control treats the write as not applied, so it also removes the first attempt and the baseline of the write.
    markUnknown: (id, at, failure) => outbox.requeue(id, at, failure),
    recover(holder, at) {
      const cut = outbox.open().filter(({ state }) => state === 'sending')
      for (const { id } of cut) outbox.requeue(id, at, null)
      return cut.length
    },
  }
}

function giveUp(outbox: OutboxStore): Spoiled {
  const drop: OutboxStore['markUnknown'] = (id, at, failure) =>
    outbox.markUnknown(id, at, failure) && outbox.discard(id, at)
  return {
    requeue: (id, at, failure) => (failure === null ? outbox.requeue(id, at, null) : drop(id, at, failure)),
    markUnknown: drop,
    recover(holder, at) {
      const cut = outbox.recover(holder, at)
      for (const { id } of outbox.unknown()) outbox.discard(id, at)
      return cut
    },
  }
}
