import type { PrintPreview } from '#shared/bridge/print-views.ts'

type Page = PrintPreview['pages'][number]

/** How black each pixel of a picture is, from 0 (white) to 1 (black), row by row from the top. */
interface Picture {
  readonly width: number
  readonly height: number
  readonly ink: Float32Array
}

/**
 * Returns the largest size of a picture, in whole pixels (at least one), that fits the space and has the proportions of
 * the page. The picture is never larger than one pixel per dot.
 */
export function fittingSize(
  { widthDots, heightDots }: Pick<Page, 'widthDots' | 'heightDots'>,
  room: { readonly width: number; readonly height: number },
): { width: number; height: number } {
  const scale = Math.min(room.width / widthDots, room.height / heightDots, 1)
  const whole = (dots: number): number => Math.max(1, Math.floor(dots * scale))
  return { width: whole(widthDots), height: whole(heightDots) }
}

/**
 * Draws a page in `width` by `height` pixels. Each pixel is the average of its dots, because thin bars disappear when
 * the browser scales a picture.
 */
export function pictureOf(page: Page, width: number, height: number): Picture {
  const { widthDots, heightDots, rows: bits } = page
  const rowBytes = Math.ceil(widthDots / 8)
  const black = new Uint32Array(width * height)
  const columnOf = Uint32Array.from({ length: widthDots }, (_, x) => Math.floor((x * width) / widthDots))
  for (let y = 0; y < heightDots; y++) {
    const row = Math.floor((y * height) / heightDots) * width
    for (let x = 0; x < widthDots; x++) {
      const isBlack = ((bits[y * rowBytes + (x >> 3)] ?? 0) & (0x80 >> (x & 7))) !== 0
      const at = row + (columnOf[x] ?? 0)
      if (isBlack) black[at] = (black[at] ?? 0) + 1
    }
  }
  const dotsOf = (pixels: number, dots: number): Uint32Array => {
    const counts = new Uint32Array(pixels)
    for (let dot = 0; dot < dots; dot++) {
      const at = Math.floor((dot * pixels) / dots)
      counts[at] = (counts[at] ?? 0) + 1
    }
    return counts
  }
  const across = dotsOf(width, widthDots)
  const down = dotsOf(height, heightDots)
  const ink = Float32Array.from(black, (count, at) => {
    const dots = (across[at % width] ?? 0) * (down[Math.floor(at / width)] ?? 0)
    return dots === 0 ? 0 : count / dots
  })
  return { width, height, ink }
}

/** Returns a picture as canvas pixels: black on white in both themes. */
export function pixelsOf({ ink }: Picture): Uint8ClampedArray<ArrayBuffer> {
  const pixels = new Uint8ClampedArray(ink.length * 4)
  ink.forEach((darkness, at) => {
    const grey = Math.round(255 * (1 - darkness))
    pixels.set([grey, grey, grey, 255], at * 4)
  })
  return pixels
}
