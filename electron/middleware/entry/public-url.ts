import { addressFault } from '#shared/domain/station-fields.ts'

/**
 * Parses the URL of `--public-url` by the rules for the address in a desk, because desks use this address. The scheme
 * may not be left out. A host name with a dot at its end is refused, as in the Host header. Returns the URL in the form
 * of the URL Standard, or undefined without the option. Throws a readable message for the terminal.
 */
export function readPublicUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const url = /^https?:\/\//i.test(text) && addressFault(text) === null ? URL.parse(text) : null
  if (url === null || url.hostname.endsWith('.'))
    throw new Error(
      '--public-url needs the address of the server for its clients: https://name[:port][/path], or http for this machine only.',
    )
  return url.href
}
