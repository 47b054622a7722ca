/** Writes the progress of a long bench to stderr, because stdout must contain only figures. */
export function say(what: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${what}`)
}

/**
 * Runs one part of a bench. If it fails, the failure is reported and the exit code is an error, but the other parts
 * still run.
 */
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
