import fs, { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openDeskDatabase } from '#local/desk-database.ts'
import { labelIdOf } from '#support/ids.ts'
import { StoreBench } from '#support/store-bench.ts'

let bench: StoreBench
let folder: string
beforeEach(async () => {
  bench = await StoreBench.create()
  folder = join(bench.dataDir, 'labels')
  mkdirSync(folder)
})
afterEach(() => bench.dispose())

const now = Date.now()
const old = now - 200 * 24 * 3600_000

/** Returns the UUID with the number as its last part. */
function uuid(number: number): string {
  return `0f1c1a9e-0000-4000-8000-${String(number).padStart(12, '0')}`
}

/** Stores finished labels, each with one print whose id and time are given. */
async function labels(prints: readonly { readonly id: string; readonly at: number }[]): Promise<void> {
  const database = await openDeskDatabase(bench.dataDir)
  for (const { id, at } of prints) {
    database
      .prepare(
        `INSERT INTO return_labels (id, scope, created_at, server_id, requested, document_hash)
           VALUES (@id, 'scope', @at, @id, 1, 'h')`,
      )
      .run({ id, at })
    database
      .prepare(
        `INSERT INTO commands (id, scope, subject_kind, subject_id, aggregate, type, created_at, state, state_at)
           VALUES ('create ' || @id, 'scope', 'return_label', @id, @id, 'return_label.create', @at, 'done', @at)`,
      )
      .run({ id, at })
    const file = join(folder, `2026-01-01-label-${id}.pdf`)
    database
      .prepare(
        `INSERT INTO print_jobs (id, scope, label_id, document_hash, printer, is_reprint, created_at, state, state_at, file)
           VALUES (@id, 'scope', @id, 'h', 'folder', 0, @at, 'confirmed', @at, @file)`,
      )
      .run({ id, at, file })
  }
  database.close()
}

function put(names: readonly string[]): void {
  for (const name of names) writeFileSync(join(folder, name), '')
}

/**
 * Removes old records. Returns the number of array elements that were read one after another, for example to copy
 * lists, and the maximum number of files that one turn of the event loop deleted.
 */
async function purge(): Promise<{ elements: number; files: number }> {
  const store = await bench.open()
  const iterator = Object.getPrototypeOf([].values()) as { next: (this: unknown) => unknown }
  const { next } = iterator
  let [elements, files, most] = [0, 0, 0]
  const remove = fs.rmSync
  const spy = vi.spyOn(fs, 'rmSync').mockImplementation((file, options) => {
    if (files === 0) setImmediate(() => (files = 0))
    most = Math.max(most, ++files)
    remove(file, options)
  })
  syncBuiltinESMExports()
  iterator.next = function () {
    elements++
    return next.call(this)
  }
  try {
    expect(await store.storage.purge(now, 30)).toBeNull()
  } finally {
    iterator.next = next
    spy.mockRestore()
    syncBuiltinESMExports()
  }
  expect(store.labels.get(labelIdOf(uuid(1)))).toBeNull()
  return { elements, files: most }
}

describe('the purge of print files', () => {
  it.each([
    ['one reference', (n: number) => `2026-01-01-${uuid(7)}-${uuid(100 + n)}.pdf`],
    ['one UUID six times in a name', (n: number) => `${Array(6).fill(uuid(7)).join('-')}-${n}.pdf`],
    ['the id of a print', (n: number) => `2026-01-01-label-${uuid(1)}-${n}.png`],
  ])('does the same work for each file although all names have a UUID in common: %s', async (_, nameOf) => {
    await labels([{ id: uuid(1), at: old }])
    const count = 2_000
    put(Array.from({ length: count }, (_each, n) => nameOf(n)))
    const { elements, files } = await purge()
    expect(elements).toBeLessThan(20 * count)
    expect(files).toBeLessThan(600)
  })

  it('removes all files of a print, also those of which there are very many, and no file of another print', async () => {
    await labels([
      { id: uuid(1), at: old },
      { id: uuid(2), at: now },
    ])
    const stay = [
      `2026-01-01-label-${uuid(2)}.pdf`,
      // the reference of this label is the id of the old print
      `2026-01-01-${uuid(1)}-${uuid(2)}-reprint.pdf`,
      `2026-01-01-${uuid(1)}-${uuid(2)}-2.png.${uuid(1)}.tmp`,
      `sheet-${uuid(1)}.txt`,
    ]
    put(stay)
    put(['', '-reprint'].map((mark) => `2026-01-01-label-${uuid(1)}${mark}.pdf`))
    put(Array.from({ length: 1_200 }, (_, page) => `2026-01-01-label-${uuid(1)}-reprint-${page}.png`))
    put([
      `2026-01-01-label-${uuid(1)}-2.png.${uuid(2)}.tmp`,
      `2026-01-01-label-${uuid(1)}.pdf.${uuid(9)}.tmp`,
    ])
    const { files } = await purge()
    expect(readdirSync(folder).toSorted()).toEqual(stay.toSorted())
    expect(files).toBeLessThan(600)
  })

  it('deletes fewer than 700 files in one turn of the event loop although each of 20 labels has 100 files', async () => {
    const prints = Array.from({ length: 20 }, (_, n) => ({ id: uuid(1 + n), at: old }))
    await labels(prints)
    for (const { id } of prints)
      put(Array.from({ length: 100 }, (_, page) => `2026-01-01-label-${id}-${page}.png`))
    expect((await purge()).files).toBeLessThan(700)
    expect(readdirSync(folder)).toEqual([])
  })
})
