import { extname, join, normalize, sep } from 'node:path'

/** The page's own origin: `app://desk/`. */
export const appScheme = 'app'
export const appHost = 'desk'
export const appOrigin = `${appScheme}://${appHost}`

let devServer: string | null = null

/**
 * Accepts the page of a development server as the app's own page: it may call main, and the window may show it. Main
 * calls this once. The origin is null unless main runs in `npm run dev` (page-network.ts).
 */
export function trustDevServer(origin: string | null): void {
  devServer = origin
}

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.wav': 'audio/wav',
}

/**
 * The content security policy of the page. It allows files of this app only, no inline script or style, and no script
 * from a string; Svelte's policy is the only trusted types policy.
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "media-src 'self'",
  "connect-src 'none'",
  // `worker-src` is set, because Chromium would otherwise apply `script-src` to workers
  "worker-src 'none'",
  "frame-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types svelte-trusted-html',
  // the standard defines the directive `webrtc`, but Chromium 156 ignores it, so page-network.ts also blocks WebRTC
  "webrtc 'block'",
].join('; ')

/**
 * Returns the file inside `root` for a request path. Returns null for any other request: another host, a method other
 * than GET, a path that leaves the folder (also percent-encoded), or a file type that this app does not contain.
 */
export function fileFor(
  root: string,
  method: string,
  requestUrl: string,
): { file: string; contentType: string } | null {
  if (method !== 'GET' || !isOf(appOrigin, requestUrl)) return null
  let path: string
  try {
    path = decodeURIComponent(new URL(requestUrl).pathname)
  } catch {
    return null
  }
  if (path.includes('\0') || path.includes('\\')) return null
  const file = normalize(join(root, path === '/' ? 'index.html' : path))
  const contentType = contentTypes[extname(file)]
  return file.startsWith(root + sep) && contentType ? { file, contentType } : null
}

/**
 * Whether a URL is the app's own: `app://desk` or the development server (`trustDevServer`), alone or with a path.
 * Chromium passes normalised URLs, so a URL in any other spelling (with a user name, another port, capitals or a
 * backslash) is foreign.
 */
export function isAppUrl(url: string): boolean {
  return isOf(appOrigin, url) || (devServer !== null && isOf(devServer, url))
}

function isOf(origin: string, url: string): boolean {
  if (url === origin) return true
  return url.startsWith(`${origin}/`) && !url.includes('\\') && URL.canParse(url)
}
