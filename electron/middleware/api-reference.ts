import { z } from 'zod'
import { type ExportFamily, canMoveExport, exportStatuses } from '#shared/domain/exports.ts'
import { canMoveModification, modificationStatuses } from '#shared/domain/modification.ts'
import {
  canMoveInbound,
  canMoveOrder,
  canMoveReturnLabel,
  canMoveTransfer,
  inboundStatuses,
  orderStatuses,
  returnLabelStates,
  transferStatuses,
} from '#shared/domain/resource-states.ts'
import { webhookTopics } from '#shared/domain/webhook-topics.ts'
import type { Route } from '#shared/wire/routes.ts'
import { servedRoutes } from '#shared/wire/warehouse-routes.ts'
import { exportSources } from './data/exports/export-sources.ts'

// Generates the tables of API.md that follow from the code: calls, fields, transitions of states, columns of exports,
// topics of webhooks. Each table is between two comments. The first comment defines the content of the table:
//
//   <!-- generated: calls /wms/orders/ -->             every call whose path begins with this path
//   <!-- generated: fields GET /wms/orders/:id/ … -->  the response of the first call, the bodies of the others
//   <!-- generated: record ShipmentLine -->            a named schema of the OpenAPI document
//   <!-- generated: moves order -->
//   <!-- generated: columns -->
//   <!-- generated: topics -->
//   <!-- /generated -->
//
// This file has over 400 lines, because all its functions generate tables of one document.

/** The part of JSON Schema that the OpenAPI document uses. */
interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly not?: object
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

const schema = z.custom<Schema>((value) => typeof value === 'object' && value !== null)
const content = z.record(z.string(), z.object({ schema }))
const operation = z.object({
  deprecated: z.boolean().optional(),
  parameters: z
    .array(z.object({ in: z.string(), name: z.string(), schema, description: z.string().optional() }))
    .default([]),
  requestBody: z.object({ content }).optional(),
  responses: z.record(z.string(), z.object({ content: content.optional() })),
})
const openApi = z.object({
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.object({ schemas: z.record(z.string(), schema) }),
})

interface Call {
  readonly method: string
  /** The path of the call with `:id`, as in the route table. */
  readonly path: string
  readonly operation: z.output<typeof operation>
  readonly route: Route<string>
}

/** The calls of the API and the named schemas, from which the tables of API.md are generated. */
interface Source {
  readonly calls: readonly Call[]
  /** The named schemas of the OpenAPI document, by their names. */
  readonly named: Readonly<Record<string, Schema>>
}

type Rows = readonly (readonly string[])[]

/** The statuses of failures that every call can have, and of those that every call with a body can have. */
const commonFailures = new Set(['400', '401', '403', '413', '415', '429'])
/** Parameters that nearly every list has. */
const listParameters = ['from', 'to', 'limit', 'page', 'direction']
/**
 * Maximum number of optional fields of a body that the table of calls names. For a longer body it shows only their
 * number.
 */
const mostOptional = 8

/** Returns the text of API.md with its tables generated from the server. `document`: the OpenAPI document. */
export function withGeneratedTables(text: string, document: string): string {
  const source = readSource(document)
  return text.replaceAll(
    /(<!-- generated: ([^\n]+) -->\n)[\s\S]*?(<!-- \/generated -->)/g,
    (_, start: string, what: string, end: string) => `${start}\n${tableOf(source, what)}\n${end}`,
  )
}

function readSource(document: string): Source {
  const { paths, components } = openApi.parse(JSON.parse(document))
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([lower, each]) => {
      const [method, own] = [lower.toUpperCase(), path.replaceAll(/\{(\w+)\}/g, ':$1')]
      return { method, path: own, operation: each, route: routeOf(method, own) }
    }),
  )
  return { calls, named: components.schemas }
}

function routeOf(method: string, path: string): Route<string> {
  const all: readonly Route<string>[] = Object.values(servedRoutes)
  const found = all.find((route) => route.method === method && [route.path, route.otherPath].includes(path))
  if (!found) throw new Error(`${method} ${path} is not in the route table`)
  return found
}

