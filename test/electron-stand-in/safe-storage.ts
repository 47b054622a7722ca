import { createCipheriv, createDecipheriv, pbkdf2Sync, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { app } from './app.ts'
import { environment } from './environment.ts'
import { useInert } from './inert.ts'

// The backends of safeStorage. keyring: a random key, in place of the desktop's secret service. basic_text: Chromium's
// fixed password, which protects nothing. none: no encryption.

const mode = environment.safeStorage
const prefix = mode === 'basic_text' ? 'v10' : 'v11'

function key(): Buffer {
  if (mode === 'basic_text') return pbkdf2Sync('peanuts', 'saltysalt', 1, 32, 'sha1')
  const file = join(app.getPath('userData'), 'standin-keyring')
  try {
    writeFileSync(file, randomBytes(32), { mode: 0o600, flag: 'wx' })
  } catch {
    // an earlier start has already created the key
  }
  return readFileSync(file)
}

function isAvailable(): boolean {
  return app.isReady() && mode !== 'none'
}

function encrypt(plainText: string): Buffer {
  if (!isAvailable()) {
    throw new Error(
      'Error while encrypting the text provided to safeStorage.encryptString. Encryption is not available.',
    )
  }
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key(), iv)
  const bytes = Buffer.concat([cipher.update(plainText, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.from(prefix), iv, cipher.getAuthTag(), bytes])
}

function decrypt(encrypted: Buffer): string {
  const failure = 'Error while decrypting the ciphertext provided to safeStorage.decryptString.'
  if (!isAvailable()) throw new Error(`${failure} Decryption is not available.`)
  if (encrypted.toString('latin1', 0, 3) !== prefix) throw new Error(failure)
  try {
    const decipher = createDecipheriv('aes-256-gcm', key(), encrypted.subarray(3, 15))
    decipher.setAuthTag(encrypted.subarray(15, 31))
    return Buffer.concat([decipher.update(encrypted.subarray(31)), decipher.final()]).toString('utf8')
  } catch (cause) {
    throw new Error(failure, { cause })
  }
}

export const safeStorage = {
  isEncryptionAvailable: isAvailable,
  isAsyncEncryptionAvailable: async (): Promise<boolean> => {
    await app.whenReady()
    return isAvailable()
  },
  getSelectedStorageBackend(): string {
    if (!app.isReady()) return 'unknown'
    return mode === 'keyring' ? 'gnome_libsecret' : 'basic_text'
  },
  setUsePlainTextEncryption: (): void => useInert('safeStorage.setUsePlainTextEncryption'),
  encryptString: encrypt,
  decryptString: decrypt,
  encryptStringAsync: async (plainText: string): Promise<Buffer> => {
    await app.whenReady()
    return encrypt(plainText)
  },
  decryptStringAsync: async (encrypted: Buffer): Promise<{ result: string; shouldReEncrypt: boolean }> => {
    await app.whenReady()
    return { result: decrypt(encrypted), shouldReEncrypt: false }
  },
}
