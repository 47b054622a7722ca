import fs from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { PrinterPort, PrintRequest } from '#desk/ports/printers.ts'
import { standardSpace } from '#kit/disk-space.ts'
import { drawLabel } from '#labels/draw/draw-label.ts'
import { createFolderPrinter } from '#printing/folder-printer.ts'
import { labelSpec } from '#support/label-specs.ts'
import { evidenceOf, printOn } from '#support/print-on.ts'
import { unreadPages } from '#support/unread-pages.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scandesk-paper-'))
})
afterEach(async () => {
  await chmod(folder, 0o700)
  await rm(folder, { recursive: true, force: true })
})

const label = await drawLabel(labelSpec())
const request: PrintRequest = {
  jobId: '2f1c1a9e-0000-4000-8000-000000000001',
  document: label,
  isReprint: false,
  placement: null,
  externalReference: 'WEB-1.R',
  createdAt: Date.parse('2026-03-01T12:00:00Z'),
}

describe('the folder printer', () => {
  it('writes one file with all bytes of the document and returns its path as evidence', async () => {
    const printer = createFolderPrinter('folder', join(folder, 'new'))
    const outcome = await printOn(printer, request)
    if (outcome.kind !== 'confirmed') throw new Error(outcome.kind)
    expect(basename(outcome.evidence)).toBe('2026-03-01-WEB-1-R-2f1c1a9e-0000-4000-8000-000000000001.pdf')
    expect(new Uint8Array(await readFile(outcome.evidence))).toEqual(label)
    expect(await readdir(join(folder, 'new'))).toHaveLength(1)
    expect(await evidenceOf(printer, request)).toEqual({ evidence: outcome.evidence, file: outcome.file })
  })

  it('writes a second attempt of a job to the same file, and a reprint to another file', async () => {
    const printer = createFolderPrinter('folder', folder)
    await printOn(printer, request)
    await printOn(printer, request)
    expect(await readdir(folder)).toHaveLength(1)
    await printOn(printer, { ...request, jobId: 'b', isReprint: true })
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
  ])('writes a label with the reference %j only into its own folder', async (externalReference) => {
    const printer = createFolderPrinter('folder', folder)
    const outcome = await printOn(printer, { ...request, externalReference, jobId: externalReference })
    if (outcome.kind !== 'confirmed') throw new Error(outcome.kind)
    expect(dirname(outcome.evidence)).toBe(folder)
    expect(basename(outcome.evidence)).toMatch(/^2026-03-01-[\w-]+\.pdf$/)
    expect(await readdir(folder)).toHaveLength(1)
  })

  it('previews a page of a label in the original size', async () => {
    const document = await drawLabel(labelSpec({ layout: '4x6' }))
    const prepared = await createFolderPrinter('folder', folder).prepare({ ...request, document })
    if (!prepared.ok) throw new Error(prepared.error.code)
    expect(prepared.value.pages).toMatchObject([{ widthDots: 812, heightDots: 1218 }])
    expect(prepared.value.pages[0]?.codes).not.toEqual([])
  })

  it('refuses a job if its folder cannot be written, and then reports no evidence that the job was printed', async () => {
    const blocked = join(folder, 'file')
    await writeFile(blocked, '')
    const printer = createFolderPrinter('folder', join(blocked, 'paper'))
    expect(await printer.status()).toMatchObject({ state: 'refused' })
    expect(await printOn(printer, request)).toMatchObject({
      kind: 'refused',
      failure: {
        code: 'printer.refused',
        params: { printer: 'folder', cause: 'folder_unwritable', code: 'ENOTDIR' },
      },
    })
    expect(await evidenceOf(printer, request)).toBeNull()
  })

  it('refuses a job that would leave less than a gigabyte free on the disk, because scans need this space', async () => {
    const gib = 1024 ** 3
    let free = gib + label.length
    const printer = createFolderPrinter('folder', folder, {
      picturesOf: () => Promise.resolve([new Uint8Array(10)]),
      space: { ...standardSpace, freeBytes: () => free },
    })
    const refusal = { code: 'printer.refused', params: { cause: 'disk_full' } }
    expect(await printOn(printer, request)).toMatchObject({ kind: 'refused', failure: refusal })
    expect(await readdir(folder)).toEqual([])
    free += 10
    expect(await printer.status()).toEqual({ state: 'ready', failure: null })
    expect(await printOn(printer, request)).toMatchObject({ kind: 'confirmed' })
    free = gib - 1
    expect(await printer.status()).toMatchObject({ state: 'refused', failure: refusal })
  })

  it('refuses jobs while the folder does not respond, with one check for all calls, and prints when it responds again', async () => {
    const hang = Promise.withResolvers<number>()
    const freeBytes = vi.fn(() => hang.promise)
    const space = { ...standardSpace, freeBytes }
    const create = (): PrinterPort => createFolderPrinter('folder', folder, { space, look: unreadPages })
    const prepared = await create().prepare(request)
    if (!prepared.ok) throw new Error(prepared.error.code)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const calls = Promise.all([create().status(), create().status(), prepared.value.send()])
      await vi.waitFor(() => expect(freeBytes).toHaveBeenCalled())
      await vi.advanceTimersByTimeAsync(5_000)
      const later = create().status()
      await vi.advanceTimersByTimeAsync(5_000)
      const refusal = { code: 'printer.refused', params: { cause: 'folder_unwritable', code: 'ETIMEDOUT' } }
      for (const outcome of [...(await calls), await later])
        expect(outcome).toMatchObject({ failure: refusal })
    } finally {
      vi.useRealTimers()
    }
    expect(freeBytes).toHaveBeenCalledTimes(1)
    hang.resolve(Infinity)
    // a job that was refused is not written later
    await sleep(20)
    expect(await readdir(folder)).toEqual([])
    expect(await create().status()).toEqual({ state: 'ready', failure: null })
    expect(await prepared.value.send()).toMatchObject({ kind: 'confirmed' })
  })

  it('does not stop the process while the free space of the folder is read', async () => {
    const read = vi.spyOn(fs, 'statfsSync')
    syncBuiltinESMExports()
    try {
      const status = await createFolderPrinter('folder', folder).status()
      expect([status.state, read.mock.calls]).toEqual(['ready', []])
    } finally {
      read.mockRestore()
      syncBuiltinESMExports()
    }
  })

  describe('the folder printer with pictures', () => {
    const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
    const name = '2026-03-01-WEB-1-R-2f1c1a9e-0000-4000-8000-000000000001'

    it.each([
      [['one'], [`${name}.png`]],
      [
        ['one', 'two'],
        [`${name}-1.png`, `${name}-2.png`],
      ],
    ])(
      'writes the pictures into the folder of the PDF and returns only the PDF as evidence: %j',
      async (pictures, names) => {
        const printer = createFolderPrinter('folder', folder, {
          picturesOf: () => Promise.resolve(pictures.map(bytes)),
        })
        const outcome = await printOn(printer, request)
        expect(outcome).toMatchObject({ kind: 'confirmed', evidence: join(folder, `${name}.pdf`) })
        expect((await readdir(folder)).sort()).toEqual([...names, `${name}.pdf`].sort())
        for (const [page, file] of names.entries())
          expect(await readFile(join(folder, file), 'utf8')).toBe(pictures[page])
      },
    )

    it('writes only the PDF if the pages of the PDF cannot be drawn as pictures', async () => {
      const printer = createFolderPrinter('folder', folder, {
        picturesOf: () => Promise.reject(new Error('no page')),
      })
      expect(await printOn(printer, request)).toMatchObject({ kind: 'confirmed' })
      expect(await readdir(folder)).toEqual([`${name}.pdf`])
    })

    it('leaves no picture if the PDF cannot be written', async () => {
      await mkdir(join(folder, `${name}.pdf`))
      const printer = createFolderPrinter('folder', folder, {
        picturesOf: () => Promise.resolve([bytes('one')]),
      })
      expect(await printOn(printer, request)).toMatchObject({ kind: 'refused' })
      expect(await readdir(folder)).toEqual([`${name}.pdf`])
      expect(await evidenceOf(printer, request)).toBeNull()
    })
  })
})
