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

const languageList = Object.values(languages)
type SpokenCommand = (typeof languageList)[number]['command'] | 'LANGUAGE'
/**
 * The commands that have a message, for example `command_help` for HELP. The compiler reports a command without a
 * message.
 */
type WordedCommand = Exclude<Command, CommandsOf<'digit'> | SpokenCommand>

/** Returns what a command barcode does, in the operator's language. */
export function commandWords(command: Command): string {
  const digit = digitOf(command)
  if (digit !== null) return String(digit)
  if (command === 'LANGUAGE') return allLanguages()
  const language = languageList.find((one) => one.command === command)
  if (language) return language.name
  const word = command.toLowerCase() as Lowercase<WordedCommand>
  return m[`command_${word}`]()
}

/** Returns all languages, such as `English / Nederlands`, with the current one first. */
function allLanguages(): string {
  const here = languages[getLocale()].name
  const others = languageList.map(({ name }) => name).filter((name) => name !== here)
  return [here, ...others].join(' / ')
}

/** Returns the name of the language that the command LANGUAGE selects. */
export function nextLanguageName(): string {
  return languages[nextLanguage(getLocale())].name
}

/** Returns where a command works, as the end of a sentence that begins with "It works". */
export function whereCommandWorks(command: Command): string {
  const places = { queue: m.command_queue(), prints: m.command_prints(), book: m.command_book() }
  return m[`where_${commandRow(command).works}`](places)
}

/** Returns the heading and the commands of a group, in the order of a printed sheet. */
export function commandGroup(group: CommandGroup): { heading: string; commands: readonly Command[] } {
  return { heading: m[`sheets_group_${group}`](), commands: commandsOfGroup(group) }
}
