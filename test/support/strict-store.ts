import type { OutboxStore } from '#desk/ports/commands.ts'

/** Fails the test: the code under test called a function that the test does not expect. */
export const never = (): never => {
  throw new Error('this call was not expected')
}

const refusals: OutboxStore = {
  get: never,
  due: never,
  unknown: never,
  open: never,
  askedBecauseOf: () => [],
  unsettled: never,
  unsettledHeads: never,
  unsettledCounts: never,
  toWatch: never,
  nextWatch: never,
  watched: never,
  toLookAround: never,
  nextLookAround: never,
  lookedAround: never,
  holdLease: () => true,
  releaseLease: () => undefined,
  recover: () => 0,
  begin: never,
  complete: never,
  requeue: never,
  markUnknown: never,
  reject: never,
  discard: never,
  noteFailure: never,
  ask: never,
  withdraw: never,
  doubt: never,
}

/** Creates a store of commands whose lease is always free. Each method that is not in `methods` throws. */
export function strictStore(methods: Partial<OutboxStore>): OutboxStore {
  return { ...refusals, ...methods }
}
