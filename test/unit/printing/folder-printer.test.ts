import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PrintRequest } from '#desk/ports/printers.ts'
import { createFolderPrinter } from '#printing/folder-printer.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scandesk-paper-'))
})
afterEach(async () => {
  await chmod(folder, 0o700)
  await rm(folder, { recursive: true, force: true })
})

const request: PrintRequest = {
  jobId: '2f1c1a9e-0000-4000-8000-000000000001',
  document: new TextEncoder().encode('%PDF-1.7'),
  isReprint: false,
  externalReference: 'WEB-1.R',
  createdAt: Date.parse('2026-03-01T12:00:00Z'),
}

describe('the folder printer', () => {
  it('writes one whole file and shows it as evidence', async () => {
    const printer = createFolderPrinter('folder', join(folder, 'new'))
    const outcome = await printer.print(request)
    if (outcome.kind !== 'confirmed') throw new Error(outcome.kind)
    expect(basename(outcome.evidence)).toBe('2026-03-01-WEB-1-R-2f1c1a9e-0000-4000-8000-000000000001.pdf')
    expect(await readFile(outcome.evidence, 'utf8')).toBe('%PDF-1.7')
    expect(await readdir(join(folder, 'new'))).toHaveLength(1)
    expect(await printer.lookFor(request)).toEqual({ evidence: outcome.evidence, file: outcome.file })
  })

  it('writes the same file when the same job is tried again, another for a reprint', async () => {
    const printer = createFolderPrinter('folder', folder)
    await printer.print(request)
    await printer.print(request)
    expect(await readdir(folder)).toHaveLength(1)
    await printer.print({ ...request, jobId: 'b', isReprint: true })
    expect((await readdir(folder)).some((name) => name.endsWith('-b-reprint.pdf'))).toBe(true)
  })

  it.each([
    '../../etc/passwd',
    '/etc/passwd',
    'C:\\Windows\\x',
    'a\u0000b',
    'NUL',
    '..',
    '.',
    '',
    ' ',
    'x'.repeat(5_000),
    'řeka/ 日本',
    '-rf',
    'a:b|c?*<>"',
    '\u202egnp',
  ])('stays in its folder whatever a reference says: %j', async (externalReference) => {
    const printer = createFolderPrinter('folder', folder)
    const outcome = await printer.print({ ...request, externalReference, jobId: externalReference })
    if (outcome.kind !== 'confirmed') throw new Error(outcome.kind)
    expect(dirname(outcome.evidence)).toBe(folder)
    expect(basename(outcome.evidence)).toMatch(/^2026-03-01-[\w-]+\.pdf$/)
    expect(await readdir(folder)).toHaveLength(1)
  })

  it('refuses, and leaves nothing, where it cannot write', async () => {
    const blocked = join(folder, 'file')
    await writeFile(blocked, '')
    const printer = createFolderPrinter('folder', join(blocked, 'paper'))
    expect(await printer.status()).toMatchObject({ state: 'refused' })
    expect(await printer.print(request)).toMatchObject({
      kind: 'refused',
      failure: { code: 'printer.refused', params: { printer: 'folder' } },
    })
    expect(await printer.lookFor(request)).toBeNull()
  })
})
