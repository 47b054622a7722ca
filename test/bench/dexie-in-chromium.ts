import { createReadStream, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright'
import { z } from 'zod'
import { findChromium } from '../../electron/launch/packages.mjs'
import { listen } from './listen.ts'
import { peersFolder } from './peers.ts'

const loadMs = 120_000

/**
 * Measures look-ups with Dexie in a page of Chromium, whose IndexedDB is stored on disk. Returns the microseconds of
 * each look-up by the clock of the page.
 */
export async function lookUpInDexie(rowsFile: string, lookups: number): Promise<number[]> {
  const server = serve(rowsFile)
  const port = await listen(server)
  const profile = mkdtempSync(join(tmpdir(), 'scandesk-dexie-'))
  const executablePath = findChromium()
  const context = await chromium.launchPersistentContext(profile, {
    ...(executablePath && { executablePath }),
    ...(process.getuid?.() === 0 && { chromiumSandbox: false }),
  })
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(loadMs)
    await page.goto(`http://127.0.0.1:${port}/`)
    const us = await page.evaluate(
      `import('/dexie-page.mjs').then(({ measureLookups }) => measureLookups(${lookups}))`,
    )
    return z.array(z.number()).parse(us)
  } finally {
    await context.close()
    server.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  }
}

function serve(rowsFile: string): Server {
  const files: Record<string, readonly [type: string, file: string | null]> = {
    '/': ['text/html', null],
    '/dexie.mjs': ['text/javascript', join(peersFolder, 'node_modules/dexie/dist/dexie.mjs')],
    '/dexie-page.mjs': ['text/javascript', join(peersFolder, 'dexie-page.mjs')],
    '/rows': ['text/plain', rowsFile],
  }
  return createServer((request, response) => {
    const [type, file] = files[request.url ?? ''] ?? ['', null]
    response.writeHead(type === '' ? 404 : 200, {
      'content-type': type,
      // The headers isolate the page, because only the clock of an isolated page has a resolution of microseconds.
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
    })
    if (file === null) response.end('<!doctype html><title>Dexie</title>')
    else createReadStream(file).pipe(response)
  })
}
