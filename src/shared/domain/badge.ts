/** On the badge of an operator: names the user at the login, never more. In the style of commands.ts. */
const badgePrefix = 'SDUSR'

/** User names that a badge can hold; Code128 has room for no others. */
export const badgeName: RegExp = /^[!-~](?:[ -~]{0,38}[!-~])?$/

/** `jansen` -> `SDUSRjansen`, the text that the barcode holds. */
export function badgeBarcode(username: string): string {
  return badgePrefix + username
}

/** The user name of a scanned badge, or null. A wedge under Caps Lock inverts the case of all of it. */
export function parseBadge(text: string): string | null {
  const trimmed = text.trim()
  const prefix = trimmed.slice(0, badgePrefix.length)
  const name = trimmed.slice(badgePrefix.length)
  if (!badgeName.test(name)) return null
  if (prefix === badgePrefix) return name
  return prefix === badgePrefix.toLowerCase() ? inverted(name) : null
}

function inverted(text: string): string {
  return Array.from(text, (one) => (one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase())).join(
    '',
  )
}
