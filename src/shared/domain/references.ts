/** Prefixes of the references that the service hands out: prefix and eleven digits (api.md, resources). */
export const referencePrefixes = {
  shipment: 'SHP',
  order: 'ORD',
  inbound: 'INB',
  modification: 'MOD',
} as const
export type ReferenceKind = keyof typeof referencePrefixes

/** `('shipment', 412)` -> `SHP00000000412`. */
export function formatReference(kind: ReferenceKind, serial: number): string {
  return referencePrefixes[kind] + String(serial).padStart(11, '0')
}

/** The kind of a scanned reference and its canonical upper-case spelling, or null. */
export function parseReference(text: string): { kind: ReferenceKind; reference: string } | null {
  const match = /^(SHP|ORD|INB|MOD)(\d{11})$/.exec(text.trim().toUpperCase())
  if (!match) return null
  const kind = (Object.keys(referencePrefixes) as ReferenceKind[]).find(
    (k) => referencePrefixes[k] === match[1],
  )
  return kind ? { kind, reference: match[0] } : null
}

/**
 * The form under which codes are compared: no spaces, upper case. Carriers print tracking codes in groups and
 * scanners deliver them without; Caps Lock may have turned letters round.
 */
export function normaliseCode(text: string): string {
  return text.replaceAll(/\s+/g, '').toUpperCase()
}

/**
 * The same reference with the `#` that shops put before it, or without: it is printed with it and typed without. Expects
 * and returns the form of normaliseCode; null where the code is no reference.
 */
export function otherHashForm(code: string): string | null {
  if (!/^#?[0-9A-Z][0-9A-Z\-_./]{2,59}$/.test(code)) return null
  return code.startsWith('#') ? code.slice(1) : `#${code}`
}

/** The reference a label was made with: the service appends `.R` when it is requested (api.md, Return labels). */
export function baseExternalReference(reference: string): string {
  return reference.replace(/\.R$/, '')
}
