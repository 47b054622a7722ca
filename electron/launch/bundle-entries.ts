import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'

const call = /\bentryBeside\(import\.meta\.url, '([\w-]+)'\)/g

/**
 * Bundles the entry of each thread and process that a bundled file starts (`entryBeside`) into a file with the name of
 * the entry. Without this, each new entry would have to be listed for the product and for each fault suite, and a
 * missing entry would only be noticed when it is started.
 */
export function bundleEntries(): Plugin {
  return {
    name: 'bundle-entries',
    // runs before other plugins, because `call` matches only in the unchanged source text
    enforce: 'pre',
    transform: {
      filter: { id: /\.ts$/, code: 'entryBeside(import.meta.url' },
      handler(code, id) {
        for (const [, name = ''] of code.matchAll(call))
          this.emitFile({
            type: 'chunk',
            id: join(dirname(id), `${name}.ts`),
            fileName: `${name}.js`,
          })
      },
    },
  }
}
