import { type Bitmap, type DotBox, isBlack, overlap } from '../pixels/bitmap.ts'

/**
 * A possible shape of the mark that the desk prints on a copy of a label. Its width and height are in em of the mark's
 * largest letters.
 */
export interface MarkShape {
  readonly widthEm: number
  readonly heightEm: number
  /** The smallest legible letters, and the largest letters that are useful, in dots per em. */
  readonly leastDots: number
  readonly mostDots: number
}

export interface MarkPlace<Shape extends MarkShape> {
  readonly box: DotBox
  readonly shape: Shape
  readonly emDots: number
  /** Whether the text is turned, so that it is read from the bottom up. */
  readonly isTurned: boolean
}

const cellMm = 0.5
/**
 * Distance of the copy mark from ink and from the edge of the page, in millimetres. Printers do not print at the edge.
 */
const clearanceMm = 1.5
/**
 * When the sizes of possible places are compared, the size of a copy mark (such as `COPY`) that is turned by 90 degrees
 * is multiplied by this factor. An upright mark is preferred, because it is easier to read.
 */
const worthOfTurned = 0.85
/**
 * If the copy mark must cover ink, it is placed within this distance of an edge of the bitmap, if possible; in
 * millimetres.
 */
const edgeMm = 4

/**
 * A bitmap divided into square cells of half a millimetre. `dots` is the side of a cell in dots. `isFree`: whether a
 * cell has no black dot and no part of a box that must stay clear. `inkIn` returns the number of black dots in a box of
 * cells.
 */
interface Cells {
  readonly columns: number
  readonly rows: number
  readonly dots: number
  readonly isFree: (column: number, row: number) => boolean
  readonly inkIn: (box: DotBox) => number
}

/**
 * Finds the place for the largest possible mark in a white area outside `keepClear`. If no white area is large enough,
 * returns the place where the smallest mark covers the fewest black dots, if possible near an edge of the bitmap.
 * Returns null if there is no place outside `keepClear`.
 */
export function findMarkPlace<Shape extends MarkShape>(
  bitmap: Bitmap,
  keepClear: readonly DotBox[],
  shapes: readonly Shape[],
  dpi: number,
): MarkPlace<Shape> | null {
  const dotsPerMm = dpi / 25.4
  const cells = cellsOf(bitmap, keepClear, Math.max(1, Math.round(cellMm * dotsPerMm)))
  const clearance = Math.ceil(clearanceMm * dotsPerMm)
  let best: { place: MarkPlace<Shape>; worth: number } | null = null
  for (const white of whiteBoxes(cells)) {
    for (const shape of shapes) {
      for (const isTurned of [false, true]) {
        const place = largestIn(white, shape, isTurned, clearance)
        const worth = place === null ? 0 : place.emDots * (isTurned ? worthOfTurned : 1)
        if (place && worth > (best?.worth ?? 0)) best = { place, worth }
      }
    }
  }
  return best?.place ?? bandOver(bitmap, cells, keepClear, shapes, edgeMm * dotsPerMm)
}

function cellsOf(bitmap: Bitmap, keepClear: readonly DotBox[], dots: number): Cells {
  const columns = Math.floor(bitmap.widthDots / dots)
  const rows = Math.floor(bitmap.heightDots / dots)
  const ink = new Uint32Array(columns * rows)
  for (let y = 0; y < rows * dots; y++) {
    const row = Math.floor(y / dots) * columns
    for (let x = 0; x < columns * dots; x++) {
      const at = row + Math.floor(x / dots)
      if (isBlack(bitmap, x, y)) ink[at] = (ink[at] ?? 0) + 1
    }
  }
  const isTaken = Uint8Array.from(ink, (count) => (count > 0 ? 1 : 0))
  for (const { x, y, width, height } of keepClear) {
    for (let row = Math.max(0, Math.floor(y / dots)); row < rows && row * dots < y + height; row++)
      for (let at = Math.max(0, Math.floor(x / dots)); at < columns && at * dots < x + width; at++)
        isTaken[row * columns + at] = 1
  }
  const sums = new Uint32Array((columns + 1) * (rows + 1))
  for (let row = 0; row < rows; row++) {
    let line = 0
    for (let column = 0; column < columns; column++) {
      line += ink[row * columns + column] ?? 0
      sums[(row + 1) * (columns + 1) + column + 1] = (sums[row * (columns + 1) + column + 1] ?? 0) + line
    }
  }
  const sum = (column: number, row: number): number => sums[row * (columns + 1) + column] ?? 0
  return {
    columns,
    rows,
    dots,
    isFree: (column, row) => isTaken[row * columns + column] === 0,
    inkIn: ({ x, y, width, height }) =>
      sum(x + width, y + height) - sum(x, y + height) - sum(x + width, y) + sum(x, y),
  }
}

