import { type Command, type Named, readCommand } from '#shared/domain/commands.ts'

/**
 * Returns the command in the text of a barcode, or null. `secret`: the secret of the station; null: the sandbox, which
 * has no secret.
 */
export function parseCommand(text: string, secret: string | null = null): Command | null {
  const reading = readCommand(text, secret)
  return reading.kind === 'command' ? reading.command : null
}

/** Returns the name of the command that a text names, or null if it names none. */
export function parseNamed(text: string, secret: string | null = null): Named | null {
  const reading = readCommand(text, secret)
  return reading.kind === 'named' ? reading.named : null
}
