import type { ClockPort } from '../ports/clock.ts'

export interface Pulse {
  beat(): void
  stop(): void
  isStopped(): boolean
}

/** Beats closer together than this are one, in milliseconds. */
const coalesceMs = 50

/**
 * Calls soon after a beat, once for all beats until then. An action that throws is reported, and called again at the next
 * beat: out of a timer it would end up with nobody.
 */
export function createPulse(clock: ClockPort, action: () => void, onFault: (error: unknown) => void): Pulse {
  let cancel: (() => void) | null = null
  let stopped = false
  return {
    beat() {
      if (stopped) return
      cancel ??= clock.after(coalesceMs, () => {
        cancel = null
        try {
          action()
        } catch (error) {
          onFault(error)
        }
      })
    },
    stop() {
      stopped = true
      cancel?.()
    },
    isStopped: () => stopped,
  }
}
