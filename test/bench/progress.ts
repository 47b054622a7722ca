/** Writes the progress of a long bench to stderr. stdout contains only figures. */
export function say(what: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${what}`)
}

/** Runs one part of a bench. A failure is reported and fails the run, and the other parts are still measured. */
export async function attempt(part: string, run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    say(
      `${part} could not be measured: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    )
    process.exitCode = 1
  }
}
