import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import { type Bitmap, bytesPerRow } from '#labels/pixels/bitmap.ts'
import type { SettingsOf } from '#shared/bridge/printer-views.ts'
import { trimEndOf } from '#shared/domain/text-forms.ts'

/**
 * How to print labels: the settings of the printer (printer-views.ts) without its address and its paper. If a value is
 * null, the printer keeps its current setting. `graphics`: data in the format `z64` is a third as large as in the
 * format `acs`, but printers from before 2000 support only `acs`.
 */
export type ZplJobOptions = Readonly<
  Omit<SettingsOf<'zpl'>, 'kind' | 'host' | 'port' | 'device' | 'widthMm' | 'dpi'>
>

/** Maximum number of bytes of ^GF; printers ignore further bytes (ZPL II Programming Guide, ^GF). */
const mostGraphicBytes = 99_999

/**
 * Resets the origin, turning, mirroring and reversing. A printer keeps these settings after a job, so the settings of
 * another program would affect these labels.
 */
const asIs = '^LH0,0^PON^PMN^LRN'

/**
 * Returns the bytes of a job: one format per label, each printed once. The darkness is an absolute value, because
 * relative values of several jobs would add up. Encodes a label in many turns of the event loop, because encoding a
 * long label with many details takes 0.2 s of CPU, and scans must not wait until it is encoded.
 */
export async function zplJob(labels: readonly Bitmap[], options: ZplJobOptions): Promise<Buffer> {
  const { darkness, ...ofFormat } = options
  const texts = [
    darkness === null
      ? ''
      : `~SD${String(darkness).padStart(2, '0')}
`,
  ]
  for (const label of labels) {
    texts.push(await zplFormat(label, ofFormat))
    await setImmediate()
  }
  return Buffer.from(texts.join(''), 'latin1')
}

async function zplFormat(label: Bitmap, options: Omit<ZplJobOptions, 'darkness'>): Promise<string> {
  const { media, inchesPerSecond, graphics, ...unused } = options
  // the compiler reports an option that is used neither here nor in zplJob
  void (unused satisfies Record<string, never>)
  const size = `^PW${String(label.widthDots)}^LL${String(label.heightDots)}`
  const speed = inchesPerSecond === null ? '' : `^PR${String(inchesPerSecond)}`
  const fields: string[] = []
  for (const { y, band } of bandsOf(label))
    fields.push(`^FO0,${String(y)}${await graphicField(band, graphics)}^FS\n`)
  return `^XA^MN${media === 'label' ? 'Y' : 'N'}${size}${asIs}${speed}\n${fields.join('')}^PQ1^XZ\n`
}

function bandsOf({ widthDots, heightDots, bytes }: Bitmap): { y: number; band: Bitmap }[] {
  const rowBytes = bytesPerRow(widthDots)
  const bandRows = Math.floor(mostGraphicBytes / rowBytes)
  const bands = []
  for (let y = 0; y < heightDots; y += bandRows) {
    const rows = Math.min(bandRows, heightDots - y)
    const band = { widthDots, heightDots: rows, bytes: bytes.subarray(y * rowBytes, (y + rows) * rowBytes) }
    bands.push({ y, band })
  }
  return bands
}

async function graphicField(band: Bitmap, graphics: ZplJobOptions['graphics']): Promise<string> {
  const size = String(band.bytes.length)
  const data = await (graphics === 'z64' ? z64(band.bytes) : asciiGraphic(band))
  return `^GFA,${size},${size},${String(bytesPerRow(band.widthDots))},${data}`
}

const deflated = promisify<Uint8Array, { level: number }, Buffer>(deflate)

/**
 * Encodes a bitmap as `:Z64:<base64 of zlib>:<check>` (ZPL II Programming Guide, ZB64 encoding and compression). A
 * thread of Node compresses it.
 */
async function z64(bytes: Uint8Array): Promise<string> {
  const text = (await deflated(bytes, { level: 9 })).toString('base64')
  return `:Z64:${text}:${crc16(Buffer.from(text, 'latin1')).toString(16).padStart(4, '0').toUpperCase()}`
}

/**
 * Computes CRC-16/XMODEM (polynomial 1021, start value 0) of the base64 text, not of the data before the base64
 * encoding.
 */
function crc16(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff
  }
  return crc
}

/** Shortest run that is written with its count, because for shorter runs the count saves no space. */
const shortestRun = 3
const mostInOneSign = 400
/** Number of rows that are encoded in one turn of the event loop. Their encoding takes 1 to 3 ms. */
const rowsPerTurn = 100

/**
 * Encodes a bitmap for ^GFA in hexadecimal with counts. G to Y mean 1 to 19 times the next digit, g to z mean 20 to 400
 * times. A comma fills the row with 0, an exclamation mark with F; a colon repeats the previous row (ZPL II Programming
 * Guide, alternative data compression scheme for ~DG and ~DB).
 */
async function asciiGraphic({ widthDots, heightDots, bytes }: Bitmap): Promise<string> {
  const rowBytes = bytesPerRow(widthDots)
  let text = ''
  let before: string | null = null
  for (let y = 0; y < heightDots; y++) {
    const row = Buffer.from(bytes.subarray(y * rowBytes, (y + 1) * rowBytes))
      .toString('hex')
      .toUpperCase()
    text += row === before ? ':' : rowText(row)
    before = row
    if (y % rowsPerTurn === rowsPerTurn - 1) await setImmediate()
  }
  return text
}

function rowText(row: string): string {
  const last = row.at(-1) ?? ''
  const filled = last === '0' ? ',' : last === 'F' ? '!' : ''
  const shown = filled === '' ? row : trimEndOf(row, last)
  const runs = shown.match(/(.)\1*/g) ?? []
  return runs.map(runText).join('') + filled
}

function runText(run: string): string {
  const digit = run.charAt(0)
  return run.length < shortestRun ? run : countText(run.length) + digit
}

function countText(count: number): string {
  const whole = 'z'.repeat(Math.floor(count / mostInOneSign))
  const left = count % mostInOneSign
  const twenties = left < 20 ? '' : String.fromCharCode(0x66 + Math.floor(left / 20))
  const ones = left % 20 === 0 ? '' : String.fromCharCode(0x46 + (left % 20))
  return whole + twenties + ones
}
