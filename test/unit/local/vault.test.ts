import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createVault } from '#local/vault.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scandesk-vault-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const bytes = new TextEncoder().encode('%PDF-1.7 label')

it('keeps a document under its own hash, once', async () => {
  const vault = createVault(join(folder, 'vault'))
  const hashes = await Promise.all([vault.put(bytes), vault.put(bytes), vault.put(bytes)])
  expect(new Set(hashes).size).toBe(1)
  expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/)
  expect(await readdir(join(folder, 'vault'))).toEqual([`${hashes[0]}.pdf`])
  expect(await vault.read(hashes[0])).toEqual(Buffer.from(bytes))
})

it('does not hand out what is no longer what its name says, and heals it', async () => {
  const vault = createVault(folder)
  const hash = await vault.put(bytes)
  await writeFile(join(folder, `${hash}.pdf`), '%PDF-1.7 lobel')
  expect(await vault.read(hash)).toBeNull()
  expect(await vault.put(bytes)).toBe(hash)
  expect(await vault.read(hash)).toEqual(Buffer.from(bytes))
  expect(await vault.read('absent')).toBeNull()
})

it('says so when there is no place', async () => {
  const blocked = join(folder, 'file')
  await writeFile(blocked, '')
  await expect(createVault(join(blocked, 'vault')).put(bytes)).rejects.toMatchObject({
    failure: { code: 'store.unavailable' },
  })
})
