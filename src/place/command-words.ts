import { m } from '#messages/messages.js'
import { getLocale } from '#messages/runtime.js'
import {
  type Command,
  type CommandGroup,
  commandRow,
  commandsOfGroup,
  type CommandsOf,
  digitOf,
} from '#shared/domain/commands.ts'
import { languages, nextLanguage } from '#shared/domain/languages.ts'

const spoken = Object.values(languages)
type SpokenCommand = (typeof spoken)[number]['command'] | 'LANGUAGE'
/** The commands with a message of their own: `command_help` for HELP. The compiler names one that is missing. */
type WordedCommand = Exclude<Command, CommandsOf<'digit'> | SpokenCommand>

/** What a command barcode does, in the language of the operator. */
export function commandWords(command: Command): string {
  const digit = digitOf(command)
  if (digit !== null) return String(digit)
  if (command === 'LANGUAGE') return allLanguages()
  const language = spoken.find((one) => one.command === command)
  if (language) return language.name
  const word = command.toLowerCase() as Lowercase<WordedCommand>
  return m[`command_${word}`]()
}

/** `English / Nederlands`, the one that is spoken first. */
function allLanguages(): string {
  const here = languages[getLocale()].name
  const others = spoken.map(({ name }) => name).filter((name) => name !== here)
  return [here, ...others].join(' / ')
}

/** The name of the language that the command LANGUAGE changes to. */
export function nextLanguageName(): string {
  return languages[nextLanguage(getLocale())].name
}

/** Where a command works, to stand behind "It works". */
export function whereCommandWorks(command: Command): string {
  const places = { queue: m.command_queue(), prints: m.command_prints(), book: m.command_book() }
  return m[`where_${commandRow(command).works}`](places)
}

/** The commands of a group under its heading, as they stand together on paper. */
export function commandGroup(group: CommandGroup): { heading: string; commands: readonly Command[] } {
  return { heading: m[`sheets_group_${group}`](), commands: commandsOfGroup(group) }
}
