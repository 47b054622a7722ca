import { lookup, type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'

/**
 * Name resolution for a connection that may lead only to some addresses: the others are left out, and a name of which
 * none is left fails with an error of this `code`. The connection is made to what was checked, so that a name cannot
 * lead elsewhere a moment later.
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
