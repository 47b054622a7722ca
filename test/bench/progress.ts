/** Says on stderr what a long bench is doing; stdout holds figures alone. */
export function say(what: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${what}`)
}

/** Runs one part of a bench; one that breaks is told, fails the run, and keeps no other from being measured. */
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
