import { aiTable } from './ai-table.ts'

/** Digits, the 82 characters of GS1, its 39 of part numbers, or base64url with padding. */
export type CharacterSet = 'N' | 'X' | 'Y' | 'Z'

export interface AiComponent {
  readonly set: CharacterSet
  readonly least: number
  readonly most: number
  readonly isOptional: boolean
  /** What its content is checked for, by the names that the table has. */
  readonly checks: readonly string[]
}

/** Identifiers that must stand together; an `n` is any digit. */
type Group = readonly string[]

export interface AiSpec {
  readonly ai: string
  readonly needsSeparator: boolean
  readonly mayBeAttribute: boolean
  readonly components: readonly AiComponent[]
  /** Of each of these one group has to be there. */
  readonly required: readonly (readonly Group[])[]
  readonly excluded: readonly string[]
  /** Null: no key of a Digital Link. Else the qualifiers that may follow it, in their order, in one of these ways. */
  readonly qualifiers: readonly (readonly string[])[] | null
}

const specs: ReadonlyMap<string, AiSpec> = new Map(
  aiTable
    .trim()
    .split('\n')
    .flatMap((row) => specsOf(row))
    .map((spec) => [spec.ai, spec]),
)

/** Null where GS1 has no such identifier (General Specifications, 3.2). */
export function specOf(ai: string): AiSpec | null {
  return specs.get(ai) ?? null
}

/** The identifier that a text begins with: no identifier is the beginning of another one. */
export function specAt(text: string, at: number): AiSpec | null {
  for (const length of [2, 3, 4]) {
    const spec = specs.get(text.slice(at, at + length))
    if (spec) return spec
  }
  return null
}

/** Whether an identifier is of a pattern such as `31nn`. */
export function isOf(ai: string, pattern: string): boolean {
  return (
    ai.length === pattern.length && Array.from(pattern).every((sign, at) => sign === 'n' || sign === ai[at])
  )
}

function specsOf(row: string): AiSpec[] {
  const [range = '', flags = '', ...words] = row.split(' ')
  const valuesOf = (name: string): string[] =>
    words.filter((word) => word.startsWith(`${name}=`)).map((word) => word.slice(name.length + 1))
  const key = words.find((word) => word.startsWith('dlpkey'))
  const spec = {
    needsSeparator: !flags.includes('*'),
    mayBeAttribute: flags.includes('?'),
    components: words.filter((word) => /^\[?[NXYZ]/.test(word)).map(componentOf),
    required: valuesOf('req').map((groups) => groups.split(',').map((group) => group.split('+'))),
    excluded: valuesOf('ex').flatMap((patterns) => patterns.split(',')),
    qualifiers:
      key === undefined
        ? null
        : (valuesOf('dlpkey')[0]
            ?.split('|')
            .map((way) => way.split(',')) ?? []),
  }
  return identifiersOf(range).map((ai) => ({ ai, ...spec }))
}

function identifiersOf(range: string): string[] {
  const [first = '', last = first] = range.split('-')
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, at) =>
    String(Number(first) + at).padStart(first.length, '0'),
  )
}

function componentOf(word: string): AiComponent {
  const [type = '', ...checks] = word.replaceAll(/[[\]]/g, '').split(',')
  const most = Number(type.replace(/^[NXYZ](\.\.)?/, ''))
  return {
    set: setOf(type),
    least: type.includes('..') ? 1 : most,
    most,
    isOptional: word.startsWith('['),
    checks,
  }
}

function setOf(type: string): CharacterSet {
  const set = type[0]
  return set === 'X' || set === 'Y' || set === 'Z' ? set : 'N'
}
