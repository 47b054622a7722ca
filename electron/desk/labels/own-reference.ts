/** `RET-` and 12 hexadecimal digits: unique, and short enough to be typed from a label. */
export function ownReference(): string {
  return `RET-${crypto.randomUUID().replaceAll('-', '').slice(-12).toUpperCase()}`
}

/** Whether a label's reference was given by a desk: then no other label has it. */
export function isOwnReference(reference: string | null): boolean {
  return reference !== null && /^RET-[0-9A-F]{12}$/.test(reference)
}
