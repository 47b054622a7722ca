/**
 * Decides which addresses belong to a computer on the public internet. The service sends webhooks only to such
 * addresses, because this machine, its network and the metadata service of a cloud trust requests from inside. The desk
 * also downloads documents from private networks (`isDocumentAddress`). Names are judged by their text; the caller must
 * also judge the addresses to which they resolve.
 */

/** Networks of IPv4 that are not public: IANA's special-purpose registry, multicast and the reserved range. */
const closedIpv4: readonly Network[] = (
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
  '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3'
)
  .split(' ')
  .map(networkOf)

/**
 * Of IPv6 only 2000::/3 is public. That excludes ::1, fc00::/7, fe80::/10, fec0::/10, ff00::/8, 100::/64, and the
 * notations ::a.b.c.d, ::ffff:0:a.b.c.d, 64:ff9b::/96 and 64:ff9b:1::/48 of an IPv4 address. The mapped notation is
 * judged as an IPv4 address. Within 2000::/3 these networks are not public: protocol assignments with Teredo,
 * documentation (two ranges), and 6to4, which contains an IPv4 address.
 */
const publicIpv6 = networkOf('2000::/3')
const closedIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map(networkOf)
const mappedIpv4 = networkOf('::ffff:0:0/96')

/** Networks in which companies have their own servers: private and shared IPv4 networks, and unique local addresses. */
const privateIpv4 = ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16'].map(networkOf)
const privateIpv6 = networkOf('fc00::/7')
/** In a network with only IPv6, a name server returns an IPv4 address in this notation (RFC 6052). */
const nat64 = networkOf('64:ff9b::/96')

/** Names of this machine on common systems; a name below `localhost` is this machine as well (RFC 6761). */
const loopbackNames = ['localhost', 'localhost.localdomain', 'ip6-localhost', 'ip6-loopback']

/**
 * Whether a host of a URL may be on the public internet. False for an address of a private, local or reserved network,
 * in any notation, and for a name of this machine. Accepts brackets and a trailing dot.
 */
export function isPublicHost(host: string): boolean {
  const bare = host.toLowerCase().replace(/\.$/, '')
  if (loopbackNames.includes(bare) || bare.endsWith('.localhost')) return false
  return bare !== '' && !isClosedAddress(bare.startsWith('[') ? bare.slice(1, -1) : bare)
}

/**
 * Endings of names that no public name server resolves: names of this machine (RFC 6761, and `localhost.localdomain`),
 * names of the local network (RFC 6762, RFC 8375), names that are reserved for private networks (`internal`, as in a
 * cloud's `metadata.google.internal`), and names that private networks use by custom (such as `svc` and `cluster`:
 * names in Kubernetes end in `svc.cluster.local`).
 */
const privateEndings = [
  ...['localhost', 'localdomain', 'local', 'home.arpa', 'internal'],
  ...['lan', 'home', 'corp', 'intranet', 'private', 'svc', 'cluster'],
]

/**
 * Whether a host of a URL is public by its address and its name. False for a name that only a private network resolves,
 * and for a name without a dot or with an empty part, which a resolver may complete with names of its own network. This
 * check is stricter than `isPublicHost`: it is used for the hosts of webhooks, which clients of the API choose and not
 * the administrator of a station.
 */
export function isInternetHost(host: string): boolean {
  if (!isPublicHost(host)) return false
  const name = host.toLowerCase().replace(/\.$/, '')
  if (name.startsWith('[') || readIpv4(name) !== null) return true
  const parts = name.split('.')
  if (parts.length < 2 || parts.includes('')) return false
  return !privateEndings.some((ending) => name === ending || name.endsWith(`.${ending}`))
}

/**
 * Whether a text is exactly one http or https URL. As a link, such a text opens a web page and runs nothing, unlike a
 * text with `javascript:`, `data:` or `file:`. False for a text with a blank, a tab or a line end, because some readers
 * drop these characters and others stop at them.
 */
export function isWebUrl(text: string): boolean {
  return webUrl.test(text)
}

/**
 * A URL with a host (a name, or an address of IPv6 in brackets) and without a login, because a login could only mislead
 * the reader.
 */
