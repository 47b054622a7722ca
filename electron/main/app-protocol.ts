import { readFile } from 'node:fs/promises'
import { normalize } from 'node:path'
import { protocol, type Session } from 'electron'
import { appScheme, contentSecurityPolicy, fileFor } from './app-files.ts'

/** Registers the scheme `app:`. Must run before Electron's app is ready. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    {
      scheme: appScheme,
      privileges: { standard: true, secure: true, supportFetchAPI: true },
    },
  ])
}

/** Serves the built renderer at app://desk/ to the pages of the session. */
export function serveApp(session: Session, root: string): void {
  const folder = normalize(root)
  session.protocol.handle(appScheme, async (request) => {
    const found = fileFor(folder, request.method, request.url)
    const body = found && (await readFile(found.file).catch(() => null))
    if (!found || !body)
      return new Response('not found', { status: 404, headers: { 'content-type': 'text/plain' } })
    return new Response(new Uint8Array(body), {
      headers: {
        'content-type': found.contentType,
        'content-security-policy': contentSecurityPolicy,
        'x-content-type-options': 'nosniff',
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
      },
    })
  })
}
