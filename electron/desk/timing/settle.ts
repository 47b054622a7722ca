import type { ClockPort } from '../ports/clock.ts'

const againMs = 2_000

/**
 * Writes down what has happened in the world. It must not be lost because the disk is full just now: held and tried
 * again until it is written or the desk closes; then the next start finds the step cut short and treats it so.
 */
export async function settle(
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
