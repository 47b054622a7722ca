import { z } from 'zod'
import { someSettings } from '#shared/bridge/pc-settings.ts'
import { plainLayout, printerEntry, printerLayout, printRoute } from '#shared/bridge/printer-views.ts'
import { mostScanners, scannerEntry } from '#shared/bridge/scanner-views.ts'
import { commandSecretForm } from '#shared/domain/commands.ts'
import { stationDraft } from '#shared/bridge/views.ts'
import type { AllowedValue, ProvisioningFault, ProvisioningProblem } from '#shared/bridge/setup-views.ts'

/**
 * The command secret in a set-up file. If the file has none, the station keeps its secret; a station without a secret
 * gets a random one.
 */
const secretOfFile = z.string().trim().toUpperCase().regex(commandSecretForm).optional()

/**
 * The content of `scandesk.provision.json` (README, Provisioning). If the file lacks a part, this PC keeps its present
 * values for that part.
 */
export const provisioningFile = z.object({
  ...someSettings.shape,
  /**
   * Stations that are added to those of this PC. If a station with the same base address, WMS and customer exists, only
   * its name, its document hosts and, if the file has one, its command secret change.
   */
  stations: z
    .array(
      stationDraft.extend({
        documentHosts: stationDraft.shape.documentHosts.default(''),
        commandSecret: secretOfFile,
      }),
    )
    .max(50)
    .optional(),
  /**
   * Printers that replace the printers of this PC. The first printer is used for all kinds of paper that have no route.
   */
  printers: z
    .array(printerEntry.extend({ layout: printerLayout.default(plainLayout) }))
    .min(1)
    .max(20)
    .optional(),
  /** Scanners that replace the scanners of this PC. */
  scanners: z.array(scannerEntry).max(mostScanners).optional(),
  /** Routes by the name of a station. They replace the routes of that station. */
  routes: z.record(z.string(), z.array(printRoute)).optional(),
})
export type ProvisioningFileContent = z.infer<typeof provisioningFile>

type Node = z.core.JSONSchema.BaseSchema
type Path = readonly PropertyKey[]
type Params = ProvisioningProblem['params']

const lists = ['stations', 'printers', 'scanners', 'routes'] as const

/**
 * The schema as JSON Schema. Messages about allowed values are created from it, so that they always match the check.
 */
const fileNode: Node = z.toJSONSchema(provisioningFile, { io: 'input', unrepresentable: 'any' })

/**
 * Maximum number of problems in a report. Each problem is sent to the window over the bridge, and an administrator does
 * not correct more problems at once.
 */
const mostProblems = 100

/**
 * Returns the problems of a file, at most `mostProblems`; the file fits its schema if there are none. Unknown field
 * names are problems too, because a misspelt field would otherwise be ignored silently.
 */
export function problemsOf(raw: unknown): ProvisioningProblem[] {
  const parsed = provisioningFile.safeParse(raw)
  const issues = parsed.success ? [] : parsed.error.issues
  return [
    ...issues.slice(0, mostProblems).map((issue) => fromIssue(issue, raw)),
    ...unknownNames(raw, fileNode, [], raw),
  ].slice(0, mostProblems)
}

/** Returns a description of the fault `code` at a path in the file's content. */
export function problemAt(
  raw: unknown,
  path: Path,
  code: ProvisioningFault,
  params: Params = {},
): ProvisioningProblem {
  const part = lists.find((name) => name === path[0]) ?? null
  const below = path.slice(part === null ? 0 : part === 'routes' ? 3 : 2)
  const position = part === 'routes' ? path[2] : path[1]
  return {
    code,
    part,
    number: part !== null && typeof position === 'number' ? position + 1 : null,
    name: part === null ? null : nameOf(raw, part, path),
    field: below.map(String).join('.'),
    params,
    allowed: null,
  }
}

