import { extname, join, normalize, sep } from 'node:path'

/** The page's own origin: `app://desk/`. */
export const appScheme = 'app'
export const appHost = 'desk'
export const appOrigin = `${appScheme}://${appHost}`

let devServer: string | null = null

/**
 * Makes the page of a development server count as the app's own: it may call main, and the window may show it. Main
 * calls this once, with null unless it runs in `npm run dev` (page-network.ts).
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
 * Allows files of this app only, nothing inline and no strings compiled to script; the only named policy is Svelte's
 * own.
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "media-src 'self'",
  "connect-src 'none'",
  // without this line the workers' policy would fall back to script-src
  "worker-src 'none'",
  "frame-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types svelte-trusted-html',
  // in the standard, but Chromium 156 ignores it: page-network.ts blocks WebRTC
  "webrtc 'block'",
].join('; ')

/**
 * Returns the file inside `root` for a request path, or null for anything else: another host, a method other than GET,
 * a path that leaves the folder (also percent-encoded), a file type that this app does not contain.
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
 * Whether an address is the app's own: `app://desk`, alone or with a path. Chromium passes normalized addresses, so any
 * other spelling (a user name, a port, capitals, a backslash) is a foreign address.
 */
export function isAppUrl(url: string): boolean {
  return isOf(appOrigin, url) || (devServer !== null && isOf(devServer, url))
}

function isOf(origin: string, url: string): boolean {
  if (url === origin) return true
  return url.startsWith(`${origin}/`) && !url.includes('\\') && URL.canParse(url)
}
