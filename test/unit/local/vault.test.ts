import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { standardSpace } from '#kit/disk-space.ts'
import { createVault } from '#local/vault.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scandesk-vault-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const bytes = new TextEncoder().encode('%PDF-1.7 label')

describe('the vault', () => {
  it('stores a document once, under the hash of its content', async () => {
    const vault = createVault(join(folder, 'vault'))
    const hashes = await Promise.all([vault.put(bytes), vault.put(bytes), vault.put(bytes)])
    expect(new Set(hashes).size).toBe(1)
    expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/)
    expect(await readdir(join(folder, 'vault'))).toEqual([`${hashes[0]}.pdf`])
    expect(await vault.read(hashes[0])).toEqual(Buffer.from(bytes))
  })

  it('does not return a file whose content does not match its hash, and replaces this file when its document is stored again', async () => {
    const vault = createVault(folder)
    const hash = await vault.put(bytes)
    await writeFile(join(folder, `${hash}.pdf`), '%PDF-1.7 lobel')
    expect(await vault.read(hash)).toBeNull()
    expect(await vault.put(bytes)).toBe(hash)
    expect(await vault.read(hash)).toEqual(Buffer.from(bytes))
    expect(await vault.read('absent')).toBeNull()
  })

  it.each(['a file that is too large', 'a folder'])(
    'returns null if %s has replaced the file of a document',
    async (what) => {
      const vault = createVault(folder)
      const hash = await vault.put(bytes)
      const file = join(folder, `${hash}.pdf`)
      if (what === 'a folder') {
        await rm(file)
        await mkdir(file)
      } else await truncate(file, 3 * 1024 ** 3)
      expect(await vault.read(hash)).toBeNull()
    },
  )

  it('fails with store.unavailable if its folder cannot be created', async () => {
    const blocked = join(folder, 'file')
    await writeFile(blocked, '')
    await expect(createVault(join(blocked, 'vault')).put(bytes)).rejects.toMatchObject({
      failure: { code: 'store.unavailable' },
    })
  })
})

describe('a full vault', () => {
  const gib = 1024 ** 3
  const pdf = (name: string): Uint8Array => new TextEncoder().encode(`%PDF-1.7 ${name.padEnd(91)}`)
  const hashOf = (document: Uint8Array): string => createHash('sha256').update(document).digest('hex')

  /** Stores documents of 100 bytes each, the oldest first. */
  async function fill(names: readonly string[]): Promise<void> {
    const vault = createVault(folder)
    for (const [n, name] of names.entries()) {
      const hash = await vault.put(pdf(name))
      await utimes(join(folder, `${hash}.pdf`), n + 1, n + 1)
    }
  }
  const kept = async (): Promise<string[]> =>
    (await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8'))))
      .map((text) => text.slice(9).trim())
      .sort()

  it('removes the oldest documents that the service can send again, and no others', async () => {
    await fill(['one', 'two', 'waits', 'three'])
    const replaceable = (): Set<string> => new Set(['one', 'two', 'three'].map((name) => hashOf(pdf(name))))
    const vault = createVault(folder, { replaceable, space: { ...standardSpace, mostBytes: 450 } })
    await vault.put(pdf('four'))
    expect(await kept()).toEqual(['four', 'three', 'two', 'waits'])
    await Promise.all([vault.put(pdf('five')), vault.put(pdf('six'))])
    expect(await kept()).toEqual(['five', 'four', 'six', 'waits'])
    await expect(vault.put(pdf('seven'))).rejects.toMatchObject({ failure: { code: 'document.low_disk' } })
    expect(await kept()).toEqual(['five', 'four', 'six', 'waits'])
    // this call needs no space, because the vault already contains the document
    await vault.put(pdf('six'))
  })

  it('refuses a document that would take disk space that is reserved for scans', async () => {
    await fill(['one', 'two'])
    let free = gib + 50
    const space = { mostBytes: gib, leastFree: gib, freeBytes: () => free }
    const full = createVault(folder, { replaceable: () => new Set(), space })
    await expect(full.put(pdf('three'))).rejects.toMatchObject({ failure: { code: 'document.low_disk' } })
    expect(await kept()).toEqual(['one', 'two'])
    free = gib + 100
    await full.put(pdf('three'))
    expect(await kept()).toEqual(['one', 'three', 'two'])
  })
})
