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

/** The settings of this PC as they hold now. */
export interface HeldSettings {
  read(): PcSettings
  /** Holds at once and is kept. */
  change(change: SettingsChange): void
}

/** A setting holds as the command line says, else as it is kept, else as its row says for the language of the system. */
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

/** The settings that the command line sets; `valueOf` returns the text behind an option, or null. */
export function readSettingOptions(valueOf: (option: string) => string | null): SomeSettings {
  const options = Object.entries<SettingRow>(pcSettings).map(([name, { option }]) => [
    name,
    option?.read(valueOf(option.name)) ?? undefined,
  ])
  return someSettings.parse(Object.fromEntries(options))
}
