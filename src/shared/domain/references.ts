/**
 * Codes that name a record: the references of the service, the forms in which a scanned code is compared with them, the
 * reference that a desk gives a label, and the marker that it puts into the note of a modification.
 */

/** Prefixes of the references that the service hands out: prefix and eleven digits (API.md 1.5). */
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

const longestShape = 40

/**
 * What codes of one kind have in common: each letter as A, each digit as 9, all else as it is. `WEB-1042` ->
 * `AAA-9999`. Null for what is too long to be such a code. `code` in the form of normaliseCode.
 */
export function codeShape(code: string): string | null {
  if (code === '' || code.length > longestShape) return null
  return code.replaceAll(/\p{L}/gu, 'A').replaceAll(/\p{N}/gu, '9')
}

/** The reference a label was made with: the service appends `.R` when it is requested (API.md 8.4). */
export function baseExternalReference(reference: string): string {
  return reference.replace(/\.R$/, '')
}

/**
 * The reference that a desk gives a label, from a random UUID: `RET-` and its last 12 hexadecimal digits, unique, and
 * short enough to be typed from a label.
 */
export function ownReference(uuid: string): string {
  return `RET-${uuid.replaceAll('-', '').slice(-12).toUpperCase()}`
}

/** Whether a label's reference was given by a desk: then no other label has it. */
export function isOwnReference(reference: string | null): boolean {
  return reference !== null && /^RET-[0-9A-F]{12}$/.test(reference)
}

const markerLength = 20

/**
 * The text by which the desk finds a modification of its own at the service: `#` and twenty hex digits of its id here.
 * The service has no idempotency key, but it returns the note.
 */
export function noteMarker(operationId: string): string {
  return `#${operationId.replaceAll('-', '').slice(0, markerLength).toLowerCase()}`
}

/** The note as the service gets it: what the operator wrote, then the marker, which no operator sees. */
export function markNote(note: string, operationId: string): string {
  const marker = noteMarker(operationId)
  return note === '' ? marker : `${note} ${marker}`
}

/** Whether the service's note is that of this operation, whatever a WMS made of blanks and case. */
export function hasMarker(note: string | null, operationId: string): boolean {
  return (note ?? '').toLowerCase().includes(noteMarker(operationId))
}

/** The markers in a note, without their `#`; those of other desks too. */
export function markersIn(note: string | null): string[] {
  return [...(note ?? '').toLowerCase().matchAll(/#([0-9a-f]{20})/g)].flatMap(([, digits]) => digits ?? [])
}

/** What somebody wrote in a note: without the markers of any desk; null: nothing. */
export function withoutMarker(note: string | null): string | null {
  const written = (note ?? '').replaceAll(/#[0-9a-f]{20}/gi, '').trim()
  return written === '' ? null : written
}
