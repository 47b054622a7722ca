import { extname, join, normalize, sep } from 'node:path'

/** The page's own origin: `app://desk/`. */
export const appScheme = 'app'
export const appHost = 'desk'
export const appOrigin = `${appScheme}://${appHost}`

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

/** Everything from this app, nothing inline, no strings turned into script; Svelte's own policy is the only one named. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "media-src 'self'",
  "connect-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types svelte-trusted-html',
].join('; ')

/**
 * The file inside `root` that a request path names, or null for anything else: another host, a method other than
 * GET, a path that leaves the folder (also percent-encoded), a type this app does not ship.
 */
export function fileFor(
  root: string,
  method: string,
  requestUrl: string,
): { file: string; contentType: string } | null {
  if (method !== 'GET') return null
  let path: string
  try {
    const url = new URL(requestUrl)
    if (url.protocol !== `${appScheme}:` || url.host !== appHost) return null
    path = decodeURIComponent(url.pathname)
  } catch {
    return null
  }
  if (path.includes('\0') || path.includes('\\')) return null
  const file = normalize(join(root, path === '/' ? 'index.html' : path))
  const contentType = contentTypes[extname(file)]
  return file.startsWith(root + sep) && contentType ? { file, contentType } : null
}

export function isAppUrl(url: string): boolean {
  try {
    const { protocol, host } = new URL(url)
    return `${protocol}//${host}` === appOrigin
  } catch {
    return false
  }
}
