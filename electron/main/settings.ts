import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Store from 'electron-store'
import { z } from 'zod'
import { printerSettings } from '#shared/bridge/views.ts'

const station = z.object({
  id: z.string(),
  name: z.string(),
  baseUrl: z.string(),
  wmsCode: z.string(),
  customerCode: z.string(),
  documentHosts: z.string().catch(''),
})
export type StoredStation = z.infer<typeof station>

const settings = z.object({
  language: z.enum(['en', 'nl']).optional().catch(undefined),
  stations: z.array(station).catch([]),
  currentStationId: z.string().nullable().catch(null),
  /** The printer of this PC; its label folder until another is chosen. */
  printer: printerSettings.catch({ kind: 'folder' }),
  /** Port of the embedded middleware, kept so that a restart answers where it did before. */
  sandboxPort: z.number().int().min(1).max(65535).nullable().catch(null),
  /** Ciphertexts by key, base64 (safeStorage); never a clear text. */
  secrets: z.record(z.string(), z.string()).catch({}),
})
export type Settings = z.infer<typeof settings>

export interface SettingsStore {
  read(): Settings
  update(change: Partial<Settings>): void
}

/**
 * Opens `<dataDir>/settings.json`. A file that is no JSON object is copied to `.bak` first, because electron-store
 * would wipe it without a word; a single wrong value falls back to its default and leaves the others alone.
 */
export function openSettings(dataDir: string): SettingsStore {
  const file = join(dataDir, 'settings.json')
  if (existsSync(file) && !isReadable(file)) copyFileSync(file, `${file}.bak`)
  const store = new Store({ cwd: dataDir, name: 'settings', clearInvalidConfig: true })
  return {
    read: () =>
      settings.parse({
        currentStationId: null,
        printer: { kind: 'folder' },
        sandboxPort: null,
        stations: [],
        secrets: {},
        ...store.store,
      }),
    update: (change) => {
      for (const [key, value] of Object.entries(change)) {
        if (value === undefined) store.delete(key)
        else store.set(key, value)
      }
    },
  }
}

function isReadable(file: string): boolean {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