/**
 * Yields boxes of free cells, in dots. No box can be made wider within its rows, so the largest possible box for any
 * shape is among them.
 */
function* whiteBoxes({ columns, rows, dots, isFree }: Cells): Generator<DotBox> {
  const heights = new Uint32Array(columns + 1)
  for (let row = 0; row < rows; row++) {
    const open: { from: number; height: number }[] = []
    for (let column = 0; column <= columns; column++) {
      const height = column < columns && isFree(column, row) ? (heights[column] ?? 0) + 1 : 0
      heights[column] = height
      let from = column
      for (let last = open.at(-1); last && last.height > height; last = open.at(-1)) {
        open.pop()
        from = last.from
        yield {
          x: from * dots,
          y: (row + 1 - last.height) * dots,
          width: (column - from) * dots,
          height: last.height * dots,
        }
      }
      if (height > 0 && open.at(-1)?.height !== height) open.push({ from, height })
    }
  }
}

/**
 * Returns the place of the largest copy mark that fits a white box, in the middle of the box; null if the mark would be
 * too small to read.
 */
function largestIn<Shape extends MarkShape>(
  white: DotBox,
  shape: Shape,
  isTurned: boolean,
  clearance: number,
): MarkPlace<Shape> | null {
  const { widthEm, heightEm } = isTurned ? turned(shape) : shape
  const roomX = (white.width - 2 * clearance) / widthEm
  const roomY = (white.height - 2 * clearance) / heightEm
  const emDots = Math.min(roomX, roomY, shape.mostDots)
  if (emDots < shape.leastDots) return null
  const width = Math.floor(widthEm * emDots)
  const height = Math.floor(heightEm * emDots)
  const x = white.x + Math.floor((white.width - width) / 2)
  const y = white.y + Math.floor((white.height - height) / 2)
  return { box: { x, y, width, height }, shape, emDots, isTurned }
}

/**
 * Returns a place for the copy mark in its smallest legible size, on ink if necessary: near an edge of the bitmap if
 * possible, and where the mark covers the fewest black dots. Null: there is no place outside `keepClear`.
 */
function bandOver<Shape extends MarkShape>(
  { widthDots, heightDots }: Bitmap,
  { columns, rows, dots, inkIn }: Cells,
  keepClear: readonly DotBox[],
  shapes: readonly Shape[],
  edgeDots: number,
): MarkPlace<Shape> | null {
  let best: { place: MarkPlace<Shape>; cost: number } | null = null
  for (const shape of shapes) {
    for (const isTurned of [false, true]) {
      const { widthEm, heightEm } = isTurned ? turned(shape) : shape
      const width = Math.ceil(widthEm * shape.leastDots)
      const height = Math.ceil(heightEm * shape.leastDots)
      const [across, down] = [Math.ceil(width / dots), Math.ceil(height / dots)]
      for (let row = 0; row + down <= rows; row++) {
        for (let column = 0; column + across <= columns; column++) {
          const box = { x: column * dots, y: row * dots, width, height }
          const cost =
            inkIn({ x: column, y: row, width: across, height: down }) +
            (isOnEdge(box, widthDots, heightDots, edgeDots) ? 0 : widthDots * heightDots)
          if (cost >= (best?.cost ?? Infinity) || keepClear.some((other) => overlap(other, box))) continue
          best = { place: { box, shape, emDots: shape.leastDots, isTurned }, cost }
        }
      }
    }
  }
  return best?.place ?? null
}

function isOnEdge(box: DotBox, widthDots: number, heightDots: number, within: number): boolean {
  return Math.min(box.x, box.y, widthDots - box.x - box.width, heightDots - box.y - box.height) <= within
}

function turned({ widthEm, heightEm }: MarkShape): { widthEm: number; heightEm: number } {
  return { widthEm: heightEm, heightEm: widthEm }
}