function nameOf(raw: unknown, part: (typeof lists)[number], path: Path): string | null {
  const [, entry] = path
  if (part === 'routes') return entry === undefined ? null : String(entry)
  const value = valueAt(raw, [...path.slice(0, 2), part === 'stations' ? 'name' : 'title'])
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}

function fromIssue({ code, path }: z.core.$ZodIssue, raw: unknown): ProvisioningProblem {
  const last = path.at(-1)
  // a custom error for `settings` comes from a rule about several values: a printer lacks its address, or a scanner
  // lacks its end text
  if (code === 'custom' && last === 'settings')
    return path[0] === 'printers'
      ? problemAt(raw, [...path, 'host'], 'needs_address')
      : problemAt(raw, [...path, 'endText'], 'needs_end_text')
  if (path.length === 0) return problemAt(raw, path, 'not_object')
  const fault = valueAt(raw, path) === undefined ? 'missing' : 'wrong'
  const node = nodeAt(raw, path)
  return { ...problemAt(raw, path, fault), allowed: node === null ? null : allowedBy(node, last) }
}

function unknownNames(value: unknown, node: Node | null, path: Path, raw: unknown): ProvisioningProblem[] {
  if (typeof value !== 'object' || value === null || node === null) return []
  const { properties } = branchOf(node, value)
  return Object.entries(value).flatMap(([key, inner]) => {
    const here = [...path, Array.isArray(value) ? Number(key) : key]
    const known = Object.keys(properties ?? {})
    if (properties && !Object.hasOwn(properties, key))
      return [problemAt(raw, here, 'unknown_name', { known: known.join(', ') })]
    return unknownNames(inner, childOf(branchOf(node, value), here.at(-1) ?? key), here, raw)
  })
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
        ? (inner as Record<PropertyKey, unknown>)[key]
        : undefined,
    value,
  )
}

function nodeAt(raw: unknown, path: Path): Node | null {
  return path.reduce<Node | null>((node, key, depth) => {
    const branch = node && branchOf(node, valueAt(raw, path.slice(0, depth)))
    return branch && childOf(branch, key)
  }, fileNode)
}

/**
 * Returns the alternative of a schema that applies to a value. If the alternatives differ by `kind`, it is the one with
 * the `kind` of the value; otherwise, for an object, it is the first object schema. If none applies, returns the schema
 * with all its alternatives.
 */
function branchOf(node: Node, value: unknown): Node {
  const kinds = optionsOf(node)
  const said = valueAt(value, ['kind'])
  const isObject = (option: Node): boolean => option.type === 'object'
  const branch = node.oneOf
    ? kinds.find((option) => asNode(option.properties?.['kind'])?.const === said)
    : kinds.find((option) => isObject(option) && typeof value === 'object')
  return branch ?? node
}

function childOf(node: Node, key: PropertyKey): Node | null {
  if (typeof key === 'number') return asNode(node.items)
  const name = String(key)
  // the value of `kind` is wrong, so the kinds of all alternatives are listed as allowed
  if (node.oneOf && name === 'kind') return { anyOf: optionsOf(node).map(kindOf) }
  const { properties = {} } = node
  return asNode(Object.hasOwn(properties, name) ? properties[name] : node.additionalProperties)
}

function kindOf(option: Node): Node {
  return asNode(option.properties?.['kind']) ?? {}
}

function asNode(node: Node['items']): Node | null {
  return typeof node === 'object' && !Array.isArray(node) ? node : null
}

function optionsOf({ anyOf, oneOf }: Node): Node[] {
  return [...(anyOf ?? []), ...(oneOf ?? [])].map((option) => asNode(option) ?? {})
}

/**
 * The kind of text that a field must contain, by the name of the field. A text field without an entry has the kind
 * `text`.
 */
const formOfName: Partial<Record<string, AllowedValue['form']>> = {
  device: 'device',
  uri: 'ipp',
  commandSecret: 'command_secret',
  endText: 'latin1',
  prefix: 'latin1',
  suffix: 'latin1',
}

