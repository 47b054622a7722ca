/**
 * The content of IPP messages (RFC 8010, section 3). A request or a response has a code, an id and groups of
 * attributes. The names of value types are short forms of the names in the RFC's table of tags.
 */
export interface IppMessage {
  /** The operation of a request or the status of a response (RFC 8011, section 5.4.15 and appendix B). */
  readonly code: number
  readonly id: number
  readonly groups: readonly IppGroup[]
}

export interface IppGroup {
  readonly tag: number
  readonly attributes: readonly IppAttribute[]
}

/** A name with at least one value. Several values are a set (1setOf). */
export interface IppAttribute {
  readonly name: string
  readonly values: readonly IppValue[]
}

export type IppValue =
  | { readonly type: 'integer' | 'enum'; readonly value: number }
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: IppTextType; readonly value: string }
  | { readonly type: 'textIn' | 'nameIn'; readonly language: string; readonly value: string }
  | { readonly type: 'octets'; readonly value: Uint8Array }
  /** A time in milliseconds since 1970, with the precision of the message: a tenth of a second. */
  | { readonly type: 'dateTime'; readonly value: number }
  | { readonly type: 'resolution'; readonly x: number; readonly y: number; readonly unit: 'dpi' | 'dpcm' }
  | { readonly type: 'range'; readonly from: number; readonly to: number }
  | { readonly type: 'collection'; readonly members: readonly IppAttribute[] }
  /**
   * A value without usable content: its tag is unsupported, unknown, no-value or similar, or this module does not
   * handle its type.
   */
  | { readonly type: 'other'; readonly tag: number; readonly value: Uint8Array }

export type IppTextType = keyof typeof textTags

export const textTags = {
  text: 0x41,
  name: 0x42,
  keyword: 0x44,
  uri: 0x45,
  uriScheme: 0x46,
  charset: 0x47,
  language: 0x48,
  mimeType: 0x49,
} as const

export const valueTags = {
  integer: 0x21,
  boolean: 0x22,
  enum: 0x23,
  octets: 0x30,
  dateTime: 0x31,
  resolution: 0x32,
  range: 0x33,
  collection: 0x34,
  textIn: 0x35,
  nameIn: 0x36,
  endOfCollection: 0x37,
  memberName: 0x4a,
} as const

/** Tags that begin a group or end the message. All of them are below 0x10 (RFC 8010, 3.5.1). */
export const groupTags = { operation: 1, job: 2, end: 3, printer: 4, unsupported: 5 } as const

/** Maximum nesting depth of collections. The attribute media-col has three levels. */
export const deepestCollection = 16

export function attribute(name: string, ...values: readonly IppValue[]): IppAttribute {
  return { name, values }
}

/** Creates an IPP attribute. All its values are texts, with the same IPP type. */
export function words(type: IppTextType, name: string, ...values: readonly string[]): IppAttribute {
  return { name, values: values.map((value) => ({ type, value })) }
}

export function whole(name: string, value: number, type: 'integer' | 'enum' = 'integer'): IppAttribute {
  return { name, values: [{ type, value }] }
}

/** Attributes of a response by name. If two have the same name, the first is used. */
export type IppAttributes = ReadonlyMap<string, readonly IppValue[]>

/** Returns the attributes of each group with this tag, in order. */
export function groupsOf(message: IppMessage, tag: number): IppAttributes[] {
  return message.groups
    .filter((group) => group.tag === tag)
    .map((group) => new Map(group.attributes.map(({ name, values }) => [name, values] as const).toReversed()))
}

/** Returns every text among the values of an attribute, whatever its text type. */
export function textsOf(attributes: IppAttributes | undefined, name: string): string[] {
  return (attributes?.get(name) ?? []).flatMap((value) =>
    'value' in value && typeof value.value === 'string' ? [value.value] : [],
  )
}

export function textOf(attributes: IppAttributes | undefined, name: string): string | null {
  return textsOf(attributes, name)[0] ?? null
}

/** Returns every integer or enum among the values of an attribute. */
export function numbersOf(attributes: IppAttributes | undefined, name: string): number[] {
  return (attributes?.get(name) ?? []).flatMap((value) =>
    value.type === 'integer' || value.type === 'enum' ? [value.value] : [],
  )
}

export function numberOf(attributes: IppAttributes | undefined, name: string): number | null {
  return numbersOf(attributes, name)[0] ?? null
}

export function flagOf(attributes: IppAttributes | undefined, name: string): boolean | null {
  const value = attributes?.get(name)?.[0]
  return value?.type === 'boolean' ? value.value : null
}
