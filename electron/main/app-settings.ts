import {
  someSettings,
  pcSettingNames,
  type PcSettings,
  pcSettings,
  type SettingRow,
  type SettingsChange,
  type SomeSettings,
} from '#shared/bridge/pc-settings.ts'
import type { SettingsStore } from './settings.ts'

/** The current settings of this PC. */
export interface HeldSettings {
  read(): PcSettings
  /** Applies a change of settings at once and stores it. */
  change(change: SettingsChange): void
}

/**
 * Creates the settings of this PC. Each value comes from the command line, otherwise from settings.json, otherwise from
 * the default of its row in `pcSettings` for the system's language.
 */
export function holdSettings(
  store: SettingsStore,
  options: SomeSettings,
  systemLanguage: string,
): HeldSettings {
  const said = new Map<string, unknown>(Object.entries(options))
  return {
    read() {
      const kept = store.read()
      const values = pcSettingNames.map((name) => [
        name,
        said.get(name) ?? kept[name] ?? pcSettings[name].standard(systemLanguage),
      ])
      return Object.fromEntries(values) as PcSettings
    },
    change(change) {
      for (const name of Object.keys(change)) said.delete(name)
      store.update(change)
    },
  }
}

/** Returns the settings that the command line contains; `valueOf` returns the text of an option, or null. */
export function readSettingOptions(valueOf: (option: string) => string | null): SomeSettings {
  const options = Object.entries<SettingRow>(pcSettings).map(([name, { option }]) => [
    name,
    option?.read(valueOf(option.name)) ?? undefined,
  ])
  return someSettings.parse(Object.fromEntries(options))
}
