import { lookup, type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'

/**
 * Creates the name resolution for a connection that may use only some addresses. It removes all other addresses from
 * the result, and fails with an error with the code `code` if no address remains. The connection uses the checked
 * address, so the name cannot resolve to another address after the check.
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
