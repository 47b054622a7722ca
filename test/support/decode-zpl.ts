import { inflateSync } from 'node:zlib'
import { type Bitmap, blankBitmap, bytesPerRow } from '#labels/pixels/bitmap.ts'

/** A label as a printer would print it from one ZPL format. */
export interface ZplLabel {
  readonly bitmap: Bitmap
  /** All commands except the graphics, in order, such as `^PW832`. */
  readonly commands: readonly string[]
}

/**
 * Draws one ^XA…^XZ format like a printer. The code follows only the programming guide of ZPL. Throws for a command
 * that labels do not use, a wrong checksum, data of a wrong length, a band outside the label, and a count above the
 * limit of a printer.
 */
export function decodeZpl(format: string): ZplLabel {
  const body = /^\^XA([^]*)\^XZ$/.exec(format.replaceAll('\n', ''))?.[1]
  if (body === undefined) throw new Error('not one whole format')
  const commands: string[] = []
  let bitmap: Bitmap | null = null
  let top = 0
  for (const command of body.split('^').slice(1)) {
    const name = command.slice(0, 2)
    if (name === 'GF') {
      bitmap ??= blankBitmap(numberAfter(commands, '^PW'), numberAfter(commands, '^LL'))
      drawBand(bitmap, top, command)
    } else if (name === 'FO') {
      const [, y] = /^FO0,(\d+)$/.exec(command) ?? []
      if (y === undefined) throw new Error(`a field that is not at the left edge: ${command}`)
      top = Number(y)
    } else if (/^(?:PW\d+|LL\d+|LH0,0|PON|PMN|LRN|PR\d+|MN[YN]|PQ1)$/.test(command))
      commands.push(`^${command}`)
    else if (command !== 'FS') throw new Error(`no command that labels use: ${command.slice(0, 20)}`)
  }
  if (!bitmap) throw new Error('nothing on the label')
  return { bitmap, commands }
}

function numberAfter(commands: readonly string[], name: string): number {
  const command = commands.find((one) => one.startsWith(name))
  if (command === undefined) throw new Error(`a graphic before ${name}`)
  return Number(command.slice(name.length))
}

function drawBand(label: Bitmap, top: number, command: string): void {
  const [, b = '', c = '', d = '', data = ''] = /^GFA,(\d+),(\d+),(\d+),([^]*)$/.exec(command) ?? []
  const [length, total, rowBytes] = [Number(b), Number(c), Number(d)]
  if (length !== total || total < 1 || total > 99_999) throw new Error(`not a size: ${b},${c}`)
  if (rowBytes !== bytesPerRow(label.widthDots)) throw new Error(`rows of another width: ${d}`)
  const bytes = data.startsWith(':Z64:') ? unpacked(data) : spelled(data, rowBytes)
  if (bytes.length !== total) throw new Error(`${String(bytes.length)} bytes instead of ${c}`)
  const at = top * rowBytes
  if (at + total > label.bytes.length) throw new Error('a band below the label')
  label.bytes.set(bytes, at)
}

function unpacked(data: string): Uint8Array {
  const [, text, check] = /^:Z64:([A-Za-z0-9+/]+=*):([0-9A-F]{4})$/.exec(data) ?? []
  if (text === undefined || check === undefined) throw new Error('not Z64')
  if (remainder(text) !== parseInt(check, 16)) throw new Error('the check does not fit')
  return inflateSync(Buffer.from(text, 'base64'))
}

/**
 * Computes the CRC-16 with the polynomial 1021 by a division of the bits of the text, the most significant bit first.
 * Slow but simple.
 */
function remainder(text: string): number {
  let rest = 0n
  for (const byte of Buffer.from(text, 'latin1')) {
    rest ^= BigInt(byte) << 8n
    for (let bit = 0; bit < 8; bit++) {
      rest <<= 1n
      if (rest & 0x10000n) rest ^= 0x11021n
    }
  }
  return Number(rest)
}

/** Decodes hexadecimal data with repeat counts. */
function spelled(data: string, rowBytes: number): Uint8Array {
  const width = rowBytes * 2
  const rows: string[] = []
  let row = ''
  let times = 0
  const end = (): void => {
    rows.push(row)
    row = ''
  }
  for (const sign of data) {
    if (/[G-Y]/.test(sign)) times += sign.charCodeAt(0) - 0x46
    else if (/[g-z]/.test(sign)) times += (sign.charCodeAt(0) - 0x66) * 20
    else if (/[0-9A-F]/.test(sign)) {
      row += sign.repeat(times || 1)
      times = 0
      if (row.length > width) throw new Error('a row that is too long')
      if (row.length === width) end()
    } else if (sign === ':' && row === '' && rows.length > 0) {
      row = rows.at(-1) ?? ''
      end()
    } else if (sign === ',' || sign === '!') {
      row = row.padEnd(width, sign === ',' ? '0' : 'F')
      end()
    } else throw new Error(`no sign of ASCII graphics: ${sign}`)
  }
  if (row !== '' || times !== 0) throw new Error('the last row is not whole')
  return Buffer.from(rows.join(''), 'hex')
}
