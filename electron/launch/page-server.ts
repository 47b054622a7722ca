import { realpathSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { createServer, mergeConfig, type InlineConfig, type ViteDevServer } from 'vite'
import { compileMessages } from './build.mjs'
import { explain } from './report.mjs'

interface PageServer {
  /** The address of the page, with a slash at the end. */
  readonly address: string
  readonly close: () => Promise<void>
}

/**
 * Serves a page with Vite on a free port of the loopback address. Updates the page when its sources or the messages
 * change.
 */
export async function servePage(config: InlineConfig): Promise<PageServer> {
  const local: InlineConfig = {
    configFile: false,
    cacheDir: resolve('out/vite', basename(config.root ?? 'page')),
    server: {
      host: '127.0.0.1',
      port: 0,
      // `node_modules` may be a link to the folder of another checkout. Vite serves only files of allowed folders, so
      // the target of the link is allowed too
      fs: { allow: [resolve('.'), realpathSync('node_modules')] },
      // an editor that writes a file in place first empties it; without this wait, Vite may read the empty file, and
      // the page keeps the old style until the next change
      watch: { awaitWriteFinish: { stabilityThreshold: 50, pollInterval: 10 } },
    },
  }
  const server = await createServer(mergeConfig(config, local))
  await server.listen()
  keepMessagesCompiled(server)
  const [address] = server.resolvedUrls?.local ?? []
  if (address === undefined) throw new Error('the server of the page has no address')
  return { address, close: () => server.close() }
}

/**
 * Compiles the messages after a change of the catalogue. Then reloads the whole page. An update of single modules is
 * not enough, because modules that keep state also use messages.
 */
function keepMessagesCompiled({ watcher, ws }: ViteDevServer): void {
  const catalogue = resolve('resources/i18n/messages')
  let turn = Promise.resolve()
  watcher.add(catalogue)
  watcher.on('change', (file) => {
    if (!file.startsWith(catalogue)) return
    turn = turn
      .then(compileMessages)
      .then(() => ws.send({ type: 'full-reload' }))
      .catch((error: unknown) => void explain(error))
  })
}
