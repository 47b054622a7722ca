import { mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'vite'

const repo = resolve(import.meta.dirname, '../../..')

/**
 * The child in one file, for it is started thousands of times: from source each start would take half a second to strip
 * types. Answers where it is, and how to remove it.
 */
export async function bundleChild(): Promise<{ file: string; remove: () => void }> {
  const folder = join(repo, 'out/faults', `child-${process.pid}-${Math.random().toString(36).slice(2, 8)}`)
  mkdirSync(folder, { recursive: true })
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
        input: {
          'desk-child': join(import.meta.dirname, 'desk-child.ts'),
          // the thread that the store starts for its bigger files
          'storage-worker': join(repo, 'electron/local/storage-worker.ts'),
        },
        output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name].js' },
      },
    },
    // native code stays where it is
    ssr: { noExternal: true, external: ['better-sqlite3'] },
  })
  return {
    file: join(folder, 'desk-child.js'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
