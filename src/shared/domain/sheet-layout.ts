/**
 * The layout of a sheet of barcodes: the positions of headings and cells, page by page, in millimetres from the upper
 * left corner.
 */

/**
 * The kinds of sheets. `digits` has few barcodes, each below a large sign. `calibration` has two barcodes, one above
 * the other.
 */
export const sheetKinds = ['commands', 'digits', 'locations', 'badges', 'calibration'] as const
export type SheetKind = (typeof sheetKinds)[number]

/** The formats of a sheet. With `label`, each page is as large as the printable area of the printer. */
export const sheetFormats = ['a4', 'label'] as const
export type SheetFormat = (typeof sheetFormats)[number]

/** The printable area. `heightMm` null: a roll, which is cut where the page ends. */
export interface SheetRoom {
  readonly widthMm: number
  readonly heightMm: number | null
}

export const a4Room: SheetRoom = { widthMm: 210, heightMm: 297 }

export interface SheetPlan {
  readonly room: SheetRoom
  readonly marginMm: number
  /** Height that is left free below the upper margin of each page, in millimetres. */
  readonly headMm: number
  /** Height of a heading in millimetres; 0: groups have no headings. */
  readonly headingMm: number
  /** Minimum size of a cell, and the gap between cells. Cells become wider if the page has width left. */
  readonly cell: { readonly widthMm: number; readonly heightMm: number; readonly gapMm: number }
  /** Whether each cell fills a whole page. */
  readonly isAlone: boolean
}

export interface PlacedCell {
  readonly group: number
  /** Index of the entry in its group; null: the group's heading. */
  readonly index: number | null
  readonly xMm: number
  readonly yMm: number
  readonly widthMm: number
  readonly heightMm: number
}

export interface SheetPage {
  readonly widthMm: number
  readonly heightMm: number
  readonly cells: readonly PlacedCell[]
}

const pointsToBarcodeMm = 25.4 / 203
/**
 * Width of a Code128 without the characters of its text, in modules: 22 for start and check character, 13 for the stop,
 * 20 for the quiet zones.
 */
const modulesBesideText = 22 + 13 + 20

/** Returns the smallest width of a text's Code128, in millimetres, quiet zones included. */
export function leastBarcodeMm(text: string): number {
  return (text.length * 11 + modulesBesideText) * 2 * pointsToBarcodeMm
}

const marginMm: Record<SheetFormat, number> = { a4: 10, label: 3 }

/** Returns the layout of a kind of sheet; `longest` is the text whose barcode needs the most space. */
export function sheetPlan(kind: SheetKind, format: SheetFormat, room: SheetRoom, longest: string): SheetPlan {
  const margin = marginMm[format]
  const isAlone = format === 'label' && kind !== 'commands' && kind !== 'digits'
  const wholeMm = room.widthMm - 2 * margin
  const base = { room, marginMm: margin, isAlone }
  const barcodeMm = leastBarcodeMm(longest) + 4
  if (kind === 'commands')
    return { ...base, headMm: format === 'a4' ? 22 : 0, headingMm: 9, cell: cellOf(85, 19, 8, wholeMm) }
  if (kind === 'digits') {
    const heightMm = format === 'a4' ? 34 : 23
    const cell = cellOf(Math.max(44, barcodeMm), heightMm, 3, wholeMm)
    return { ...base, headMm: format === 'a4' ? 22 : 0, headingMm: 0, cell }
  }
  if (kind === 'calibration') {
    const headMm = format === 'a4' ? 22 : 0
    const heightMm = Math.min(76, (room.heightMm ?? 297) - headMm - 2 * margin)
    return { ...base, headMm, headingMm: 0, cell: { widthMm: wholeMm, heightMm, gapMm: 0 } }
  }
  const [widthMm, heightMm] = kind === 'locations' ? [60, 36] : [86, 54]
  const cell = cellOf(Math.max(widthMm, barcodeMm), heightMm, format === 'a4' ? 3 : 0, wholeMm)
  return { ...base, headMm: 0, headingMm: 0, cell }
}

