import { overwriteGetLocale } from '#messages/runtime.js'
import type { AppInfo } from '#shared/bridge/views.ts'

export type Language = AppInfo['language']

let current = $state<Language>('en')

// every message reads the language through here, so that screens follow a change without being built anew
overwriteGetLocale(() => current)

export function language(): Language {
  return current
}

export function otherLanguage(): Language {
  return current === 'en' ? 'nl' : 'en'
}

export function useLanguage(next: Language): void {
  current = next
}
