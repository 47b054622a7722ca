import { type AiSpec, specOf } from './ai-table.ts'
import { faultsOf, type Gs1Element, type Gs1Message, type Gs1Problem } from './elements.ts'

/** Matches a web address. Its groups are the domain, and everything after it: path, query and fragment. */
const address = /^(?:https?|HTTPS?):\/\/([^/?#]*)((?:[/?#].*)?)$/
const behindDomain = /^([^?#]*)(?:\?([^#]*))?/
const domainCharacters = /^([A-Za-z0-9\-.:]+|\[[0-9A-Fa-f:.]+\](:\d+)?)$/
const uriCharacters = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]*$/
const noLink: Gs1Message = { elements: [], problems: [{ code: 'link', ai: null }] }

export function looksLikeAddress(text: string): boolean {
  return /^(https?|HTTPS?):\/\//.test(text)
}

/**
 * Reads and decodes the elements of a GS1 Digital Link (Digital Link Standard: URI syntax 1.4): first the elements of
 * its path, then those of its query. The domain carries no information. Names in place of identifiers, and GTINs
 * without their leading zeros, are not accepted.
 */
export function readDigitalLink(text: string, currentYear: number): Gs1Message {
  const [, domain = '', behind = ''] = address.exec(text) ?? []
  const [, path = '', query = ''] = behindDomain.exec(behind) ?? []
  if (!uriCharacters.test(text) || !domainCharacters.test(domain)) return noLink
  const inPath = readPath(path)
  if (!inPath) return noLink
  const inQuery = readQuery(query, inPath)
  const elements = [...inPath.elements, ...inQuery.elements]
  const faults = elements.flatMap(({ ai, value }) => {
    const spec = specOf(ai)
    return spec ? faultsOf(spec, value, currentYear) : []
  })
  return { elements, problems: [...inPath.problems, ...inQuery.problems, ...faults] }
}

interface LinkPath extends Gs1Message {
  readonly key: AiSpec
}

/**
 * Reads the pairs of an identifier and its value, beginning at the last key of the path. Returns null if the path has
 * no key.
 */
function readPath(path: string): LinkPath | null {
  const parts = path.split('/').slice(1)
  for (let at = parts.length - 2; at >= 0; at -= 2) {
    const key = specOf(parts[at] ?? '')
    if (!key?.qualifiers) continue
    const elements: Gs1Element[] = []
    for (let i = at; i < parts.length; i += 2)
      elements.push({ ai: parts[i] ?? '', value: decode(parts[i + 1] ?? '') })
    const followed = elements.slice(1).map(({ ai }) => ai)
    const problems: Gs1Problem[] = isWay(key, followed) ? [] : [{ code: 'link', ai: key.ai }]
    return { key, elements, problems }
  }
  return null
}

/**
 * Whether these qualifiers may follow the key: they must be in the order of one of the key's lists, and some may be
 * missing.
 */
function isWay({ qualifiers }: AiSpec, followed: readonly string[]): boolean {
  return (
    followed.length === 0 ||
    (qualifiers ?? []).some((way) => {
      const places = followed.map((ai) => way.indexOf(ai))
      return places.every((place, i) => place > (places[i - 1] ?? -1))
    })
  )
}

function readQuery(query: string, { key, elements: inPath }: LinkPath): Gs1Message {
  const elements: Gs1Element[] = []
  const problems: Gs1Problem[] = []
  const seen = new Set(inPath.map(({ ai }) => ai))
  const followed = inPath.slice(1).map(({ ai }) => ai)
  for (const pair of query.split('&')) {
    const [, ai, value] = /^(\d+)=(.*)$/.exec(pair) ?? []
    // a parameter with another name is not a GS1 element, so it is skipped
    if (ai === undefined || value === undefined) continue
    const spec = specOf(ai)
    const mayFollow = (key.qualifiers ?? []).some(
      (way) => way.includes(ai) && followed.every((one) => way.includes(one)),
    )
    if (!spec?.mayBeAttribute || mayFollow || seen.has(ai)) problems.push({ code: 'link', ai })
    seen.add(ai)
    if (spec) elements.push({ ai, value: decode(value.replaceAll('+', ' ')) })
  }
  return { elements, problems }
}

function decode(text: string): string {
  return text.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, digits: string) =>
    String.fromCharCode(parseInt(digits, 16)),
  )
}
