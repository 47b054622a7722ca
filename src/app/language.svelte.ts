import { overwriteGetLocale } from '#messages/runtime.js'
import type { Language } from '#shared/domain/languages.ts'

let current = $state<Language>('en')

// every message function reads this state, so the screens show a new language without being rebuilt
overwriteGetLocale(() => current)

export function language(): Language {
  return current
}

export function useLanguage(next: Language): void {
  current = next
}
