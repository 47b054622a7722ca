import { safeStorage } from 'electron'
import type { SecretsPort } from '#desk/ports/secrets.ts'
import type { SettingsStore } from './settings.ts'

/**
 * The newest change of each secret. The system encrypts a secret in the background. If a newer change of the same
 * secret exists when the encryption ends, the older change is dropped. The map is shared by all objects that
 * `createSecrets` returns for the same settings, because each desk has a separate object.
 */
const newestChanges = new WeakMap<SettingsStore, Map<string, symbol>>()

/**
 * Maximum number of characters of all stored secrets together. If secrets made the settings file too large, the next
 * start could not read the file, and the stations and printers in it would be lost.
 */
const mostCharacters = 1_000_000

/**
 * Stores secrets in the settings file, encrypted by the operating system. If the system cannot protect them, nothing is
 * stored, and every start asks for a login. This happens on Linux without a keyring, where Chromium uses `basic_text`
 * with a fixed key.
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
        // decryption fails for a secret of another user account or keyring; such a secret is treated as absent
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
