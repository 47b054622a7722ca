import { type Command, type Named, readCommand } from '#shared/domain/commands.ts'

/** The command that a text stands for; null for anything else. Without a secret: at the sandbox. */
export function parseCommand(text: string, secret: string | null = null): Command | null {
  const reading = readCommand(text, secret)
  return reading.kind === 'command' ? reading.command : null
}

/** What a text names; null for anything else. */
export function parseNamed(text: string, secret: string | null = null): Named | null {
  const reading = readCommand(text, secret)
  return reading.kind === 'named' ? reading.named : null
}