const webUrl = /^https?:\/\/(?:[^\s\p{Cc}/?#@:\\[\]]+|\[[\da-f:.]+\])(?::\d{1,5})?(?:[/?#][^\s\p{Cc}]*)?$/iu

/**
 * Whether a text is an IP address of a private, local or reserved network, in any notation. Also true for a text that
 * contains a colon or ends like an IPv4 address, but is no valid address.
 */
export function isClosedAddress(address: string): boolean {
  if (address.includes(':')) return !isPublicIpv6(address)
  const ipv4 = readIpv4(address)
  if (ipv4 === 'wrong') return true
  return ipv4 !== null && closedIpv4.some((network) => isWithin(bytesOf(ipv4), network))
}

/**
 * Whether the desk may download documents from an IP address of a host that an administrator entered for the station.
 * True for an address that is public or in a private network. False for an address of this machine, and for one that is
 * link-local, multicast or reserved. An IPv4 address in the mapped notation or in that of NAT64 is judged as an IPv4
 * address.
 */
export function isDocumentAddress(address: string): boolean {
  if (!isClosedAddress(address)) return true
  if (!address.includes(':')) {
    const ipv4 = readIpv4(address)
    return typeof ipv4 === 'number' && privateIpv4.some((network) => isWithin(bytesOf(ipv4), network))
  }
  const bytes = bytesOfIpv6(address)
  if (bytes === null) return false
  if (isWithin(bytes, mappedIpv4) || isWithin(bytes, nat64)) return isDocumentAddress(lastFourOf(bytes))
  return isWithin(bytes, privateIpv6)
}

function isPublicIpv6(address: string): boolean {
  const bytes = bytesOfIpv6(address)
  if (bytes === null) return false
  if (isWithin(bytes, mappedIpv4)) return !isClosedAddress(lastFourOf(bytes))
  return isWithin(bytes, publicIpv6) && !closedIpv6.some((network) => isWithin(bytes, network))
}

/** Returns the IPv4 address in the last 32 bits of an IPv6 address. */
function lastFourOf(bytes: readonly number[]): string {
  return bytes.slice(12).join('.')
}

function bytesOfIpv6(address: string): number[] | null {
  return readIpv6(address)?.flatMap((group) => [group >> 8, group & 255]) ?? null
}

/**
 * Parses an IPv4 address to a number, as browsers do (URL Standard, IPv4 parser): one to four parts, each decimal,
 * octal (`0177`) or hexadecimal (`0x7f`). The last part fills the remaining bytes. Null: the text is a name. `wrong`:
 * the text ends like an address but is invalid, so that browsers reject it.
 */
function readIpv4(text: string): number | 'wrong' | null {
  const parts = text.replace(/\.$/, '').split('.')
  const last = parts.at(-1) ?? ''
  if (!/^(\d+|0x[\da-f]*)$/i.test(last)) return null
  const numbers = parts.map(readNumber)
  const tail = numbers.pop() ?? Number.NaN
  if (numbers.length > 3 || [...numbers, tail].some(Number.isNaN)) return 'wrong'
  if (numbers.some((number) => number > 255) || tail >= 256 ** (4 - numbers.length)) return 'wrong'
  return numbers.reduce((sum, number, index) => sum + number * 256 ** (3 - index), tail)
}

function readNumber(part: string): number {
  if (/^0x[\da-f]*$/i.test(part)) return part.length === 2 ? 0 : Number(part)
  if (/^0[0-7]+$/.test(part)) return Number.parseInt(part, 8)
  return /^(0|[1-9]\d*)$/.test(part) ? Number(part) : Number.NaN
}

function bytesOf(ipv4: number): number[] {
  return [24, 16, 8, 0].map((shift) => Math.floor(ipv4 / 2 ** shift) % 256)
}

/** Parses an IPv6 address, without its zone, to its eight groups; null: it is not an IPv6 address. */
function readIpv6(text: string): number[] | null {
  const [address = ''] = text.split('%', 1)
  const [head = '', tail, ...more] = address.split('::')
  const before = readGroups(head)
  const after = tail === undefined ? [] : readGroups(tail)
  if (before === null || after === null || more.length > 0) return null
  const missing = 8 - before.length - after.length
  if (tail === undefined ? missing !== 0 : missing < 1) return null
  return [...before, ...Array.from({ length: missing }, () => 0), ...after]
}

/**
 * Parses a part of an IPv6 address, such as `7f00:1` or `ffff:127.0.0.1`, to its groups. An empty text has no groups.
 */
function readGroups(text: string): number[] | null {
  if (text === '') return []
  const parts = text.split(':')
  const dotted = /^\d+(\.\d+){3}$/.test(parts.at(-1) ?? '') ? readIpv4(parts.pop() ?? '') : null
  if (dotted === 'wrong' || parts.some((part) => !/^[\da-f]{1,4}$/i.test(part))) return null
  const groups = parts.map((part) => Number.parseInt(part, 16))
  return dotted === null ? groups : [...groups, Math.floor(dotted / 65_536), dotted % 65_536]
}

/** The network of the addresses whose first `bits` bits are those of `first`. */
interface Network {
  readonly first: readonly number[]
  readonly bits: number
}

/** Parses a network such as `10.0.0.0/8`. */
function networkOf(text: string): Network {
  const [start = '', bits = ''] = text.split('/')
  const first = start.includes(':') ? (bytesOfIpv6(start) ?? []) : start.split('.').map(Number)
  return { first, bits: Number(bits) }
}

function isWithin(address: readonly number[], { first, bits }: Network): boolean {
  return address.every((byte, index) => {
    const kept = Math.min(8, Math.max(0, bits - index * 8))
    return (byte ^ (first[index] ?? 0)) >> (8 - kept) === 0
  })
}
