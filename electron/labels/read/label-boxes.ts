import { type Bitmap, bytesPerRow, crop, type DotBox, hasInkIn, inkBox } from '../pixels/bitmap.ts'

/** A page divided into squares of a millimetre, with the squares that contain ink. */
interface Cells {
  readonly columns: number
  readonly rows: number
  /** Width of a square in dots. */
  readonly size: number
  readonly hasInk: Uint8Array
}

/** A connected piece of ink: its box in dots, and its squares with ink (positions in `Cells.hasInk`). */
interface Piece {
  readonly box: DotBox
  readonly cells: readonly number[]
}

/** Distance within which ink belongs to the same label. Ink further away belongs to another object on the sheet. */
const gapMm = 8
/**
 * Widths of white gaps, in millimetres, at which ink is divided into labels that are closer to each other than `gapMm`.
 * The widest gap is tried first.
 */
const narrowerGapsMm = [6, 4, 3, 2, 1]
/** Largest white gap between the address and the barcode of a label without a frame, in millimetres. */
const widestGapMm = 20
/**
 * If a side of a piece of ink on the page is shorter than this (in millimetres), the piece cannot be a whole label, but
 * only a part such as the barcode. The smallest labels of carriers are about 4 by 2 inches.
 */
const shortestSideMm = 40
/**
 * Maximum lengths of the sides of a label in millimetres, slightly more than the sizes of labels on rolls and sheets. A
 * larger connected area of ink is a label together with other print, or a whole page.
 */
const largestLabelMm = { short: 112, long: 220 }
/** Maximum difference between the widths, and between the heights, of equal labels, as a share of the largest one. */
const alikeWithin = 0.1
/** Maximum share of the squares with ink that may be outside the labels, for example cut lines. */
const mostLeftOver = 0.08

interface Sheet {
  readonly bitmap: Bitmap
  readonly dotsPerMm: number
  readonly barcodes: readonly DotBox[]
  readonly split: (piece: Piece, gapMm: number) => Piece[]
}

/**
 * Returns the boxes of the labels on a sheet in reading order. A label is a separate piece of ink with a barcode; the
 * sheet may also have other content. Pieces larger than any label are left out, but if all pieces are too large, the
 * largest piece is returned. Returns no box if there is no barcode, or if each piece with a barcode is smaller than a
 * label.
 */
export function labelBoxes(bitmap: Bitmap, dpi: number, barcodes: readonly DotBox[]): DotBox[] {
  const cells = cellsOf(bitmap, dpi)
  const sheet: Sheet = {
    bitmap,
    dotsPerMm: dpi / 25.4,
    barcodes,
    split: (piece, gap) => pieces(cells, gap, piece.cells),
  }
  const all = pieces(cells, gapMm)
  const found = joined(
    sheet,
    all.flatMap((piece) => (holdsBarcode(sheet, piece) ? labelsIn(sheet, piece) : [piece])),
  ).filter(
    (piece) =>
      holdsBarcode(sheet, piece) &&
      Math.min(piece.box.width, piece.box.height) >= shortestSideMm * sheet.dotsPerMm,
  )
  const labels = found.filter(({ box }) => fitsALabel(sheet, box))
  const area = ({ box }: Piece): number => box.width * box.height
  const chosen = labels.length > 0 ? labels : found.toSorted((a, b) => area(b) - area(a)).slice(0, 1)
  return inReadingOrder(chosen.map((piece) => tightBox(sheet, piece)))
}

/**
 * Returns the labels in a piece. A piece may be one label, several labels close together, or a label beside other
 * content.
 */
function labelsIn(sheet: Sheet, piece: Piece): Piece[] {
  const barcodes = sheet.barcodes.filter((barcode) => holds(piece.box, barcode))
  const isLabel = fitsALabel(sheet, piece.box)
  if (isLabel && barcodes.length < 2) return [piece]
  for (const gap of narrowerGapsMm) {
    const parts = sheet.split(piece, gap)
    const labels = parts.filter(
      (part) =>
        holdsBarcode(sheet, part) &&
        Math.min(part.box.width, part.box.height) >= shortestSideMm * sheet.dotsPerMm,
    )
    if (!barcodes.every((barcode) => labels.some(({ box }) => holds(box, barcode)))) continue
    const beside = parts.filter((part) => !labels.some(({ box }) => holds(box, part.box)))
    const leftOver = beside.reduce((sum, { cells }) => sum + cells.length, 0) / piece.cells.length
    const areCopies = labels.length > 1 && areAlike(labels) && leftOver <= mostLeftOver
    const areFramed = labels.every(({ box }) => fitsALabel(sheet, box) && isFramed(sheet, box))
    if (areCopies || (!isLabel && areFramed)) return labels.flatMap((label) => labelsIn(sheet, label))
  }
  return [piece]
}