function tableOf(source: Source, what: string): string {
  const [kind = '', ...words] = what.split(' ')
  switch (kind) {
    case 'calls':
      return callTable(source, words)
    case 'fields':
      return fieldTable(source, words)
    case 'record':
      return recordTable(source, words[0] ?? '')
    case 'moves':
      return moveTable(words[0] ?? '')
    case 'columns':
      return columnTable()
    case 'topics':
      return table(
        ['Group', 'Actions'],
        Object.entries(webhookTopics).map(([group, actions]) => [code(group), codes(actions)]),
      )
    default:
      throw new Error(`API.md: unknown entry "${what}"`)
  }
}

function callTable({ calls }: Source, starts: readonly string[]): string {
  const shown = calls.filter(({ path }) => starts.some((start) => path.startsWith(start)))
  if (shown.length === 0) throw new Error(`API.md: no path begins with ${starts.join(' or ')}`)
  return table(
    ['Call', 'Role', 'Filters, order, Expand', 'Body', 'Success', 'Other failures'],
    shown.map(({ method, path, operation: each, route }) => [
      code(`${method} ${path}`) + (each.deprecated ? ' (deprecated)' : ''),
      route.role === null ? 'none' : code(route.role),
      parametersOf(each),
      Object.values(each.requestBody?.content ?? {})
        .map((body) => bodyOf(body.schema))
        .join(''),
      String(route.status),
      Object.keys(each.responses)
        .filter((status) => Number(status) >= 400 && !commonFailures.has(status))
        .join(', '),
    ]),
  )
}

function parametersOf({ parameters }: Call['operation']): string {
  const query = parameters.filter((parameter) => parameter.in === 'query')
  const isList = listParameters.every((name) => query.some((parameter) => parameter.name === name))
  const filters = query.filter(({ name }) => name !== 'sort' && !(isList && listParameters.includes(name)))
  const sorts = query.find(({ name }) => name === 'sort')?.schema.enum ?? []
  const expand = parameters.find(({ name }) => name === 'Expand')?.description?.replace(/^.*: /, '') ?? ''
  const header = parameters.some(({ name }) => name === 'Idempotency-Key') ? ['key'] : []
  return [
    ...(isList ? ['list'] : []),
    ...(filters.length > 0 ? [codes(filters.map(({ name }) => name))] : []),
    ...(sorts.length > 0 ? [`sort ${codes(sorts)}`] : []),
    ...(expand === '' ? [] : [`Expand ${codes(expand.split(', '))}`]),
    ...header,
  ].join('; ')
}

function bodyOf(body: Schema): string {
  return alternatives(body)
    .map((each) => {
      const needed = new Set(each.required ?? [])
      const fields = sentFields(each)
      const optional = fields.filter((name) => !needed.has(name))
      const shown = optional.length > mostOptional ? [] : optional
      return [
        ...fields.filter((name) => needed.has(name)).map((name) => `**${code(name)}**`),
        ...shown.map(code),
        ...(optional.length > shown.length ? [`${optional.length} optional`] : []),
      ].join(', ')
    })
    .join(' or ')
}

/** Returns the names of the properties that a client may send. */
function sentFields({ properties = {} }: Schema): string[] {
  return Object.entries(properties).flatMap(([name, each]) => (each.not ? [] : [name]))
}

function alternatives(body: Schema): readonly Schema[] {
  return body.anyOf?.flatMap(alternatives) ?? [body]
}

interface Field {
  readonly type: string
  readonly isNeeded: boolean
}
type Fields = ReadonlyMap<string, Field>

function fieldTable(source: Source, words: readonly string[]): string {
  const calls = Array.from({ length: words.length / 2 }, (_, at) => {
    const [method, path] = words.slice(2 * at)
    const found = source.calls.find((call) => call.method === method && call.path === path)
    if (!found) throw new Error(`API.md: ${String(method)} ${String(path)} is not served`)
    return found
  })
  const [first, ...others] = calls
  if (!first) throw new Error('API.md: a table of fields must name its call')
  const answered = fieldsOf(source, recordOf(source, answerOf(first)))
  const sent = others.map((call) => ({
    name: call.method,
    fields: merged(alternatives(sentBodyOf(call)).map((each, at) => bodyFields(source, each, at === 0))),
  }))
  const names = namesOf([answered, ...sent.map(({ fields }) => fields)])
  const shown = names.filter((name) => !isPartOfNamed(name, answered))
  return table(
    ['Field', 'Type', 'Response', ...sent.map(({ name }) => name)],
    shown.map((name) => [
      code(name),
      (answered.get(name) ?? sent.map(({ fields }) => fields.get(name)).find((each) => each))?.type ?? '',
      presence(answered.get(name), 'always', 'sometimes'),
      ...sent.map(({ fields }) => presence(fields.get(name), 'required', 'optional')),
    ]),
  )
}

