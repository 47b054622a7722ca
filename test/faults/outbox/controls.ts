import type { OutboxStore } from '#desk/ports/commands.ts'
import type { StorePort } from '#desk/ports/store.ts'

export const controls = ['naive', 'at-most-once'] as const
export type Control = (typeof controls)[number]

/**
 * Returns a store that makes the outbox faulty: the outbox does not ask the service for the outcome of a write. With
 * `naive`, the outbox repeats each write that got no response. With `at-most-once`, it sends no write a second time. If
 * the suite does not find these two faults, it proves nothing.
 */
export function spoil(store: StorePort, control: Control): StorePort {
  const outbox = control === 'naive' ? sendBlindly(store.outbox) : giveUp(store.outbox)
  return { ...store, outbox: { ...store.outbox, ...outbox } }
}

type Spoiled = Pick<OutboxStore, 'markUnknown' | 'requeue' | 'recover'>

function sendBlindly(outbox: OutboxStore): Spoiled {
  return {
    requeue: (id, at, failure) => outbox.requeue(id, at, failure),
    // `requeue` treats the write as not applied: it also deletes the time of the first attempt and the stored state of
    // the service before this attempt.
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
