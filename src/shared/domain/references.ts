/**
 * Codes that identify a record: the references of the service, the forms in which a scanned code is compared with them,
 * the reference that a desk gives a label, and the marker that a desk puts into the note of a modification.
 */

/** Prefixes of the service's references. A reference consists of its prefix and eleven digits (API.md 1.5). */
export const referencePrefixes = {
  shipment: 'SHP',
  order: 'ORD',
  inbound: 'INB',
  modification: 'MOD',
} as const
export type ReferenceKind = keyof typeof referencePrefixes

/** Returns the reference of a record: `('shipment', 412)` -> `SHP00000000412`. */
export function formatReference(kind: ReferenceKind, serial: number): string {
  return referencePrefixes[kind] + String(serial).padStart(11, '0')
}

/** Returns the kind of a scanned reference and its canonical upper-case spelling, or null. */
export function parseReference(text: string): { kind: ReferenceKind; reference: string } | null {
  const match = /^(SHP|ORD|INB|MOD)(\d{11})$/.exec(text.trim().toUpperCase())
  if (!match) return null
  const kind = (Object.keys(referencePrefixes) as ReferenceKind[]).find(
    (k) => referencePrefixes[k] === match[1],
  )
  return kind ? { kind, reference: match[0] } : null
}

/**
 * Returns the form in which codes are compared: no spaces, upper case. Carriers print tracking codes in groups but
 * scanners send them without spaces, and Caps Lock may have inverted the letters.
 */
export function normaliseCode(text: string): string {
  return text.replaceAll(/\s+/g, '').toUpperCase()
}

/**
 * Removes the leading `#` of a reference, or adds one, because shops print references with `#` and people type them
 * without it. The code and the result have the form of normaliseCode. Returns null if the code is not a reference.
 */
export function otherHashForm(code: string): string | null {
  if (!/^#?[0-9A-Z][0-9A-Z\-_./]{2,59}$/.test(code)) return null
  return code.startsWith('#') ? code.slice(1) : `#${code}`
}

const longestShape = 40

/**
 * Returns the pattern of a code: each letter as A, each digit as 9, all else unchanged. `WEB-1042` -> `AAA-9999`. Null
 * for an empty text, and for a text of more than 40 characters. `code` in the form of normaliseCode.
 */
export function codeShape(code: string): string | null {
  if (code === '' || code.length > longestShape) return null
  return code.replaceAll(/\p{L}/gu, 'A').replaceAll(/\p{N}/gu, '9')
}

/**
 * Returns the reference with which a label was created: the service appends `.R` when the label is requested (API.md
 * 8.4).
 */
export function baseExternalReference(reference: string): string {
  return reference.replace(/\.R$/, '')
}

/**
 * Creates the reference that a desk gives a label, from a random UUID: `RET-` and its last 12 hexadecimal digits,
 * unique, and short enough to be typed from a label.
 */
export function ownReference(uuid: string): string {
  return `RET-${uuid.replaceAll('-', '').slice(-12).toUpperCase()}`
}

/** Whether two ids of the service are the same. Some services return one id in different letter cases. */
export function isSameId(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

/** Whether a desk created the reference of a label. Only desks create references of this form (`ownReference`). */
export function isOwnReference(reference: string | null): boolean {
  return reference !== null && /^RET-[0-9A-F]{12}$/.test(reference)
}

const markerLength = 20

/**
 * Returns the marker by which the desk finds its own modification at the service: `#` and twenty hexadecimal digits of
 * the operation's id. The service has no idempotency key, but it returns the note.
 */
export function noteMarker(operationId: string): string {
  return `#${operationId.replaceAll('-', '').slice(0, markerLength).toLowerCase()}`
}

/** Returns the note as it is sent to the service: the operator's text and the marker, which no screen shows. */
export function markNote(note: string, operationId: string): string {
  const marker = noteMarker(operationId)
  return note === '' ? marker : `${note} ${marker}`
}

/**
 * Whether a note from the service contains the marker of this operation. Ignores differences in blanks and letter case,
 * because a WMS may change them.
 */
export function hasMarker(note: string | null, operationId: string): boolean {
  return (note ?? '').toLowerCase().includes(noteMarker(operationId))
}

/** Returns the markers in a note, without their `#`, including those of other desks. */
export function markersIn(note: string | null): string[] {
  return [...(note ?? '').toLowerCase().matchAll(/#([0-9a-f]{20})/g)].flatMap(([, digits]) => digits ?? [])
}

/** Returns the text of a note without the markers of any desk; null if it is empty. */
export function withoutMarker(note: string | null): string | null {
  const written = (note ?? '').replaceAll(/#[0-9a-f]{20}/gi, '').trim()
  return written === '' ? null : written
}
