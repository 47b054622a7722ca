import type { Logger } from '#kit/logger.ts'

/** The timer that runs the steps of the simulated warehouse. */
export interface Pace {
  /** Starts no further step. Resolves when no step is running. */
  stop(): Promise<void>
}

/** Runs a step repeatedly, `paceMs` milliseconds after the end of the one before. A step that fails is logged. */
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
      logger.debug({ moved }, 'the simulated warehouse completed a step')
    } catch (error) {
      logger.error({ err: error }, 'a step of the simulated warehouse failed; the next step tries again')
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
