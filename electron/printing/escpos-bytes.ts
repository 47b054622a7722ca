import { PrinterTypes, ThermalPrinter } from 'node-thermal-printer'
import { type Bitmap, bytesPerRow } from '#labels/pixels/bitmap.ts'

/** Rows of one raster command: more overruns the buffer of cheap printers. */
const bandRows = 256

/** Lines fed before the cut, in fours: the knife sits some 15 mm behind the head. */
const feedsBeforeCut = 1

/** ESC @: forgets whatever an earlier job left half said. */
const reset = Buffer.from([0x1b, 0x40])

/**
 * The bytes of a job: reset, then each label as raster bands, fed to the knife and cut off. A new library object each
 * time, since it never forgets what it was given; it only makes bytes, and raw-sender.ts sends them.
 */
export function escposJob(labels: readonly Bitmap[]): Buffer {
  const printer = new ThermalPrinter({ type: PrinterTypes.EPSON, interface: '' })
  printer.add(reset)
  for (const label of labels) {
    printer.add(rasterBands(label))
    printer.cut({ verticalTabAmount: feedsBeforeCut })
  }
  return printer.getBuffer()
}

/** GS v 0, by ourselves: the library writes a width of 0 for images of 2048 dots and more. */
function rasterBands({ widthDots, heightDots, bytes }: Bitmap): Buffer {
  const rowBytes = bytesPerRow(widthDots)
  const bands: Uint8Array[] = []
  for (let y = 0; y < heightDots; y += bandRows) {
    const rows = Math.min(bandRows, heightDots - y)
    const header = [0x1d, 0x76, 0x30, 0, rowBytes & 255, rowBytes >> 8, rows & 255, rows >> 8]
    bands.push(Buffer.from(header), bytes.subarray(y * rowBytes, (y + rows) * rowBytes))
  }
  return Buffer.concat(bands)
}
