/**
 * A failure that is explained by its message alone. Any other error is a fault of the launcher and is printed with its
 * stack.
 */
export class Stop extends Error {
  constructor(message, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Prints why the launcher stops. Returns the exit code. */
export function explain(error) {
  if (error instanceof Stop) {
    if (error.message) console.error(error.message)
    return error.exitCode
  }
  console.error(error)
  return 1
}

export function say(line) {
  console.log(line)
}
