import type { SettingsStore } from '../ports/store.ts'

/** Where the choice of this scope is kept. */
const key = 'catalogue.lots_every_hours'

const standardHours = 6
const hourMs = 3600_000

/** How often all lots are read: a setting of the scope, since one customer's stock may be far larger than another's. */
export interface LotsPeriod {
  hours(): number
  ms(): number
  keep(hours: number): void
}

export function createLotsPeriod(settings: SettingsStore): LotsPeriod {
  const hours = (): number => {
    const kept = Number(settings.read(key) ?? standardHours)
    return Number.isInteger(kept) && kept >= 1 && kept <= 168 ? kept : standardHours
  }
  return {
    hours,
    ms: () => hours() * hourMs,
    keep: (wanted) => settings.write(key, String(wanted)),
  }
}