function recordTable(source: Source, name: string): string {
  const record = source.named[name]
  if (!record) throw new Error(`API.md: no schema is named ${name}`)
  return table(
    ['Field', 'Type', 'Response'],
    [...fieldsOf(source, record)].map(([field, { type, isNeeded }]) => [
      code(field),
      type,
      isNeeded ? 'always' : 'sometimes',
    ]),
  )
}

/**
 * Returns the names of all fields, each once. A field that occurs only in requests is placed after the other fields of
 * its record.
 */
function namesOf(all: readonly Fields[]): string[] {
  const names: string[] = []
  for (const name of all.flatMap((fields) => [...fields.keys()])) {
    if (names.includes(name)) continue
    const record = name.slice(0, name.lastIndexOf('.') + 1)
    const last = names.findLastIndex((other) => record !== '' && other.startsWith(record))
    names.splice(last === -1 ? names.length : last + 1, 0, name)
  }
  return names
}

function presence(field: Field | undefined, always: string, else_: string): string {
  if (!field) return ''
  return field.isNeeded ? always : else_
}

/**
 * Whether a field of a request belongs to a named record of the response. Such a field is left out of the table,
 * because the fields of a named record have a separate table.
 */
function isPartOfNamed(name: string, answered: Fields): boolean {
  if (answered.has(name)) return false
  const steps = name.split('.')
  return steps.some((_, at) =>
    /\b[A-Z][a-z]/.test(answered.get(steps.slice(0, at).join('.').replace(/\[\]$/, ''))?.type ?? ''),
  )
}

/**
 * Returns the fields of one form of a request body. The fields of nested records are included only for the first form
 * (`isFirst`), because the caller merges the fields of all forms of the body.
 */
function bodyFields(source: Source, body: Schema, isFirst: boolean): Fields {
  const fields = [...fieldsOf(source, body)]
  return new Map(isFirst ? fields : fields.filter(([name]) => !name.includes('.')))
}

function merged(all: readonly Fields[]): Fields {
  const fields = new Map<string, Field>()
  for (const each of all)
    for (const [name, field] of each)
      fields.set(name, {
        ...field,
        isNeeded: field.isNeeded && all.every((other) => other.get(name)?.isNeeded),
      })
  return fields
}

function answerOf({ operation: { responses }, route }: Call): Schema {
  return Object.values(responses[String(route.status)]?.content ?? {})[0]?.schema ?? {}
}

function sentBodyOf({ operation: { requestBody } }: Call): Schema {
  return Object.values(requestBody?.content ?? {})[0]?.schema ?? {}
}

/**
 * Returns the schema of the record in a response. In a list, also in a list inside an object (`results`), this is the
 * schema of one item.
 */
function recordOf(source: Source, answer: Schema): Schema {
  if (answer.$ref !== undefined) return source.named[nameOf(answer.$ref)] ?? {}
  if (answer.items) return recordOf(source, answer.items)
  if (answer.properties?.['results']) return recordOf(source, answer.properties['results'])
  return answer
}

function fieldsOf(source: Source, record: Schema, before = ''): Map<string, Field> {
  const fields = new Map<string, Field>()
  const needed = new Set(record.required ?? [])
  for (const [name, each] of Object.entries(record.properties ?? {})) {
    if (each.not) continue
    const type = typeOf(source, each)
    fields.set(before + name, { type, isNeeded: needed.has(name) })
    // adds the fields of nested records without a name, and of lists of such records; named records have separate
    // tables
    if (!/^(list of )?objects?/.test(type)) continue
    for (const one of alternatives(each)) {
      const inner = one.items
        ? fieldsOf(source, one.items, `${before}${name}[].`)
        : fieldsOf(source, one, `${before}${name}.`)
      for (const field of inner) fields.set(...field)
    }
  }
  return fields
}

