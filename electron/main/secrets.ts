import { safeStorage } from 'electron'
import type { SecretsPort } from '#desk/ports/secrets.ts'
import type { SettingsStore } from './settings.ts'

/**
 * The newest change of each secret, because the system encrypts in the background: a change that a later one overtakes
 * is dropped. Each desk has its own port to the same settings.
 */
const newestChanges = new WeakMap<SettingsStore, Map<string, symbol>>()

/**
 * Maximum number of characters of all secrets together, as they are stored: the settings file also contains the
 * stations and the printers, and a file that is too large loses them at the next start.
 */
const mostCharacters = 1_000_000

/**
 * Stores secrets in the settings file, encrypted by the operating system. If the system cannot protect them (on Linux
 * without a keyring Chromium falls back to `basic_text`, a fixed key) nothing is stored, and every start asks for a
 * login.
 */
export function createSecrets(settings: SettingsStore): SecretsPort {
  const canProtect = async (): Promise<boolean> => {
    if (!(await safeStorage.isAsyncEncryptionAvailable())) return false
    return (
      process.platform !== 'linux' ||
      !['basic_text', 'unknown'].includes(safeStorage.getSelectedStorageBackend())
    )
  }
  const newest = newestChanges.get(settings) ?? new Map<string, symbol>()
  newestChanges.set(settings, newest)
  const forget = (key: string): void => {
    const secrets = Object.entries(settings.read().secrets).filter(([k]) => k !== key)
    settings.update({ secrets: Object.fromEntries(secrets) })
  }
  return {
    canProtect,
    async read(key) {
      const ciphertext = settings.read().secrets[key]
      if (ciphertext === undefined || !(await canProtect())) return null
      try {
        return (await safeStorage.decryptStringAsync(Buffer.from(ciphertext, 'base64'))).result
      } catch {
        // written under another user account or keyring: treated as absent
        return null
      }
    },
    async write(key, value) {
      const change = Symbol(key)
      newest.set(key, change)
      if (!(await canProtect())) return
      const ciphertext = await safeStorage.encryptStringAsync(value)
      if (newest.get(key) !== change) return
      const secrets = { ...settings.read().secrets, [key]: ciphertext.toString('base64') }
      if (JSON.stringify(secrets).length > mostCharacters) forget(key)
      else settings.update({ secrets })
    },
    remove(key) {
      newest.delete(key)
      forget(key)
      return Promise.resolve()
    },
  }
}
