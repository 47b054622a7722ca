import { lookup, type LookupAddress, type LookupOptions } from 'node:dns'
import type { LookupFunction } from 'node:net'

type Found = (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void
/** Looks up all addresses of a host name. */
export type LookUpAll = (hostname: string, options: LookupOptions, found: Found) => void

/**
 * Time for one of several addresses of a host before the next address is tried, in milliseconds. Node's standard is 250
 * ms, which is too short for a slow connection, or if the first packet is lost: the system repeats it after a second.
 */
export const addressMs = 1_500

/**
 * Time limit for the look-up of a host name, in milliseconds. If the first of two name servers does not respond, glibc
 * queries the second one after five seconds, and after another five seconds for each further domain of its search list.
 */
export const nameMs = 15_000

interface NameLookupOptions {
  /** Maximum number of names that are looked up at the same time. */
  readonly most?: number
  /**
   * For this time in milliseconds, the addresses of a name are used again if its look-up would have to wait for the
   * look-ups of other names.
   */
  readonly keptMs?: number
  readonly lookUp?: LookUpAll
}

/**
 * Creates a function that looks up host names with the system's resolver. Simultaneous look-ups of one name are one
 * look-up. libuv makes at most two look-ups of the process at a time, and continues each until the resolver gives up,
 * which may take 20 seconds or more. Without the limits of this function, repeated look-ups of dead names would delay
 * all others.
 */
export function createNameLookup({
  most = Infinity,
  keptMs = 0,
  lookUp = (hostname, options, found) => {
    lookup(hostname, { ...options, all: true }, found)
  },
}: NameLookupOptions = {}): LookUpAll {
  const asked = new Map<string, Found[]>()
  const kept = new Map<string, { readonly addresses: readonly LookupAddress[]; readonly until: number }>()
  const waiting: (() => void)[] = []
  let free = most
  const start = (key: string, hostname: string, options: LookupOptions): void => {
    free--
    lookUp(hostname, options, (error, addresses) => {
      free++
      if (!error && keptMs > 0) kept.set(key, { addresses, until: performance.now() + keptMs })
      const listeners = asked.get(key) ?? []
      asked.delete(key)
      if (free > 0) waiting.shift()?.()
      for (const found of listeners) found(error, addresses)
    })
  }
  return (hostname, options, found) => {
    const name = hostname.toLowerCase()
    const key = JSON.stringify([name, options.family, options.hints])
    // the name of this computer needs no name server
    const mustWait = free <= 0 && name !== 'localhost'
    const listeners = asked.get(key) ?? []
    const known = kept.get(key)
    if (mustWait && known && known.until > performance.now()) setImmediate(found, null, known.addresses)
    else listeners.push(found)
    if (asked.has(key)) return
    asked.set(key, listeners)
    if (mustWait) waiting.push(() => start(key, hostname, options))
    else start(key, hostname, options)
  }
}

/** Looks up the name of a service, of a proxy, or of a host of labels. */
export const lookUpService: LookUpAll = createNameLookup()

/** Returns the option `lookup` of a connection. */
export function lookupOption(lookUp: LookUpAll): LookupFunction {
  return allowedLookup(() => true, 'ENOTFOUND', lookUp)
}

/**
 * Creates the option `lookup` of a connection that may use only some addresses. It removes all other addresses from the
 * result, and fails with an error with the code `code` if no address remains. The connection uses the checked address,
 * so the name cannot resolve to another address after the check.
 */
export function allowedLookup(
  isAllowed: (address: string) => boolean,
  code: string,
  lookUp: LookUpAll,
): LookupFunction {
  return (hostname, options, callback) => {
    lookUp(hostname, options, (error, addresses) => {
      const allowed = error ? [] : addresses.filter(({ address }) => isAllowed(address))
      const [first] = allowed
      if (!first) callback(error ?? Object.assign(new Error('no allowed address'), { code }), [])
      else if (options.all === true) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}
