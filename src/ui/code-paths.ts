import { code128, type DrawingContext, qrcode } from 'bwip-js/generic'

/** A linear barcode in modules, without its quiet zone. */
export interface Bars {
  readonly modules: number
  readonly bars: readonly { readonly x: number; readonly width: number }[]
}

/** Collects bars instead of drawing them. bwip-js draws each bar as a vertical line with a width around its middle. */
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

/** Returns the bars of `text` as Code 128 (ISO/IEC 15417). Throws if the symbology cannot encode the text. */
export function code128Bars(text: string): Bars {
  return code128({ bcid: 'code128', text, scale: 1 }, new BarCollector())
}

/** A matrix symbol as one outline in modules, without its quiet zone; filled by the even-odd rule. */
export interface MatrixOutline {
  readonly side: number
  readonly path: string
}

/** Collects outlines instead of drawing them. */
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

/** Returns `text` as QR code (ISO/IEC 18004). Throws if the symbology cannot encode the text. */
export function qrOutline(text: string): MatrixOutline {
  return qrcode({ bcid: 'qrcode', text, scale: 1 }, new OutlineCollector())
}
