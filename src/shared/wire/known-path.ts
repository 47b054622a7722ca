import { z } from 'zod'

/** Maximum number of steps of a path: the deepest valid value has fewer steps. */
const mostSteps = 8

const namesBySchema = new WeakMap<z.ZodType, ReadonlySet<string>>()

/**
 * Returns the path of a value as text for a log, such as `lines.3.count`; empty for the whole value. The path contains
 * indexes, and names of fields that occur anywhere in the schema. Any other name becomes `?`, because the sender chose
 * that name and it may contain anything.
 */
export function knownPath(schema: z.ZodType, path: readonly PropertyKey[]): string {
  const names = namesOf(schema)
  const isKnown = (step: PropertyKey): boolean =>
    typeof step === 'number'
      ? Number.isInteger(step) && step >= 0
      : typeof step === 'string' && names.has(step)
  return path
    .slice(0, mostSteps)
    .map((step) => (isKnown(step) ? String(step) : '?'))
    .join('.')
}

function namesOf(schema: z.ZodType): ReadonlySet<string> {
  const known = namesBySchema.get(schema)
  if (known) return known
  const names = new Set<string>()
  collect(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), names)
  namesBySchema.set(schema, names)
  return names
}

/** Collects the names of all objects in a JSON Schema. */
function collect(node: unknown, names: Set<string>): void {
  if (typeof node !== 'object' || node === null) return
  for (const [key, value] of Object.entries(node)) {
    if (key === 'properties') for (const name of Object.keys(value as object)) names.add(name)
    // a constant or default of a schema is a value, so the names in it are not names of fields of the schema
    if (key !== 'const' && key !== 'enum' && key !== 'default') collect(value, names)
  }
}
