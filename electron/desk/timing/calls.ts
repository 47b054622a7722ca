import type { ClockPort } from '../ports/clock.ts'

/** Calls that are made once for all who ask for the same while one is under way. */
export class SharedCalls<T> {
  readonly #underWay = new Map<string, Promise<T>>()

  /** What the call under way for this key leads to; else begins one. */
  ask(key: string, call: () => Promise<T>): Promise<T> {
    const known = this.#underWay.get(key)
    if (known) return known
    const made = call().finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, made)
    return made
  }
}

/** The promise's value, or `otherwise` once so many milliseconds have passed; the promise itself goes on. */
export async function withTimeout<T>(
  clock: ClockPort,
  limitMs: number,
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

const againMs = 2_000

/**
 * Writes down what has happened outside. It must not be lost because the disk is full just now: it is tried again until
 * it is written or the desk closes; then the next start finds the step cut short and treats it so.
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

/** The calls that an operator waits for at this moment: work that can wait lets them go first. */
export interface OperatorCalls {
  /** Counts as under way until it settles. */
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
