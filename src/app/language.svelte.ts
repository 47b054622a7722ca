import { overwriteGetLocale } from '#messages/runtime.js'
import type { Language } from '#shared/domain/languages.ts'

let current = $state<Language>('en')

// every message reads the language through here, so that screens follow a change without being built anew
overwriteGetLocale(() => current)

export function language(): Language {
  return current
}

export function useLanguage(next: Language): void {
  current = next
}
