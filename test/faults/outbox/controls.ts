import type { OutboxStore } from '#desk/ports/commands.ts'
import type { StorePort } from '#desk/ports/store.ts'

export const controls = ['naive', 'at-most-once'] as const
export type Control = (typeof controls)[number]

/**
 * A desk whose outbox does not look before it decides. `naive` sends again whatever was not answered; `at-most-once`
 * sends nothing a second time. A harness that finds nothing wrong with these two would find nothing wrong with anything.
 */
export function spoil(store: StorePort, control: Control): StorePort {
  const outbox = control === 'naive' ? sendBlindly(store.outbox) : giveUp(store.outbox)
  return { ...store, outbox: { ...store.outbox, ...outbox } }
}

type Spoiled = Pick<OutboxStore, 'markUnknown' | 'requeue' | 'recover'>

function sendBlindly(outbox: OutboxStore): Spoiled {
  return {
    requeue: (id, at, failure) => outbox.requeue(id, at, failure),
    // as if it were known that nothing was applied: first try and baseline are forgotten too
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
