import { lookup, type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'

/**
 * Creates a name resolution for a connection that may lead to some addresses only. It leaves the others out, and fails
 * with an error of this `code` if none is left. The connection uses the checked address, so a name cannot resolve to
 * another one a moment later.
 */
export function allowedLookup(isAllowed: (address: string) => boolean, code: string): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      const allowed = error ? [] : addresses.filter(({ address }) => isAllowed(address))
      const [first] = allowed
      if (!first) callback(error ?? Object.assign(new Error('no allowed address'), { code }), [])
      else if (options.all === true) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}