/** Joins pieces that belong to the same label: a barcode without a frame, and the address at some distance from it. */
function joined(sheet: Sheet, parts: readonly Piece[]): Piece[] {
  const open = [...parts]
  for (let at = 0; at < open.length;) {
    const piece = open[at]
    const near = piece && holdsBarcode(sheet, piece) ? nearest(sheet, piece, open) : null
    if (piece && near) {
      open.splice(open.indexOf(near), 1)
      open.splice(open.indexOf(piece), 1)
      open.push({ box: union(piece.box, near.box), cells: [...piece.cells, ...near.cells] })
      at = 0
    } else at++
  }
  return open
}

/**
 * Returns the nearest other piece of ink on the sheet that may be part of the same label as `piece`; null: there is
 * none.
 */
function nearest(sheet: Sheet, piece: Piece, others: readonly Piece[]): Piece | null {
  if (!fitsALabel(sheet, piece.box) || isFramed(sheet, piece.box)) return null
  const candidates = others
    .filter((other) => other !== piece && distance(piece.box, other.box) <= widestGapMm * sheet.dotsPerMm)
    .filter((other) => makesALabel(sheet, piece.box, other.box) && !isFramed(sheet, other.box))
    .filter((other) => !holdsBarcode(sheet, other) || !areAlike([piece, other]) || isScrap(sheet, other.box))
    .sort((a, b) => distance(piece.box, a.box) - distance(piece.box, b.box))
  return candidates[0] ?? null
}

/**
 * Whether two pieces may be parts of one label: together they are not larger than a label. In addition, if one is below
 * the other, they must together be at most 112 mm wide; otherwise they must together be at most 112 mm high. This
 * second condition does not apply if the first piece is too small for a label.
 */
function makesALabel(sheet: Sheet, box: DotBox, other: DotBox): boolean {
  const both = union(box, other)
  const isBelow = Math.max(box.y, other.y) >= Math.min(box.y + box.height, other.y + other.height)
  const across = isBelow ? both.width : both.height
  return fitsALabel(sheet, both) && (isScrap(sheet, box) || across <= largestLabelMm.short * sheet.dotsPerMm)
}

function isScrap(sheet: Sheet, box: DotBox): boolean {
  return Math.min(box.width, box.height) < shortestSideMm * sheet.dotsPerMm
}

function fitsALabel({ dotsPerMm }: Sheet, { width, height }: DotBox): boolean {
  return (
    Math.min(width, height) <= largestLabelMm.short * dotsPerMm &&
    Math.max(width, height) <= largestLabelMm.long * dotsPerMm
  )
}

function areAlike(parts: readonly Piece[]): boolean {
  return [parts.map(({ box }) => box.width), parts.map(({ box }) => box.height)].every(
    (sides) => Math.min(...sides) >= (1 - alikeWithin) * Math.max(...sides),
  )
}

/** Whether a box has lines along all four edges. The gaps in a line may be up to 15 % of its length. */
function isFramed({ bitmap, dotsPerMm }: Sheet, box: DotBox): boolean {
  // searches for each line up to two millimetres inside the box: the squares are a millimetre wide, so the line may be
  // up to a millimetre inside the box
  const depth = Math.round(2 * dotsPerMm)
  const share = (edge: (at: number) => DotBox, length: number): number => {
    let inked = 0
    for (let at = 0; at < length; at++) if (hasInkIn(bitmap, edge(at))) inked++
    return inked / length
  }
  const { x, y, width, height } = box
  const column = (top: number) => (at: number) => ({ x: x + at, y: top, width: 1, height: depth })
  const row = (left: number) => (at: number) => ({ x: left, y: y + at, width: depth, height: 1 })
  return (
    [y, y + height - depth].every((top) => share(column(top), width) >= 0.85) &&
    [x, x + width - depth].every((left) => share(row(left), height) >= 0.85)
  )
}

function holds(box: DotBox, { x, y, width, height }: DotBox): boolean {
  return x >= box.x && y >= box.y && x + width <= box.x + box.width && y + height <= box.y + box.height
}