function allowedBy(node: Node, name: PropertyKey | undefined): AllowedValue {
  const plain = { min: 0, max: null, step: null, values: [], orNull: false }
  const options = optionsOf(node)
  const others = options.filter(({ type }) => type !== 'null')
  const [only] = others
  if (only && others.length === 1) return { ...allowedBy(only, name), orNull: others.length < options.length }
  const constants = node.enum ?? others.map((option) => option.const).filter((value) => value !== undefined)
  if (constants.length > 0) return { ...plain, form: 'choice', values: constants.map(String) }
  if (others.length > 0) return { ...plain, form: node.oneOf ? 'object' : 'media' }
  switch (node.type) {
    case 'integer':
      return { ...plain, form: 'whole', min: node.minimum ?? 0, max: node.maximum ?? null }
    case 'number':
      return {
        ...plain,
        form: 'number',
        min: node.minimum ?? 0,
        max: node.maximum ?? null,
        step: node.multipleOf ?? null,
      }
    case 'array':
      return { ...plain, form: 'list', min: node.minItems ?? 0, max: node.maxItems ?? null }
    case 'string': {
      const form = formOfName[String(name)] ?? 'text'
      return { ...plain, form, min: node.minLength ?? 0, max: node.maxLength ?? null }
    }
    case 'boolean':
      return { ...plain, form: 'flag' }
    default:
      return { ...plain, form: name === 'media' ? 'size' : 'object' }
  }
}

/** The place at which a text stops being valid JSON. Lines and columns are counted from 1. */
export interface JsonPlace {
  readonly line: number
  readonly column: number
}

type Expected = 'value' | 'value_or_end' | 'key' | 'key_or_end' | 'colon' | 'comma_or_end' | 'nothing'

const blank = /[ \t\r\n]*/y
/**
 * Matches one token of JSON. The groups of the pattern are a string, any other single value, and a punctuation mark.
 */
const token =
  /("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)|([{}[\],:])/y

/**
 * Returns the first place at which the text is not valid JSON, or null if the text is valid. The messages of
 * `JSON.parse` are not used: only some of them contain a place, and their format depends on the version of the engine.
 */
export function findJsonFault(text: string): JsonPlace | null {
  const open: ('{' | '[')[] = []
  let expected: Expected = 'value'
  let at = 0
  for (;;) {
    at = endOf(blank, text, at) ?? at
    const end = endOf(token, text, at)
    if (end === null) return at === text.length && expected === 'nothing' ? null : placeOf(text, at)
    const next = follow(expected, text.slice(at, Math.min(end, at + 1)), open)
    if (next === null) return placeOf(text, at)
    expected = next
    at = end
  }
}

/**
 * Returns which tokens may follow the token that begins with `first`; null if that token is not allowed here. Updates
 * `open`, the list of objects and arrays that have begun and not ended.
 */
function follow(expected: Expected, first: string, open: ('{' | '[')[]): Expected | null {
  const afterValue = (): Expected => (open.length === 0 ? 'nothing' : 'comma_or_end')
  const isClosing = first === (open.at(-1) === '{' ? '}' : ']')
  switch (expected) {
    case 'nothing':
      return null
    case 'colon':
      return first === ':' ? 'value' : null
    case 'comma_or_end':
      if (first === ',') return open.at(-1) === '{' ? 'key' : 'value'
      break
    case 'key':
    case 'key_or_end':
      if (first === '"') return 'colon'
      break
    case 'value':
    case 'value_or_end':
      if (first === '{' || first === '[') {
        open.push(first)
        return first === '{' ? 'key_or_end' : 'value_or_end'
      }
      if (!'}],:'.includes(first)) return afterValue()
  }
  if (!isClosing || expected === 'key' || expected === 'value') return null
  open.pop()
  return afterValue()
}

function endOf(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : null
}

function placeOf(text: string, at: number): JsonPlace {
  const before = text.slice(0, at)
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n') }
}
