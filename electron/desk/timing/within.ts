import type { ClockPort } from '../ports/clock.ts'

/** The promise's value, or `otherwise` once so many milliseconds have passed; the promise itself goes on. */
export async function within<T>(
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
