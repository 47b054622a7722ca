import { type Bitmap, bytesPerRow } from '#labels/pixels/bitmap.ts'
import { trimEndOf } from '#shared/domain/trim-signs.ts'

/** A run shorter than this takes no less room with its count before it. */
const shortestRun = 3
const mostInOneSign = 400

/**
 * Hexadecimal with counts, as ^GFA takes it: G to Y stand for 1 to 19 of the next digit, g to z for 20 to 400, a comma
 * fills the row with 0, an exclamation mark with F, a colon repeats the row before (ZPL II Programming Guide,
 * alternative data compression scheme for ~DG and ~DB).
 */
export function asciiGraphic({ widthDots, heightDots, bytes }: Bitmap): string {
  const rowBytes = bytesPerRow(widthDots)
  let text = ''
  let before: string | null = null
  for (let y = 0; y < heightDots; y++) {
    const row = Buffer.from(bytes.subarray(y * rowBytes, (y + 1) * rowBytes))
      .toString('hex')
      .toUpperCase()
    text += row === before ? ':' : rowText(row)
    before = row
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
