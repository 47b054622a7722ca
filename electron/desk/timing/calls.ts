import type { Milliseconds } from '#shared/domain/instants.ts'
import type { ClockPort } from '../ports/clock.ts'

/** Shares one call among all callers that ask for the same key while the call is under way. */
export class SharedCalls<T> {
  readonly #underWay = new Map<string, Promise<T>>()

  /** Returns the result of the call under way for this key, or starts a call. */
  ask(key: string, call: () => Promise<T>): Promise<T> {
    const known = this.#underWay.get(key)
    if (known) return known
    const made = call().finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, made)
    return made
  }
}

/**
 * Returns the promise's value, or the result of `otherwise` after the given milliseconds. The promise is not cancelled.
 */
export async function withTimeout<T>(
  clock: ClockPort,
  limitMs: Milliseconds,
  promise: Promise<T>,
  otherwise: () => T,
): Promise<T> {
  let cancel = (): void => undefined
  const limit = new Promise<T>((resolve) => {
    cancel = clock.after(limitMs, () => resolve(otherwise()))
  })
  try {
    return await Promise.race([promise, limit])
  } finally {
    cancel()
  }
}

/**
 * Maximum time in milliseconds for which long work may block the main process without a pause (see `createTurns`). Only
 * the last item before a pause may exceed it.
 */
const longestTurnMs = 10

/**
 * Returns a function to await between two items of long work. If the work has run for 10 ms, the function lets the
 * event loop run first, so that scans and other calls do not wait for all items.
 */
export function createTurns(clock: Pick<ClockPort, 'ticks' | 'after'>): () => Promise<void> {
  let sinceTicks = clock.ticks()
  return async () => {
    if (clock.ticks() - sinceTicks < longestTurnMs) return
    await new Promise<void>((resolve) => clock.after(0, resolve))
    sinceTicks = clock.ticks()
  }
}

const againMs = 2_000

/**
 * Stores an event that has already happened outside the desk, such as a response of the service. The write is repeated
 * until it succeeds or the desk closes, so that a full disk does not lose the event. If the desk closes before the
 * write succeeds, the event is not stored, and at the next start the step that led to the event counts as unfinished.
 */
export async function writeUntilStored(
  { clock, onFault }: { readonly clock: ClockPort; readonly onFault: (error: unknown) => void },
  isClosing: () => boolean,
  write: () => void,
): Promise<void> {
  for (;;) {
    try {
      write()
      return
    } catch (error) {
      onFault(error)
      if (isClosing()) return
      await new Promise<void>((resolve) => clock.after(againMs, resolve))
    }
  }
}

/** The calls that an operator is waiting for now. Less urgent work waits for these calls. */
export interface OperatorCalls {
  /** Counts the call as under way until it settles. */
  during<T>(call: Promise<T>): Promise<T>
  readonly areUnderWay: boolean
}

export function trackOperatorCalls(): OperatorCalls {
  let underWay = 0
  return {
    async during(call) {
      underWay++
      try {
        return await call
      } finally {
        underWay--
      }
    },
    get areUnderWay() {
      return underWay > 0
    },
  }
}
