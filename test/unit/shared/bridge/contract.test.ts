import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { contract, longestArguments } from '#shared/bridge/contract.ts'
import { otherText } from '#shared/wire/limits.ts'

type Node = z.core.JSONSchema.BaseSchema

/**
 * The paths of a schema at which a list or a record has no limit, or a text has no limit or a higher limit than main
 * accepts.
 */
function boundless(node: Node | boolean | undefined, path: string): string[] {
  if (typeof node !== 'object') return []
  const inner = [
    ...Object.entries(node.properties ?? {}).flatMap(([name, child]) => boundless(child, `${path}.${name}`)),
    ...[node.anyOf, node.oneOf, node.allOf].flatMap((all) =>
      (all ?? []).flatMap((one) => boundless(one, path)),
    ),
    ...(Array.isArray(node.items) ? [] : boundless(node.items, `${path}[]`)),
    ...boundless(node.additionalProperties, `${path}{}`),
    ...boundless(node.propertyNames, `${path}{name}`),
  ]
  const name = path.slice(path.lastIndexOf('.') + 1).replaceAll(/[[\]{}]/g, '')
  const most = (longestArguments as Readonly<Record<string, number>>)[name] ?? otherText
  const isChoice = node.enum !== undefined || node.const !== undefined
  const isText = [node.type].flat().includes('string')
  const isLong = isText && !isChoice && (node.maxLength ?? Infinity) > most
  const isWide = node.type === 'array' && node.maxItems === undefined
  const names = typeof node.propertyNames === 'object' ? node.propertyNames.enum : undefined
  const isOpen =
    typeof node.additionalProperties === 'object' && names === undefined && node.maxProperties === undefined
  return isLong || isWide || isOpen ? [...inner, path] : inner
}

const methods = Object.entries(contract).flatMap(([domain, all]) =>
  Object.entries(all).map(([name, { args }]) => ({ name: `${domain}.${name}`, args: args as z.ZodType })),
)

describe('the arguments of a bridge method', () => {
  it.each(methods)('have a limit for every text, list and record: $name', ({ name, args }) => {
    const node = z.toJSONSchema(args, { io: 'input', unrepresentable: 'any' })
    expect(boundless(node, name)).toEqual([])
  })
})
