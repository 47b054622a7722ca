import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** Returns the names of the environment variables in the source files of a folder. */
function namesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|mjs|cjs|js|svelte)$/.test(name) && !name.includes('node_modules'))
    .flatMap((name) => readFileSync(join(root, folder, name), 'utf8').match(/SCANDESK_[A-Z_]+/g) ?? [])
}

describe('the environment variables', () => {
  it('that the sources name are exactly those in the table of CONTRIBUTING.md', () => {
    const config = ['vitest.config.ts', 'playwright.config.ts', 'electron.vite.config.ts']
    const used = new Set([
      ...['electron', 'src', 'test'].flatMap(namesIn),
      ...config.flatMap((name) => readFileSync(join(root, name), 'utf8').match(/SCANDESK_[A-Z_]+/g) ?? []),
    ])
    // `SCANDESK_` is a part of the pattern in this file, and not the name of a variable
    used.delete('SCANDESK_')
    const rows = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').matchAll(
      /^\| `(SCANDESK_[A-Z_]+)` +\|/gm,
    )
    expect([...rows].map(([, name]) => name).toSorted()).toEqual([...used].toSorted())
  })
})
