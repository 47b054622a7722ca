import { type AiSpec, type CharacterSet, specAt, specOf, isOf } from './ai-table.ts'
import { type ComponentFault, componentFault } from './value-checks.ts'

export interface Gs1Element {
  readonly ai: string
  readonly value: string
}

/**
 * A problem of a message. `unknown_ai`: the text contains no known identifier where one must begin, and the rest of the
 * message was not read; `separator`: a separator is at a position where no separator is allowed; `link`: the address is
 * not a Digital Link, or an element is not allowed at its position in the address.
 */
export interface Gs1Problem {
  readonly code:
    | ComponentFault
    | 'unknown_ai'
    | 'separator'
    | 'empty'
    | 'length'
    | 'characters'
    | 'repeated'
    | 'excluded'
    | 'required'
    | 'too_many'
    | 'link'
  readonly ai: string | null
}

export interface Gs1Message {
  readonly elements: readonly Gs1Element[]
  readonly problems: readonly Gs1Problem[]
}

/**
 * Maximum number of elements of a message: more than any symbol contains. One further element is read to detect the
 * excess.
 */
export const mostElements = 64

/** The separator FNC1, as scanners send it between elements. */
export const separator = '\u001D'

const sets: Readonly<Record<CharacterSet, RegExp>> = {
  N: /^\d*$/,
  X: /^[!"%&'()*+,\-./0-9:;<=>?A-Z_a-z]*$/,
  Y: /^[#\-/0-9A-Z]*$/,
  Z: /^[\w-]*={0,2}$/,
}

/**
 * Reads the elements of a string with identifiers (GS1 General Specifications, 7.8), without the FNC1 at its beginning.
 * Reads as far as possible: a faulty value is returned unchanged together with its problem. Never throws; its time is
 * linear in the text's length.
 */
export function readElements(text: string, currentYear: number): Gs1Message {
  const elements: Gs1Element[] = []
  const problems: Gs1Problem[] = []
  if (text === '') return { elements, problems: [{ code: 'empty', ai: null }] }
  let at = 0
  while (at < text.length && elements.length <= mostElements) {
    const spec = specAt(text, at)
    if (!spec) {
      problems.push({ code: 'unknown_ai', ai: null })
      break
    }
    const from = at + spec.ai.length
    const found = text.indexOf(separator, from)
    const end = found < 0 ? text.length : found
    const length = lengthOf(spec, end - from)
    // a value that needs a separator ends at the separator even if the value exceeds its maximum length
    const until = spec.needsSeparator ? end : from + length
    const value = text.slice(from, until)
    elements.push({ ai: spec.ai, value })
    problems.push(...faultsOf(spec, value, currentYear))
    at = text[until] === separator ? until + 1 : until
  }
  return { elements, problems }
}

/** An identifier in brackets. With a backslash before the bracket it is a part of a value. */
const bracketed = /(\\?)\((\d{2,4})\)/g

/**
 * Reads the elements of the human-readable form, such as `(01)08712345678906(10)LOT`. This form is printed below
 * barcodes, typed from there, and sometimes printed as a barcode by mistake. Blanks around a value are dropped. A
 * bracket that would begin an identifier within a value is written `\(`, as in the syntax of GS1. Returns null if the
 * text does not begin with an identifier in brackets. Never throws; its time is linear in the text's length.
 */
export function readBracketed(text: string, currentYear: number): Gs1Message | null {
  const trimmed = text.trim()
  if (!trimmed.startsWith('(')) return null
  const marks = [...trimmed.matchAll(bracketed)].flatMap(({ 0: whole, 1: escape, 2: ai = '', index }) => {
    const spec = escape === '' ? specOf(ai) : null
    return spec ? [{ spec, from: index, to: index + whole.length }] : []
  })
  if (marks[0]?.from !== 0) return null
  const found = marks.slice(0, mostElements + 1).map(({ spec, to }, at) => {
    const value = trimmed
      .slice(to, marks[at + 1]?.from)
      .trim()
      .replaceAll('\\(', '(')
    return { element: { ai: spec.ai, value }, problems: faultsOf(spec, value, currentYear) }
  })
  return {
    elements: found.map(({ element }) => element),
    problems: found.flatMap(({ problems }) => problems),
  }
}

/** Returns how many of the available characters belong to the value of this identifier. */
function lengthOf({ components }: AiSpec, available: number): number {
  return Math.min(
    available,
    components.reduce((sum, { most }) => sum + most, 0),
  )
}

/**
 * Returns a list with the first fault of the value of one identifier; the list is empty if the value has no fault.
 * Checks component by component.
 */
export function faultsOf({ ai, components }: AiSpec, value: string, currentYear: number): Gs1Problem[] {
  if (value === '') return [{ code: 'empty', ai }]
  let at = 0
  for (const { set, least, most, isOptional, checks } of components) {
    const part = value.slice(at, at + most)
    at += part.length
    if (part === '' && isOptional) continue
    if (!sets[set].test(part)) return [{ code: 'characters', ai }]
    if (part.length < least) return [{ code: 'length', ai }]
    for (const check of checks) {
      const code = componentFault(check, part, currentYear)
      if (code) return [{ code, ai }]
    }
  }
  return at < value.length ? [{ code: 'length', ai }] : []
}

/**
 * Keys whose serial part is optional, and their length without the serial part. A digital signature (8030) covers such
 * a key only if the serial part is present.
 */
const serialised: Readonly<Record<string, number>> = { '253': 13, '255': 13, '8003': 14 }

/**
 * Returns the problems of identifiers that must or must not occur together in one message (GS1 General Specifications,
 * 4.13).
 */
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
