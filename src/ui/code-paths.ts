import { code128, type DrawingContext, qrcode } from 'bwip-js/generic'

/** A linear barcode without its quiet zone, measured in modules (widths of the narrowest bar). */
export interface Bars {
  readonly modules: number
  readonly bars: readonly { readonly x: number; readonly width: number }[]
}

/**
 * Collects the bars that bwip-js would draw. bwip-js draws each bar as a vertical line along the middle of the bar,
 * with the width of the bar.
 */
class BarCollector implements DrawingContext<Bars> {
  #modules = 0
  readonly #bars: { x: number; width: number }[] = []

  scale(): [number, number] {
    return [1, 1]
  }
  measure(): { width: number; ascent: number; descent: number } {
    return { width: 0, ascent: 0, descent: 0 }
  }
  init(width: number): void {
    this.#modules = width
  }
  line(x0: number, _y0: number, _x1: number, _y1: number, lineWidth: number): void {
    this.#bars.push({ x: x0 - Math.ceil(lineWidth / 2), width: lineWidth })
  }
  polygon(): void {}
  hexagon(): void {}
  ellipse(): void {}
  fill(): void {}
  text(): void {}
  end(): Bars {
    return { modules: this.#modules, bars: this.#bars }
  }
}

/**
 * Returns the bars of `text` as Code 128 (ISO/IEC 15417). Characters outside ASCII are encoded as their UTF-8 bytes.
 * Throws if the text is empty.
 */
export function code128Bars(text: string): Bars {
  return code128({ bcid: 'code128', text, scale: 1 }, new BarCollector())
}

/**
 * A matrix symbol without its quiet zone as one outline, measured in modules. Fill the outline by the even-odd rule.
 */
export interface MatrixOutline {
  readonly side: number
  readonly path: string
}

/** Collects the outlines that bwip-js would draw. */
class OutlineCollector implements DrawingContext<MatrixOutline> {
  #side = 0
  #path = ''

  scale(): [number, number] {
    return [1, 1]
  }
  measure(): { width: number; ascent: number; descent: number } {
    return { width: 0, ascent: 0, descent: 0 }
  }
  init(width: number): void {
    this.#side = width
  }
  line(): void {}
  polygon(corners: [number, number][]): void {
    this.#path += `M${corners.map(([x, y]) => `${String(x)} ${String(y)}`).join('L')}Z`
  }
  hexagon(): void {}
  ellipse(): void {}
  fill(): void {}
  text(): void {}
  end(): MatrixOutline {
    return { side: this.#side, path: this.#path }
  }
}

/** Returns the outline of `text` as a QR code (ISO/IEC 18004). Throws if the symbology cannot encode the text. */
export function qrOutline(text: string): MatrixOutline {
  return qrcode({ bcid: 'qrcode', text, scale: 1 }, new OutlineCollector())
}
