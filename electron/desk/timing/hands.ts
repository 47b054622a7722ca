/** What an operator waits for at this moment: work that can wait lets it go first. */
export interface Hands {
  /** Until it settles, somebody waits for it. */
  during<T>(work: Promise<T>): Promise<T>
  readonly areBusy: boolean
}

export function createHands(): Hands {
  let underWay = 0
  return {
    async during(work) {
      underWay++
      try {
        return await work
      } finally {
        underWay--
      }
    },
    get areBusy() {
      return underWay > 0
    },
  }
}
