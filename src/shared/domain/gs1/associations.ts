import { isOf, specOf } from './ai-spec.ts'
import { type Gs1Element, type Gs1Problem, mostElements } from './elements.ts'

/** Keys that a signature (8030) signs with their serial part only, and their length without one. */
const serialised: Readonly<Record<string, number>> = { '253': 13, '255': 13, '8003': 14 }

/** What must stand together and must not, within one message (GS1 General Specifications, 4.13). */
export function associationProblems(elements: readonly Gs1Element[]): Gs1Problem[] {
  const problems: Gs1Problem[] = []
  if (elements.length > mostElements) problems.push({ code: 'too_many', ai: null })
  const values = new Map<string, string>()
  for (const { ai, value } of elements) {
    if (values.has(ai) && values.get(ai) !== value) problems.push({ code: 'repeated', ai })
    values.set(ai, value)
  }
  const present = [...values.keys()]
  const isThere = (pattern: string): boolean => present.some((ai) => isOf(ai, pattern))
  for (const ai of present) {
    const spec = specOf(ai)
    if (!spec) continue
    const meets = spec.excluded.some((pattern) => present.some((one) => one !== ai && isOf(one, pattern)))
    if (meets) problems.push({ code: 'excluded', ai })
    const hasAll = spec.required.every((groups) => groups.some((group) => group.every(isThere)))
    if (!hasAll) problems.push({ code: 'required', ai })
  }
  if (values.has('8030'))
    for (const [ai, length] of Object.entries(serialised))
      if (values.get(ai)?.length === length) problems.push({ code: 'required', ai })
  return problems
}
