import { attribute, type IppAttribute, type IppValue, whole, words } from './ipp-message.ts'

export interface MediaSize {
  readonly widthMm: number
  readonly heightMm: number
}

/** A paper: a name that contains the size (PWG 5101.1), for example `na_index-4x6_4x6in`, or a size without a name. */
export type IppMedia = string | MediaSize

/** The paper in the form in which a job requests it, and its size. */
export interface ChosenMedia extends MediaSize {
  /** The name of the paper; empty if the paper has no name. */
  readonly name: string
  readonly attribute: IppAttribute
}

const mmPerInch = 25.4
/** Tolerance for sizes, because names and printers round sizes to a tenth of an inch or to whole millimetres. */
const toleranceMm = 0.6

/** Returns the size at the end of a paper's name; null if the name contains no size. */
export function sizeInName(name: string): MediaSize | null {
  const match = /_(\d{1,4}(?:\.\d{1,4})?)x(\d{1,4}(?:\.\d{1,4})?)(mm|in)$/.exec(name)
  if (!match) return null
  const unit = match[3] === 'in' ? mmPerInch : 1
  return { widthMm: Number(match[1]) * unit, heightMm: Number(match[2]) * unit }
}

/**
 * Returns the paper as this printer requires it: by the printer's name for this size; or by the size, if the printer
 * accepts any size between limits or reports no papers. Null if the printer has no such paper, because it would use
 * another paper without a warning.
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

/** Returns the attribute media-col with only the size, in hundredths of a millimetre (PWG 5100.3). */
function mediaCol({ widthMm, heightMm }: MediaSize): IppAttribute {
  const hundredths = (lengthMm: number): number => Math.round(lengthMm * 100)
  const members = [whole('x-dimension', hundredths(widthMm)), whole('y-dimension', hundredths(heightMm))]
  const size: IppValue = { type: 'collection', members }
  return attribute('media-col', { type: 'collection', members: [attribute('media-size', size)] })
}
