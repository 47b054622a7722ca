import { mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'vite'

const repo = resolve(import.meta.dirname, '../..')

/**
 * Bundles the program of a child process into one file, because the child is started thousands of times. A start from
 * source takes half a second longer, for the removal of types. `child`: path relative to this file. `threads`: source
 * files of the worker threads and processes that the child starts, by the names of their bundles. Returns the path of
 * the bundle and a function that removes it.
 */
export async function bundleChild(
  child: string,
  threads: Readonly<Record<string, string>>,
): Promise<{ file: string; remove: () => void }> {
  const folder = join(repo, 'out/faults', `child-${process.pid}-${Math.random().toString(36).slice(2, 8)}`)
  mkdirSync(folder, { recursive: true })
  const others = Object.entries(threads).map(([name, path]) => [name, join(repo, path)] as const)
  await build({
    root: repo,
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: true,
      minify: false,
      rolldownOptions: {
        input: { child: join(import.meta.dirname, child), ...Object.fromEntries(others) },
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
