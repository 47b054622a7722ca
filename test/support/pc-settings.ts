import type { SettingsStore } from '../../electron/main/settings.ts'
import { readSettings, type Settings } from '../../electron/main/settings-schema.ts'

/** Returns the settings of a new PC, stored in memory. */
export function pcSettings(change: Partial<Settings> = {}): SettingsStore {
  let { settings } = readSettings(null)
  settings = { ...settings, ...change }
  return {
    read: () => settings,
    update(next) {
      settings = { ...settings, ...next }
    },
  }
}
