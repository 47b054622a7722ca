/** Whether a connection still is, and waiting that ends with it. */
export interface Lifeline {
  /** The first cause counts. */
  readonly end: (cause: string) => void
  /** Why it is over, or null while it is not. */
  readonly lost: () => string | null
  /** Waits until `attach` calls its argument; null then, else why not: the time is over or the connection is. */
  readonly until: (attach: (done: () => void) => void, timeoutMs: number) => Promise<string | null>
}

export function createLifeline(): Lifeline {
  let over: string | null = null
  const atEnd = new Set<() => void>()
  return {
    end(cause) {
      over ??= cause
      for (const listener of atEnd) listener()
    },
    lost: () => over,
    until: (attach, timeoutMs) =>
      new Promise((resolve) => {
        const settle = (cause: string | null): void => {
          clearTimeout(timer)
          atEnd.delete(ended)
          resolve(cause)
        }
        const ended = (): void => {
          settle(over)
        }
        const timer = setTimeout(settle, timeoutMs, 'timeout')
        atEnd.add(ended)
        if (over === null) attach(() => settle(null))
        else ended()
      }),
  }
}
