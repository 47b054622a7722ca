import { app } from './app.ts'
import { debug } from './environment.ts'
import { useInert } from './inert.ts'

// Maps the app's schemes to https. Chromium supports no custom schemes over DevTools. So Chromium shows app://desk/x as
// https://desk.app.standin.localhost/x, and requests of that address are intercepted. The app's code sees app://
// everywhere; only the page's own location and origin have the https form.

export type SchemeHandler = (request: Request) => Response | Promise<Response>

const suffix = 'standin.localhost'
/** The schemes that at least one session handles. */
const handled = new Set<string>()
const privileged = new Set<string>()

/** Converts app://host/path to https://host.app.standin.localhost/path. Other addresses stay unchanged. */
export function toPageUrl(url: string): string {
  const match = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/i.exec(url)
  const [, scheme = '', host = '', rest = ''] = match ?? []
  if (!privileged.has(scheme) && !handled.has(scheme)) return url
  return `https://${host === '' ? 'empty' : host}.${scheme}.${suffix}${rest === '' ? '/' : rest}`
}

/** Converts https://host.app.standin.localhost/path to app://host/path. Other addresses stay unchanged. */
export function toAppUrl(url: string): string {
  return url.replace(/^https:\/\/([^/?#]*)\.([a-z][a-z0-9+-]*)\.standin\.localhost/, '$2://$1')
}

/** Converts the app's schemes in a policy to the addresses that Chromium shows. */
export function toPageHeader(name: string, value: string): string {
  if (name.toLowerCase() === 'location') return toPageUrl(value)
  if (!name.toLowerCase().startsWith('content-security-policy')) return value
  return value.replace(
    /(?<=\s|^)([a-z][a-z0-9+-]*):(?:\/\/([^\s/;,*]+|\*)?)?/g,
    (source, scheme: string, host?: string) => {
      if (!privileged.has(scheme) && !handled.has(scheme)) return source
      return `https://${host ?? '*'}.${scheme}.${suffix}`
    },
  )
}

/** Implements the protocol of one session. A handler serves only the pages and requests of its session. */
export class Protocol {
  readonly #handlers = new Map<string, SchemeHandler>()

  registerSchemesAsPrivileged(schemes: readonly { scheme: string; privileges?: object }[]): void {
    if (app.isReady()) {
      throw new Error('protocol.registerSchemesAsPrivileged should be called before app is ready')
    }
    for (const { scheme, privileges } of schemes) {
      privileged.add(scheme)
      debug('scheme', scheme, privileges)
    }
  }

  handle(scheme: string, handler: SchemeHandler): void {
    if (this.#handlers.has(scheme)) throw new Error(`The scheme ${scheme} is already handled`)
    // The stand-in shows every scheme with a handler as https. In Electron, a scheme that was not registered as
    // privileged has fewer rights than https. The stand-in does not imitate this difference.
    if (!privileged.has(scheme)) useInert(`protocol.handle:${scheme} (not registered as privileged)`)
    handled.add(scheme)
    this.#handlers.set(scheme, handler)
  }

  unhandle(scheme: string): void {
    this.#handlers.delete(scheme)
  }

  isProtocolHandled(scheme: string): boolean {
    return this.#handlers.has(scheme)
  }

  /** Returns the handler of an address as the app sees it. */
  handlerOf(appUrl: string): SchemeHandler | undefined {
    return this.#handlers.get(appUrl.slice(0, appUrl.indexOf(':')))
  }
}

/** The protocol of the default session. */
export const protocol = new Protocol()
