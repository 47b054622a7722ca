/**
 * Prefix of an operator's badge. A badge only fills in the user name at the login. The text of a badge has the same
 * form as a command barcode (commands.ts).
 */
const badgePrefix = 'SDUSR'

/** User names that a badge can contain: 1 to 40 printable ASCII characters, without a space at the beginning or end. */
export const badgeName: RegExp = /^[!-~](?:[ -~]{0,38}[!-~])?$/

/** Returns the text of the badge's barcode: `jansen` -> `SDUSRjansen`. */
export function badgeBarcode(username: string): string {
  return badgePrefix + username
}

/**
 * Returns the user name of a scanned badge, or null. Restores the case of the name if a keyboard scanner under Caps
 * Lock has inverted the case of the whole text.
 */
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
