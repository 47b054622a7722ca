/**
 * The languages of the desk. A new one is a row here, a file of messages and its code in resources/i18n/project.inlang.
 * `command` is the word of its command barcode.
 */
export const languages = {
  en: { name: 'English', command: 'ENGLISH' },
  nl: { name: 'Nederlands', command: 'DUTCH' },
} as const satisfies Record<string, { readonly name: string; readonly command: string }>

export type Language = keyof typeof languages
export const languageCodes = Object.keys(languages) as [Language, ...Language[]]

/** The language that a tag such as `nl-BE` begins with, or null where the desk does not speak it. */
export function languageOf(tag: string | null): Language | null {
  return languageCodes.find((code) => tag?.split(/[-_]/)[0] === code) ?? null
}

/** The language after this one; after the last comes the first. */
export function nextLanguage(language: Language): Language {
  const at = languageCodes.indexOf(language)
  return languageCodes[at + 1] ?? languageCodes[0]
}

/** The words of the commands that choose a language. */
export type LanguageCommand = (typeof languages)[Language]['command']

/** The language that a command chooses, or null. */
export function languageOfCommand(command: string): Language | null {
  return languageCodes.find((code) => languages[code].command === command) ?? null
}
