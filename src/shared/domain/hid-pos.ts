import { decodeBytes } from './scanner-bytes.ts'
import { BurstWatch, type HeardScan } from './scan-burst.ts'
import { trimEndOf } from './text-forms.ts'

/**
 * Reads scans of scanners that use HID POS (HID Point of Sale Usage Tables 1.02; HID Usage Tables 1.5, Barcode Scanner
 * Page). Makers choose the order and size of the fields in a report, so the layout is read from the device's own
 * description.
 */

/** The usage page of barcode scanners. */
export const hidPosPage = 0x8c

/** A field of a report as WebHID describes it: a number of elements, each of which has a number of bits. */
export interface HidItem {
  readonly usages?: readonly number[] | undefined
  readonly isRange?: boolean | undefined
  readonly usageMinimum?: number | undefined
  readonly usageMaximum?: number | undefined
  readonly reportSize?: number | undefined
  readonly reportCount?: number | undefined
}
export interface HidCollection {
  readonly usagePage?: number | undefined
  readonly inputReports?:
    | readonly { readonly reportId?: number | undefined; readonly items?: readonly HidItem[] | undefined }[]
    | undefined
  readonly children?: readonly HidCollection[] | undefined
}

/** Page and id of a usage in one number, as in WebHID. */
const usage = {
  /** The usage of the number of bytes of decoded data in this report. */
  byteCount: 0x01_003b,
  /** The usages of the AIM symbology identifier, one for each of its bytes. */
  symbology: [0x8c_00fb, 0x8c_00fc, 0x8c_00fd],
  decodedData: 0x8c_00fe,
  /** The usage that shows whether the next report continues the same scan. */
  continued: 0x8c_00ff,
} as const

/** The position of a field in a report, in bits from the beginning of the report without the report's id. */
interface Place {
  readonly at: number
  readonly bits: number
}
interface Layout {
  readonly data: readonly Place[]
  readonly byteCount: Place | null
  readonly symbology: readonly Place[]
  readonly continued: Place | null
  readonly bits: number
}

/** Whether a device is a barcode scanner that uses HID POS. Further collections of the device do not matter. */
export function isHidPos(collections: readonly HidCollection[]): boolean {
  return collections.some(({ usagePage }) => usagePage === hidPosPage)
}

/** The longest scan, in characters (scan.submit). */
const longest = 8000
/**
 * Reports of one scan follow each other within milliseconds. If no further report arrives within this number of
 * milliseconds, the begun scan is dropped.
 */
const restWithinMs = 1_000

/** The reports of an unfinished scan; `atMs` is the time of the last report. */
interface Begun {
  readonly symbology: string
  readonly bytes: readonly number[]
  readonly inBurst: boolean
  readonly atMs: number
}

/** Assembles the reports of one device into scans. */
export class HidPosReader {
  readonly #layouts: ReadonlyMap<number, Layout>
  readonly #bursts = new BurstWatch()
  #begun: Begun | null = null

  constructor(collections: readonly HidCollection[]) {
    this.#layouts = layoutsOf(collections)
  }

  /**
   * Returns the scan that this report ends, with its AIM identifier in front; null if the report ends no scan, or if
   * the scan is blank or too long. Never throws.
   */
  take(reportId: number, report: Uint8Array, atMs: number): HeardScan | null {
    const layout = this.#layouts.get(reportId)
    if (!layout) return null
    const before = this.#begun && atMs - this.#begun.atMs <= restWithinMs ? this.#begun : null
    const symbology = before?.symbology ?? symbologyIn(layout, report)
    const bytes = [...(before?.bytes ?? []), ...dataIn(layout, report)]
    const isContinued = layout.continued !== null && valueAt(layout.continued, report) === 1
    this.#bursts.heard(atMs)
    const inBurst = before?.inBurst ?? this.#bursts.begin(atMs)
    this.#begun = isContinued && bytes.length <= longest ? { symbology, bytes, atMs, inBurst } : null
    if (isContinued) return null
    // many scanners also put the suffix into the field that contains the data of the scan, so line ends and tabs at the
    // end are removed
    const text = trimEndOf(decodeBytes(bytes), '\r\n\t')
    if (text.trim() === '') return null
    const raw = text.startsWith(symbology) ? text : `${symbology}${text}`
    return raw.length > longest ? null : { raw, inBurst }
  }
}

function symbologyIn({ symbology }: Layout, report: Uint8Array): string {
  const text = String.fromCharCode(...symbology.map((place) => valueAt(place, report)))
  return /^\][A-Za-z][\dA-Za-z]$/.test(text) ? text : ''
}

function dataIn({ data, byteCount }: Layout, report: Uint8Array): number[] {
  const bytes = data.map((place) => valueAt(place, report))
  const said = byteCount ? valueAt(byteCount, report) : 0
  if (said > 0 && said <= bytes.length) return bytes.slice(0, said)
  // a report without a count: its data ends before the zeros that fill the report
  return bytes.slice(0, bytes.findLastIndex((byte) => byte !== 0) + 1)
}

/** Reads a field of at most one byte at any bit position. Bits beyond the end of a short report are 0. */
function valueAt({ at, bits }: Place, report: Uint8Array): number {
  const first = Math.floor(at / 8)
  const both = (report[first] ?? 0) | ((report[first + 1] ?? 0) << 8)
  return (both >> (at % 8)) & ((1 << bits) - 1)
}

/**
 * Returns the layout of each report of a HID device, by report id. A collection may contain a whole report, and its
 * nested collections may contain parts of the same report; the returned layout is that of the whole report.
 */
function layoutsOf(collections: readonly HidCollection[]): ReadonlyMap<number, Layout> {
  const layouts = new Map<number, Layout>()
  for (const collection of collections.filter(({ usagePage }) => usagePage === hidPosPage))
    addTo(layouts, collection)
  return layouts
}

function addTo(layouts: Map<number, Layout>, { inputReports = [], children = [] }: HidCollection): void {
  for (const { reportId = 0, items = [] } of inputReports) {
    const layout = layoutOf(items)
    if (layout.data.length > 0 && layout.bits > (layouts.get(reportId)?.bits ?? 0))
      layouts.set(reportId, layout)
  }
  for (const child of children) addTo(layouts, child)
}

function layoutOf(items: readonly HidItem[]): Layout {
  const fields: (Place & { readonly usage: number })[] = []
  let at = 0
  for (const item of items) {
    const { reportSize: bits = 0, reportCount = 0 } = item
    // Fields of more than one byte are skipped, because no data of a scan is in such a field. No report has more
    // elements than `longest`.
    for (let element = 0; element < Math.min(reportCount, longest); element++)
      if (bits <= 8) fields.push({ usage: usageOf(item, element), at: at + element * bits, bits })
    at += bits * reportCount
  }
  const placeOf = (wanted: number): Place | null => fields.find((field) => field.usage === wanted) ?? null
  return {
    data: fields.filter((field) => field.usage === usage.decodedData && field.bits === 8),
    byteCount: placeOf(usage.byteCount),
    symbology: usage.symbology.map(placeOf).filter((place) => place !== null),
    continued: placeOf(usage.continued),
    bits: at,
  }
}

/** Returns the usage of an element. The last usage of a list applies to all further elements (HID 1.11, 6.2.2.8). */
function usageOf(
  { usages = [], isRange, usageMinimum = 0, usageMaximum = 0 }: HidItem,
  element: number,
): number {
  if (isRange === true) return Math.min(usageMinimum + element, usageMaximum)
  return usages[Math.min(element, usages.length - 1)] ?? 0
}
