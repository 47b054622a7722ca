/**
 * Numbers in the data of an in-memory desk that do not come from the service, each with the reason why it needs no age.
 * Every other number counts as a number of the service. A new number that is shown without an age fails
 * test/integration/ages.test.ts until it is marked or listed here.
 */
const ours: readonly { readonly path: RegExp; readonly why: string }[] = [
  { path: /^(printerSetup|printerTest|test)\b/, why: 'the printers of this computer, a test of just now' },
  {
    path: /^(prints|previews)\b/,
    why: 'paper of this computer’s printers, its sizes in dots and millimetres',
  },
  { path: /^storage\./, why: 'the disk of this computer' },
  { path: /^(draft|labelDraft|modifications)\b/, why: 'entered at this desk' },
  { path: /^locationImport\./, why: 'counted in the file that was just dropped' },
  { path: /\.told$/, why: 'counts messages' },
  { path: /^failures\b|\.failure\./, why: 'part of an error code for support' },
  { path: /\.progress\.|\.rowsRead$/, why: 'a read under way, counted as it goes' },
  {
    path: /^kept\.(pageRows|lots\.everyHours|shipments\.(months|mostDays))$/,
    why: 'how the desk reads, not what it read',
  },
  {
    path: /^status\.(unsent|notices|morePrints)\b|^queue\.more(Lines|Notices)$/,
    why: 'counted at this desk',
  },
  { path: /^status\.(\w+Writes\.\d+|twice)\.brief\./, why: 'entered at this desk' },
  {
    path: /^status\.decided\./,
    why: 'bookings that were entered, and notices that were counted, at this desk',
  },
  { path: /^queue\.\w+\.\d+\.(brief\.|attempts$)/, why: 'entered at this desk' },
  { path: /\.records\.\d+\.brief\./, why: 'a booking never changes; the moment it was made stands with it' },
]

/**
 * Adds `by` to every number in the data of an in-memory desk, except the numbers in `ours`, which do not come from the
 * service. Changes the data in place.
 */
export function shiftNumbers(value: unknown, by: number, path = ''): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, part] of Object.entries(value)) {
    const at = path === '' ? key : `${path}.${key}`
    if (typeof part === 'number') {
      if (!ours.some((one) => one.path.test(at))) Reflect.set(value, key, part + by)
    } else shiftNumbers(part, by, at)
  }
}