function typeOf(source: Source, each: Schema): string {
  const kinds = kindsOf(source, each)
  const known = [...new Set(kinds)].filter((kind) => kind !== 'null')
  return known.join(' or ') + (kinds.includes('null') ? ' or null' : '')
}

function kindsOf(source: Source, each: Schema): string[] {
  if (each.$ref !== undefined) return [nameOf(each.$ref)]
  if (each.anyOf) return each.anyOf.flatMap((one) => kindsOf(source, one))
  return [each.type ?? []].flat().flatMap((type) => kindOf(source, type, each))
}

function kindOf(source: Source, type: string, each: Schema): string[] {
  switch (type) {
    case 'string':
      return textKind(each)
    case 'integer':
      return ['whole number']
    case 'boolean':
      return ['true or false']
    case 'array':
      // leaves out the alternative `empty array` of a field with an object: PHP sends an empty array in place of an
      // empty object
      return each.items?.not
        ? []
        : [`list of ${typeOf(source, each.items ?? {}).replace(/^object/, 'objects')}`]
    case 'object':
      return [objectKind(source, each)]
    default:
      return [type]
  }
}

const formats: Readonly<Record<string, string>> = {
  uuid: 'id',
  'date-time': 'moment',
  date: 'day',
  email: 'e-mail',
  uri: 'URL',
}

function textKind({ enum: words, format = '' }: Schema): string[] {
  if (words?.join('') === '') return []
  if (words) return words.length > 4 ? ['word'] : words.map(code)
  return [formats[format] ?? 'text']
}

function objectKind(source: Source, { properties }: Schema): string {
  if (!properties) return 'pairs'
  const names = Object.keys(properties)
  if (names.join() === 'id') return code('{id}')
  const address = Object.keys(source.named['SenderAddress']?.properties ?? {})
  return address.every((name) => names.includes(name)) ? 'Address' : 'object'
}

function nameOf(ref: string): string {
  const name = ref.split('/').at(-1) ?? ''
  return name === 'SenderAddress' ? 'Address' : name
}

/** Returns the table of a resource's transitions. A final state has no next states. */
function moveTable(resource: string): string {
  const all = moves[resource]
  if (!all) throw new Error(`API.md: ${resource} has no known states`)
  return table(['From', 'To'], all)
}

function movesOf<State extends string>(
  states: readonly State[],
  canMove: (from: State, to: State) => boolean,
): Rows {
  return states.map((from) => {
    const next = states.filter((to) => canMove(from, to))
    return [code(from), next.length > 0 ? codes(next) : 'none']
  })
}

const moves: Readonly<Record<string, Rows>> = {
  order: movesOf(orderStatuses, canMoveOrder),
  inbound: movesOf(inboundStatuses, canMoveInbound),
  transfer: movesOf(transferStatuses, canMoveTransfer),
  modification: movesOf(modificationStatuses, canMoveModification),
  'return-label': movesOf(returnLabelStates, canMoveReturnLabel),
  export: movesOf(exportStatuses, canMoveExport),
}

function columnTable(): string {
  const families = Object.keys(exportSources) as ExportFamily[]
  const rows = families.flatMap((family) =>
    Object.entries(exportSources[family]).map(([type, { columns }]) => [family, type, columns.join(', ')]),
  )
  return table(['Subject', 'Type', 'Columns'], rows)
}

function code(text: string): string {
  return `\`${text}\``
}

function codes(texts: readonly string[]): string {
  return texts.map(code).join(', ')
}

/** Returns a Markdown table in the layout of prettier, with a line break at its end. */
function table(head: readonly string[], rows: Rows): string {
  const widths = head.map((title, at) =>
    Math.max(3, ...[title, ...rows.map((row) => row[at] ?? '')].map(({ length }) => length)),
  )
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`
  const rule = widths.map((width) => '-'.repeat(width))
  return `${[line(head), line(rule), ...rows.map(line)].join('\n')}\n`
}
