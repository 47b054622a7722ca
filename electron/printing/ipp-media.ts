import { attribute, type IppAttribute, type IppValue, whole, words } from './ipp-message.ts'

export interface MediaSize {
  readonly widthMm: number
  readonly heightMm: number
}

/** A self-describing name (PWG 5101.1), `na_index-4x6_4x6in`, or a size without a name. */
export type IppMedia = string | MediaSize

/** The paper as a job asks for it, and its size. */
export interface ChosenMedia extends MediaSize {
  /** Its name, empty where it has none. */
  readonly name: string
  readonly attribute: IppAttribute
}

const mmPerInch = 25.4
/** Names and printers round to a tenth of an inch or to whole millimetres. */
const toleranceMm = 0.6

/** The size at the end of a name, or null where it says none. */
export function sizeInName(name: string): MediaSize | null {
  const match = /_(\d{1,4}(?:\.\d{1,4})?)x(\d{1,4}(?:\.\d{1,4})?)(mm|in)$/.exec(name)
  if (!match) return null
  const unit = match[3] === 'in' ? mmPerInch : 1
  return { widthMm: Number(match[1]) * unit, heightMm: Number(match[2]) * unit }
}

/**
 * The paper as this printer knows it: by the name it has for that size, else by its size, where it takes any between
 * limits or does not tell. Null where it has no such paper: it would print on another without a word.
 */
export function chooseMedia(media: IppMedia, supported: readonly string[]): ChosenMedia | null {
  const size = typeof media === 'string' ? sizeInName(media) : media
  if (!size) return null
  const named = (name: string): ChosenMedia => ({
    ...size,
    name,
    attribute: words('keyword', 'media', name),
  })
  if (typeof media === 'string' && (supported.length === 0 || supported.includes(media))) return named(media)
  const known = supported.find((name) => !/^custom_m(?:in|ax)_/.test(name) && isSame(sizeInName(name), size))
  if (known !== undefined) return named(known)
  const limit = (name: 'custom_min_' | 'custom_max_'): MediaSize | null =>
    sizeInName(supported.find((one) => one.startsWith(name)) ?? '')
  const [least, most] = [limit('custom_min_'), limit('custom_max_')]
  const isBetween = least !== null && most !== null && isWithin(least, size) && isWithin(size, most)
  return isBetween || supported.length === 0 ? { ...size, name: '', attribute: mediaCol(size) } : null
}

function isSame(one: MediaSize | null, other: MediaSize): boolean {
  return (
    one !== null &&
    Math.abs(one.widthMm - other.widthMm) < toleranceMm &&
    Math.abs(one.heightMm - other.heightMm) < toleranceMm
  )
}

function isWithin(inner: MediaSize, outer: MediaSize): boolean {
  return inner.widthMm <= outer.widthMm + toleranceMm && inner.heightMm <= outer.heightMm + toleranceMm
}

/** media-col of a size alone, in hundredths of a millimetre (PWG 5100.3). */
function mediaCol({ widthMm, heightMm }: MediaSize): IppAttribute {
  const hundredths = (lengthMm: number): number => Math.round(lengthMm * 100)
  const members = [whole('x-dimension', hundredths(widthMm)), whole('y-dimension', hundredths(heightMm))]
  const size: IppValue = { type: 'collection', members }
  return attribute('media-col', { type: 'collection', members: [attribute('media-size', size)] })
}
