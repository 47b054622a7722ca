const markerLength = 20

/**
 * The text by which a modification made here is known again at the service: `#` and twenty hex digits of its id here.
 * The service has no key of its own against doubles, but it gives the note back.
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
