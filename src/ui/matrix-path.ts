import { type DrawingContext, qrcode } from 'bwip-js/generic'

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

/** `text` as QR code (ISO/IEC 18004). Throws where the symbology cannot hold the text. */
export function qrOutline(text: string): MatrixOutline {
  return qrcode({ bcid: 'qrcode', text, scale: 1 }, new OutlineCollector())
}
