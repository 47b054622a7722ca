import {
  appSettingNames,
  type AppSettings,
  type SettingOptions,
  settingsOfSystem,
} from '#shared/bridge/pc-settings.ts'
import type { SettingsStore } from './settings.ts'

/**
 * The settings that the window shows, as they hold now: by the command line, else as they are kept, else by the language
 * of the system. A change holds at once and is kept.
 */
export function holdAppSettings(
  store: SettingsStore,
  options: SettingOptions,
  systemLanguage: string,
): { read(): AppSettings; change(change: Partial<AppSettings>): void } {
  const said: Partial<Record<keyof AppSettings, unknown>> = options
  const [kept, usual] = [store.read(), settingsOfSystem(systemLanguage)]
  let current = Object.fromEntries(
    appSettingNames.map((name) => [name, said[name] ?? kept[name] ?? usual[name]]),
  ) as AppSettings
  return {
    read: () => current,
    change(change) {
      current = { ...current, ...change }
      store.update(change)
    },
  }
}
