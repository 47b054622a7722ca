import type { Logger } from '#kit/logger.ts'

/** The simulated warehouse taking steps by a timer. */
export interface Pace {
  /** No further step; resolves when none is under way. */
  stop(): Promise<void>
}

/** Takes a step again and again, `paceMs` milliseconds after the end of the one before; one that fails is logged. */
export function keepPace(
  takeStep: () => Promise<unknown>,
  { paceMs, logger }: { readonly paceMs: number; readonly logger: Logger },
): Pace {
  let timer: NodeJS.Timeout
  let underWay: Promise<void> | null = null
  let stopped = false

  async function step(): Promise<void> {
    try {
      const moved = await takeStep()
      logger.debug({ moved }, 'the warehouse took a step')
    } catch (error) {
      logger.error({ err: error }, 'a step of the warehouse failed; the next one tries again')
    }
    if (!stopped) schedule()
  }

  function schedule(): void {
    timer = setTimeout(() => {
      underWay = step()
    }, paceMs)
    timer.unref()
  }

  schedule()
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await underWay
    },
  }
}
