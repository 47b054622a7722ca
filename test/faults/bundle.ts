import { mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'vite'
import { bundleEntries } from '../../electron/launch/bundle-entries.ts'

const repo = resolve(import.meta.dirname, '../..')

/**
 * Bundles the program of a child process into one file, because the child is started thousands of times. A start from
 * source takes half a second longer, for the removal of types. `child`: path relative to this file. The worker threads
 * and processes that the child starts are bundled too. Returns the path of the bundle and a function that removes it.
 */
export async function bundleChild(child: string): Promise<{ file: string; remove: () => void }> {
  const folder = join(repo, 'out/faults', `child-${process.pid}-${Math.random().toString(36).slice(2, 8)}`)
  mkdirSync(folder, { recursive: true })
  await build({
    root: repo,
    configFile: false,
    logLevel: 'error',
    plugins: [bundleEntries()],
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: true,
      minify: false,
      rolldownOptions: {
        input: { child: join(import.meta.dirname, child) },
        output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name].js' },
      },
    },
    // Native code and WebAssembly are not bundled.
    ssr: {
      noExternal: true,
      external: ['better-sqlite3', '@hyzyla/pdfium', 'zxing-wasm', 'zxing-wasm/reader'],
    },
  })
  return {
    file: join(folder, 'child.js'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
