import { beforeEach, describe, expect, it, vi } from 'vitest'
import { pcSettings } from '#support/pc-settings.ts'

/** For each call of `encryptStringAsync`, in the order of the calls: a function that ends the encryption. */
let encryptions: (() => void)[]

vi.mock('electron', () => ({
  safeStorage: {
    isAsyncEncryptionAvailable: () => Promise.resolve(true),
    getSelectedStorageBackend: () => 'gnome_libsecret',
    encryptStringAsync: (text: string) =>
      new Promise<Buffer>((resolve) => encryptions.push(() => resolve(Buffer.from(`sealed ${text}`)))),
    decryptStringAsync: (sealed: Buffer) =>
      Promise.resolve({ result: sealed.toString().replace('sealed ', '') }),
  },
}))
// the modules are loaded again, because test files of one worker share modules and this file has its own electron mock
vi.resetModules()
const { createSecrets } = await import('../../../electron/main/secrets.ts')

beforeEach(() => {
  encryptions = []
})

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('createSecrets()', () => {
  it('stores a secret as ciphertext, returns it as plain text, and removes it', async () => {
    const settings = pcSettings()
    const secrets = createSecrets(settings)
    const writing = secrets.write('a', 'text')
    await turn()
    encryptions[0]?.()
    await writing
    expect(settings.read().secrets).toEqual({ a: Buffer.from('sealed text').toString('base64') })
    expect(await secrets.read('a')).toBe('text')
    await secrets.remove('a')
    expect(settings.read().secrets).toEqual({})
  })

  it('does not store a secret that was removed during its encryption', async () => {
    const settings = pcSettings()
    const late = createSecrets(settings).write('a', 'text')
    await turn()
    // a second object for the same settings, because each desk has its own object
    await createSecrets(settings).remove('a')
    encryptions[0]?.()
    await late
    expect(settings.read().secrets).toEqual({})
  })

  it('stores the value of the last call for a secret, in whatever order the encryptions end', async () => {
    const settings = pcSettings()
    const writes = [
      createSecrets(settings).write('a', 'first'),
      createSecrets(settings).write('a', 'second'),
      createSecrets(settings).write('b', 'other'),
    ]
    await turn()
    for (const encrypted of [...encryptions].reverse()) encrypted()
    await Promise.all(writes)
    const stored = Object.values(settings.read().secrets).map((text) =>
      Buffer.from(text, 'base64').toString(),
    )
    expect(stored.sort()).toEqual(['sealed other', 'sealed second'])
  })

  it('stores at most a megabyte, and removes the old value of a secret whose new value does not fit', async () => {
    const settings = pcSettings({ secrets: { a: 'old', b: 'x'.repeat(900_000) } })
    const secrets = createSecrets(settings)
    for (const [at, [key, length]] of (
      [
        ['a', 100_000],
        ['c', 10_000],
      ] as const
    ).entries()) {
      const writing = secrets.write(key, 'y'.repeat(length))
      await turn()
      encryptions[at]?.()
      await writing
    }
    expect(Object.keys(settings.read().secrets)).toEqual(['b', 'c'])
  })
})
