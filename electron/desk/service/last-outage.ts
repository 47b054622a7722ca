import type { SettingsStore } from '../ports/store.ts'

/** Since when the line is lost, over restarts: an outage does not begin anew with the desk. */
export interface OutageMemory {
  /** Wall clock, milliseconds since 1970; null: the line was good when the desk was closed. */
  read(): number | null
  /** Null: the service answers. */
  write(since: number | null): void
}

const key = 'offline_since'

/** In the settings. What cannot be kept, because the disk is full, is only a moment on the screen. */
export function rememberOutage(settings: SettingsStore): OutageMemory {
  return {
    read() {
      const since = Number(settings.read(key) ?? Number.NaN)
      return Number.isFinite(since) ? since : null
    },
    write(since) {
      try {
        if (since === null) settings.remove(key)
        else settings.write(key, String(since))
      } catch {
        // the line is judged all the same
      }
    },
  }
}
