/** Letters and digits of a postcode; routing codes are built from its start. */
export function bareZip(zipcode: string): string {
  return zipcode.toUpperCase().replaceAll(/[^0-9A-Z]/g, '')
}

/** A stable number from 1 to `count` for a place: the chute, tour or gate that a sorting centre has for it. */
export function sortTarget(text: string, count: number): number {
  let hash = 17
  for (const character of bareZip(text)) hash = (hash * 31 + character.charCodeAt(0)) % 1_000_003
  return (hash % count) + 1
}

export function padded(number: number, digits: number): string {
  return String(number).padStart(digits, '0')
}
