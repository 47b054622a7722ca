import { specOf } from '#shared/domain/gs1/ai-table.ts'
import type { Gs1Element } from '#shared/domain/gs1/elements.ts'

const home = 'https://id.gs1.org'

/**
 * Returns the GS1 Digital Link of the data at GS1's own resolver: the key, its qualifiers in order, then the
 * attributes, those with a fixed length first. Null if there is no key, or if an element is not allowed in a link.
 */
export function digitalLinkOf(elements: readonly Gs1Element[]): string | null {
  const distinct = elements.filter(({ ai }, at) => elements.findIndex((one) => one.ai === ai) === at)
  const key = distinct.find(({ ai }) => specOf(ai)?.qualifiers)
  if (!key) return null
  const way = wayOf(specOf(key.ai)?.qualifiers ?? [], distinct)
  const path = [key, ...way.flatMap((ai) => distinct.filter((one) => one.ai === ai))]
  const others = distinct.filter((one) => !path.includes(one))
  if (!others.every(({ ai }) => specOf(ai)?.mayBeAttribute)) return null
  const attributes = [
    ...others.filter(({ ai }) => !specOf(ai)?.needsSeparator),
    ...others.filter(({ ai }) => specOf(ai)?.needsSeparator),
  ].map(({ ai, value }) => `${ai}=${encode(value)}`)
  const link = path.map(({ ai, value }) => `/${ai}/${encode(value)}`).join('')
  return `${home}${link}${attributes.length > 0 ? `?${attributes.join('&')}` : ''}`
}

/**
 * Finds the first element that is a qualifier, and returns the first sequence of `ways` that contains it. Empty: no
 * element is a qualifier. `ways`: the sequences of qualifiers (application identifiers) that the standard allows after
 * the key.
 */
function wayOf(ways: readonly (readonly string[])[], elements: readonly Gs1Element[]): readonly string[] {
  const first = elements.find(({ ai }) => ways.some((way) => way.includes(ai)))
  return ways.find((way) => first && way.includes(first.ai)) ?? []
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
