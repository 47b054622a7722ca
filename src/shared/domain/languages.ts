/**
 * The languages of the desk. To add a language, add a row here, a file of messages, and the code of the language in
 * resources/i18n/project.inlang. `command` is the command whose barcode chooses the language.
 */
export const languages = {
  en: { name: 'English', command: 'ENGLISH' },
  nl: { name: 'Nederlands', command: 'DUTCH' },
} as const satisfies Record<string, { readonly name: string; readonly command: string }>

export type Language = keyof typeof languages
export const languageCodes = Object.keys(languages) as [Language, ...Language[]]

/** Returns the language of a tag such as `nl-BE`, or null if the desk has no messages in this language. */
export function languageOf(tag: string | null): Language | null {
  return languageCodes.find((code) => tag?.split(/[-_]/)[0] === code) ?? null
}

/** Returns the language after the given one. After the last language comes the first. */
export function nextLanguage(language: Language): Language {
  const at = languageCodes.indexOf(language)
  return languageCodes[at + 1] ?? languageCodes[0]
}

/** The commands that choose a language. */
export type LanguageCommand = (typeof languages)[Language]['command']

/** Returns the language that a command chooses, or null. */
export function languageOfCommand(command: string): Language | null {
  return languageCodes.find((code) => languages[code].command === command) ?? null
}