function holdsBarcode({ barcodes }: Sheet, { box }: Piece): boolean {
  return barcodes.some((barcode) => holds(box, barcode))
}

function union(a: DotBox, b: DotBox): DotBox {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)]
  const width = Math.max(a.x + a.width, b.x + b.width) - x
  return { x, y, width, height: Math.max(a.y + a.height, b.y + b.height) - y }
}

/**
 * Returns the width of the white gap between two boxes: the larger of the horizontal and the vertical gap; 0 if the
 * boxes overlap.
 */
function distance(a: DotBox, b: DotBox): number {
  const across = Math.max(a.x, b.x) - Math.min(a.x + a.width, b.x + b.width)
  const down = Math.max(a.y, b.y) - Math.min(a.y + a.height, b.y + b.height)
  return Math.max(0, across, down)
}

/**
 * Returns the exact box of the ink in a piece. The box of the piece consists of whole squares of a millimetre, so it
 * may extend up to a millimetre beyond the ink.
 */
function tightBox({ bitmap }: Sheet, { box }: Piece): DotBox {
  const ink = inkBox(crop(bitmap, box))
  return ink ? { ...ink, x: box.x + ink.x, y: box.y + ink.y } : box
}

/**
 * Sorts boxes by rows, and from left to right within a row. Takes the boxes from top to bottom: a box belongs to the
 * current row if it starts above the middle of the first box of this row; otherwise it begins the next row.
 */
function inReadingOrder(boxes: readonly DotBox[]): DotBox[] {
  const rows: DotBox[][] = []
  for (const box of boxes.toSorted((a, b) => a.y - b.y)) {
    const row = rows.at(-1)
    const first = row?.[0]
    if (row && first && box.y < first.y + first.height / 2) row.push(box)
    else rows.push([box])
  }
  return rows.flatMap((row) => row.toSorted((a, b) => a.x - b.x))
}

const cellMm = 1

/**
 * Divides a page into squares of a millimetre, and finds the squares that contain ink. `pieces` joins these squares.
 */
function cellsOf({ widthDots, heightDots, bytes }: Bitmap, dpi: number): Cells {
  const size = Math.round((cellMm * dpi) / 25.4)
  const columns = Math.ceil(widthDots / size)
  const rows = Math.ceil(heightDots / size)
  const hasInk = new Uint8Array(columns * rows)
  const rowBytes = bytesPerRow(widthDots)
  for (let y = 0; y < heightDots; y++) {
    const row = Math.floor(y / size) * columns
    for (let at = 0; at < rowBytes; at++) {
      const byte = bytes[y * rowBytes + at] ?? 0
      if (byte === 0) continue
      for (let bit = 0; bit < 8; bit++)
        if ((byte & (0x80 >> bit)) !== 0) hasInk[row + Math.floor((at * 8 + bit) / size)] = 1
    }
  }
  return { columns, rows, size, hasInk }
}

/**
 * Divides all squares with ink, or only some of them, into pieces. Two squares belong to the same piece if their
 * columns and their rows are each at most `gapMm` apart.
 */
function pieces(cells: Cells, gapMm: number, among?: readonly number[]): Piece[] {
  const isFree = among ? new Uint8Array(cells.hasInk.length) : cells.hasInk.slice()
  for (const cell of among ?? []) isFree[cell] = 1
  const reach = Math.max(1, Math.round(gapMm / cellMm))
  const found: Piece[] = []
  for (let start = 0; start < isFree.length; start++)
    if (isFree[start] === 1) found.push(pieceFrom(start, cells, isFree, reach))
  return found
}

function pieceFrom(start: number, { columns, rows, size }: Cells, isFree: Uint8Array, reach: number): Piece {
  const taken = [start]
  isFree[start] = 0
  let [left, right, top, bottom] = [columns, 0, rows, 0]
  for (let next = 0; next < taken.length; next++) {
    const at = taken[next] ?? 0
    const [x, y] = [at % columns, Math.floor(at / columns)]
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
    for (let nearY = Math.max(0, y - reach); nearY <= Math.min(rows - 1, y + reach); nearY++) {
      for (let nearX = Math.max(0, x - reach); nearX <= Math.min(columns - 1, x + reach); nearX++) {
        const near = nearY * columns + nearX
        if (isFree[near] !== 1) continue
        isFree[near] = 0
        taken.push(near)
      }
    }
  }
  const [width, height] = [(right - left + 1) * size, (bottom - top + 1) * size]
  return { box: { x: left * size, y: top * size, width, height }, cells: taken }
}
