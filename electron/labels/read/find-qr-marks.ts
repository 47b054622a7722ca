import { type Bitmap, type DotBox, isBlack } from '../pixels/bitmap.ts'

/** The corner marks of a QR code, along a line through their middle: bar, space, bar of three, space, bar. */
const widths = [1, 1, 3, 1, 1]
const smallestModuleDots = 2

/** The corner marks of QR codes, each as the box of its seven by seven modules; a mark is found upright in any turn. */
export function findQrMarks(bitmap: Bitmap, dpi: number): DotBox[] {
  // a quarter of a millimetre: less than a module of any code on a label
  const step = Math.max(1, Math.floor(dpi / 100))
  const marks: DotBox[] = []
  for (let y = 0; y < bitmap.heightDots; y += step) {
    for (const { middle, module } of alongLine((x) => isBlack(bitmap, x, y), bitmap.widthDots)) {
      const down = alongLine((at) => isBlack(bitmap, middle, at), bitmap.heightDots).find(
        (mark) => Math.abs(mark.middle - y) <= 1.5 * module && Math.abs(mark.module - module) <= module / 4,
      )
      if (!down) continue
      const side = Math.round(7 * module)
      const corner = (at: number): number => Math.round(at - side / 2)
      const box = { x: corner(middle), y: corner(down.middle), width: side, height: side }
      if (!marks.some((mark) => Math.abs(mark.x - box.x) < side && Math.abs(mark.y - box.y) < side))
        marks.push(box)
    }
  }
  return marks
}

/** Middles and modules of the corner marks that a line crosses. */
function alongLine(
  isBlackAt: (at: number) => boolean,
  length: number,
): { readonly middle: number; readonly module: number }[] {
  const found: { middle: number; module: number }[] = []
  // the last five runs, of which the first and the last are black whenever white begins
  const runs = [0, 0, 0, 0, 0]
  let shade = false
  let run = 0
  for (let at = 0; at <= length; at++) {
    const black = at < length && isBlackAt(at)
    if (black === shade) {
      run++
      continue
    }
    runs.shift()
    runs.push(run)
    if (shade) {
      const total = runs.reduce((sum, one) => sum + one, 0)
      const module = total / 7
      const isMark = runs.every((one, index) => Math.abs(one - (widths[index] ?? 1) * module) <= module / 2)
      if (isMark && module >= smallestModuleDots) found.push({ middle: Math.round(at - total / 2), module })
    }
    shade = black
    run = 1
  }
  return found
}
