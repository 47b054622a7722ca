import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { type Browser, chromium } from 'playwright'
import { findChromium } from '../../electron/launch/packages.mjs'
import { builtGallery } from './build.ts'

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
}

export interface Gallery {
  /** The address, `http://127.0.0.1:PORT`. The page has the parameters `?scenario=NAME&language=nl`. */
  readonly origin: string
  readonly stop: () => Promise<void>
}

/**
 * Serves the gallery and builds it first if necessary. Its content security policy allows only files of the gallery: no
 * inline scripts or styles, as in the app, whose own policy has more directives.
 */
export async function serveGallery(): Promise<Gallery> {
  const folder = await builtGallery()
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://gallery').pathname)
    readFile(join(folder, path === '/' ? 'index.html' : path)).then(
      (body) => {
        response.setHeader('content-security-policy', "default-src 'self'")
        // assets may be cached, because their names contain their hash; a browser also keeps the compiled code of a
        // cached asset
        if (path.startsWith('/assets/')) response.setHeader('cache-control', 'max-age=86400, immutable')
        response.setHeader('content-type', types[extname(path)] ?? 'text/html; charset=utf-8')
        response.end(body)
      },
      () => response.writeHead(path === '/favicon.ico' ? 204 : 404).end(),
    )
  })
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the gallery has no port')
  return {
    origin: `http://127.0.0.1:${String(address.port)}`,
    stop: () =>
      new Promise((stopped) => {
        server.closeAllConnections()
        server.close(() => {
          stopped()
        })
      }),
  }
}

/** Starts the system's Chromium, or Playwright's if there is none. */
export function launchBrowser(): Promise<Browser> {
  const executablePath = findChromium()
  return chromium.launch({
    ...(executablePath === null ? {} : { executablePath }),
    args: ['--no-sandbox', '--autoplay-policy=no-user-gesture-required'],
  })
}