function cellOf(widthMm: number, heightMm: number, gapMm: number, wholeMm: number): SheetPlan['cell'] {
  return { widthMm: Math.min(widthMm, wholeMm), heightMm, gapMm }
}

interface SheetContent {
  readonly kind: SheetKind
  readonly format: SheetFormat
  readonly room: SheetRoom
  readonly groups: readonly { readonly entries: readonly { readonly code: string }[] }[]
}

/** Plans the pages of a sheet from its content. */
export function planPages({ kind, format, room, groups }: SheetContent): {
  readonly plan: SheetPlan
  readonly pages: readonly SheetPage[]
} {
  const codes = groups.flatMap(({ entries }) => entries.map(({ code }) => code))
  const longest = codes.reduce((most, code) => (code.length > most.length ? code : most), '')
  const plan = sheetPlan(kind, format, room, longest)
  const counts = groups.map(({ entries }) => entries.length)
  return { plan, pages: layOutSheet(plan, counts) }
}

export function countSheetPages(content: SheetContent): number {
  return planPages(content).pages.length
}

/** Lays out groups, each with its number of cells. A heading is never the last item of its page. */
export function layOutSheet(plan: SheetPlan, groups: readonly number[]): readonly SheetPage[] {
  if (plan.isAlone) return groups.flatMap((count, group) => alonePages(plan, group, count))
  const { room, marginMm: margin, headMm, headingMm, cell } = plan
  const inner = room.widthMm - 2 * margin
  const columns = Math.max(1, Math.floor((inner + cell.gapMm) / (cell.widthMm + cell.gapMm)))
  const widthMm = (inner - (columns - 1) * cell.gapMm) / columns
  const topMm = margin + headMm
  const endMm = room.heightMm === null ? Infinity : room.heightMm - margin
  const pages: PlacedCell[][] = [[]]
  let yMm = topMm
  const put = (placed: PlacedCell): void => void pages.at(-1)?.push(placed)
  const makeRoom = (neededMm: number): void => {
    if (yMm + neededMm <= endMm || yMm === topMm) return
    pages.push([])
    yMm = topMm
  }
  for (const [group, count] of groups.entries()) {
    if (count === 0) continue
    if (headingMm > 0) {
      makeRoom(headingMm + cell.heightMm)
      put({ group, index: null, xMm: margin, yMm, widthMm: inner, heightMm: headingMm })
      yMm += headingMm
    }
    for (let first = 0; first < count; first += columns) {
      makeRoom(cell.heightMm)
      for (let index = first; index < Math.min(count, first + columns); index++) {
        const xMm = margin + (index - first) * (widthMm + cell.gapMm)
        put({ group, index, xMm, yMm, widthMm, heightMm: cell.heightMm })
      }
      yMm += cell.heightMm
    }
  }
  return pages.map((cells) => pageOf(room, margin, cells))
}

function alonePages({ room, cell, marginMm: margin }: SheetPlan, group: number, count: number): SheetPage[] {
  const heightMm = room.heightMm ?? cell.heightMm + 2 * margin
  return Array.from({ length: count }, (_, index) => ({
    widthMm: room.widthMm,
    heightMm,
    cells: [
      {
        group,
        index,
        xMm: margin,
        yMm: margin,
        widthMm: room.widthMm - 2 * margin,
        heightMm: heightMm - 2 * margin,
      },
    ],
  }))
}

function pageOf(room: SheetRoom, margin: number, cells: readonly PlacedCell[]): SheetPage {
  const lowestMm = Math.max(0, ...cells.map(({ yMm, heightMm }) => yMm + heightMm))
  return { widthMm: room.widthMm, heightMm: room.heightMm ?? lowestMm + margin, cells }
}
