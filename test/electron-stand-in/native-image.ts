import { existsSync, readFileSync } from 'node:fs'

/** An image that only contains its PNG bytes; nothing is decoded or scaled. */
export class NativeImage {
  readonly #png: Buffer

  constructor(png: Buffer) {
    this.#png = png
  }

  toPNG(): Buffer {
    return this.#png
  }

  toDataURL(): string {
    return `data:image/png;base64,${this.#png.toString('base64')}`
  }

  isEmpty(): boolean {
    return this.#png.length === 0
  }

  /**
   * Reads the width and the height of the picture, which are at bytes 16 and 20 of a PNG. Returns 0 for both if the
   * data are too short.
   */
  getSize(): { width: number; height: number } {
    if (this.#png.length < 24) return { width: 0, height: 0 }
    return { width: this.#png.readUInt32BE(16), height: this.#png.readUInt32BE(20) }
  }
}

export const nativeImage = {
  createEmpty: (): NativeImage => new NativeImage(Buffer.alloc(0)),
  createFromBuffer: (png: Buffer): NativeImage => new NativeImage(png),
  createFromPath: (file: string): NativeImage =>
    new NativeImage(existsSync(file) ? readFileSync(file) : Buffer.alloc(0)),
  createFromDataURL: (url: string): NativeImage =>
    new NativeImage(Buffer.from(url.split(',')[1] ?? '', 'base64')),
}
