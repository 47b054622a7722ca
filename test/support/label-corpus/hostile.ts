import { constants, deflateRawSync, deflateSync } from 'node:zlib'

/** An object of a PDF: its body as text, or a stream as its dictionary entries and its bytes. */
type RawObject = string | readonly [entries: string, bytes: Uint8Array]

const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'latin1')

/**
 * Returns a PDF with these objects (the first is the catalogue) and their table of offsets. Nothing is checked, so the
 * objects may be invalid.
 */
export function rawPdf(objects: readonly RawObject[], trailer = ''): Uint8Array {
  const parts: Uint8Array[] = [bytesOf('%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n')]
  let at = parts[0]?.length ?? 0
  const put = (bytes: Uint8Array): void => {
    parts.push(bytes)
    at += bytes.length
  }
  const offsets: number[] = []
  for (const [index, object] of objects.entries()) {
    offsets.push(at)
    put(bytesOf(`${String(index + 1)} 0 obj\n`))
    if (typeof object === 'string') put(bytesOf(object))
    else {
      put(bytesOf(`<< ${object[0]} /Length ${String(object[1].length)} >>\nstream\n`))
      put(object[1])
      put(bytesOf('\nendstream'))
    }
    put(bytesOf('\nendobj\n'))
  }
  const start = at
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
  const size = String(objects.length + 1)
  put(bytesOf(`xref\n0 ${size}\n0000000000 65535 f \n${rows.join('')}`))
  put(bytesOf(`trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${String(start)}\n%%EOF\n`))
  return Buffer.concat(parts)
}

/**
 * Returns a PDF with one page of this size. The dictionaries of the catalogue and the page are in a compressed object
 * stream, as in the files of most writers since PDF 1.5.
 */
export function packedObjects(size: string, entries: string, contents: string): Uint8Array {
  const inside = [catalogue, onePage, leaf(size, `/Contents 4 0 R ${entries}`)]
  const offsets = inside.map((_, at) => inside.slice(0, at).join(' ').length + Math.min(at, 1))
  const index = inside.map((_, at) => `${String(at + 1)} ${String(offsets[at])}`).join(' ')
  const packed = deflateSync(Buffer.from(`${index} ${inside.join(' ')}`))
  const parts = [
    '%PDF-1.5\n',
    `4 0 obj\n<< /Length ${String(contents.length)} >>\nstream\n${contents}\nendstream\nendobj\n`,
    `5 0 obj\n<< /Type /ObjStm /N 3 /First ${String(index.length + 1)} /Filter /FlateDecode /Length ${String(packed.length)} >>\nstream\n`,
    packed.toString('latin1'),
    '\nendstream\nendobj\n',
  ]
  const at = (part: number): number => parts.slice(0, part).join('').length
  // The columns of a cross-reference stream: the type, the offset or stream, and the generation or index.
  const rows = [
    [0, 0, 255],
    [2, 5, 0],
    [2, 5, 1],
    [2, 5, 2],
    [1, at(1), 0],
    [1, at(2), 0],
    [1, at(5), 0],
  ]
  const table = rows.map(([type = 0, where = 0, last = 0]) =>
    String.fromCharCode(type, where >> 24, (where >> 16) & 255, (where >> 8) & 255, where & 255, last),
  )
  const head = '6 0 obj\n<< /Type /XRef /Size 7 /W [1 4 1] /Root 1 0 R /Length 42 >>\nstream\n'
  const end = `\nendstream\nendobj\nstartxref\n${String(at(5))}\n%%EOF\n`
  return bytesOf([...parts, head, ...table, end].join(''))
}

const catalogue = '<< /Type /Catalog /Pages 2 0 R >>'
const onePage = '<< /Type /Pages /Kids [3 0 R] /Count 1 >>'
const leaf = (size: string, entries: string): string =>
  `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${size}] ${entries} >>`
/** A black square, so that the page is not empty. */
const square = '72 72 144 144 re f'

/** Returns this number of megabytes of spaces, compressed as repeated independent blocks of one megabyte. */
function deflated(megabytes: number): Uint8Array {
  const block = deflateRawSync(Buffer.alloc(1 << 20, 0x20), { level: 9, finishFlush: constants.Z_FULL_FLUSH })
  const header = Buffer.from([0x78, 0x9c])
  return Buffer.concat([header, ...Array.from({ length: megabytes }, () => block), Buffer.from([0x03, 0x00])])
}

/** A page of 200 by 200 inches: allowed in a PDF, but with more pixels than any label. */
export const hugePage = (): Uint8Array =>
  rawPdf([catalogue, onePage, leaf('14400 14400', '/Contents 4 0 R'), ['', bytesOf(square)]])

/**
 * Returns a PDF with one page and an object stream that unpacks to an array of this number of zeros. A parser that
 * keeps each value needs much more memory than the size of the stream.
 */
export function arrayBomb(values: number): Uint8Array {
  const head = '5 0 '
  const packed = deflateSync(Buffer.from(`${head}[${'0 '.repeat(values)}]`), { level: 9 })
  return rawPdf([
    catalogue,
    onePage,
    leaf('288 432', '/UserUnit 1 /Contents 4 0 R'),
    ['', bytesOf('0 0 100 100 re f')],
    'null',
    [`/Type /ObjStm /N 1 /First ${String(head.length)} /Filter /FlateDecode`, packed],
  ])
}

/** Returns a PDF with one page at the end of a long chain of page tree nodes. */
export function deepPageTree(depth: number): Uint8Array {
  const nodes = Array.from(
    { length: depth },
    (_, at) =>
      `<< /Type /Pages /Kids [${String(at + 3)} 0 R] /Count 1 ${at === 0 ? '' : `/Parent ${String(at + 1)} 0 R`} >>`,
  )
  const page = `<< /Type /Page /Parent ${String(depth + 1)} 0 R /MediaBox [0 0 288 432] /Contents ${String(depth + 3)} 0 R >>`
  return rawPdf([catalogue, ...nodes, page, ['', bytesOf(square)]])
}

/** A page tree that contains itself. */
export const circularPageTree = (): Uint8Array =>
  rawPdf([catalogue, '<< /Type /Pages /Kids [2 0 R] /Count 9 >>'])

/** Page content of `megabytes` of spaces, compressed to a thousandth. */
export const contentBomb = (megabytes: number): Uint8Array =>
  rawPdf([
    catalogue,
    onePage,
    leaf('288 432', '/Contents 4 0 R'),
    ['/Filter /FlateDecode', deflated(megabytes)],
  ])

/** Content that is compressed twice, to a few kilobytes. */
export const nestedBomb = (megabytes: number): Uint8Array =>
  rawPdf([
    catalogue,
    onePage,
    leaf('288 432', '/Contents 4 0 R'),
    ['/Filter [/FlateDecode /FlateDecode]', deflateSync(deflated(megabytes), { level: 9 })],
  ])

/** A picture of 60,000 by 60,000 pixels. */
export const pictureBomb = (): Uint8Array =>
  rawPdf([
    catalogue,
    onePage,
    leaf('288 432', '/Contents 4 0 R /Resources << /XObject << /P 5 0 R >> >>'),
    ['', bytesOf('200 0 0 200 0 0 cm /P Do')],
    [
      '/Type /XObject /Subtype /Image /Width 60000 /Height 60000 /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode',
      deflated(1),
    ],
  ])

/** An object stream that unpacks to `megabytes`, for readers that read all objects. */
export const objectStreamBomb = (megabytes: number): Uint8Array =>
  rawPdf([
    catalogue,
    onePage,
    leaf('288 432', '/Contents 4 0 R'),
    ['', bytesOf(square)],
    ['/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode', deflated(megabytes)],
  ])

/** A form XObject that draws itself. */
export const selfDrawingForm = (): Uint8Array =>
  rawPdf([
    catalogue,
    onePage,
    leaf('288 432', '/Contents 4 0 R /Resources << /XObject << /F 5 0 R >> >>'),
    ['', bytesOf(`${square} /F Do`)],
    [
      '/Type /XObject /Subtype /Form /BBox [0 0 288 432] /Resources << /XObject << /F 5 0 R >> >>',
      bytesOf('/F Do /F Do'),
    ],
  ])

/** A document with more pages than a file of labels may have. */
export const manyPages = (pages: number): Uint8Array =>
  rawPdf([
    catalogue,
    `<< /Type /Pages /Kids [${Array.from({ length: pages }, () => '3 0 R').join(' ')}] /Count ${String(pages)} >>`,
    leaf('288 432', '/Contents 4 0 R'),
    ['', bytesOf(square)],
  ])

/** An HTML page that a web server sends with status 200 instead of 503. */
export const htmlPage = (): Uint8Array =>
  bytesOf('<!doctype html><html><head><title>503</title></head><body>Service unavailable</body></html>')

/** The first bytes of a JPEG picture. */
export const jpegStart = (): Uint8Array =>
  Buffer.concat([bytesOf('\u00ff\u00d8\u00ff\u00e0\u0000\u0010JFIF\u0000'), Buffer.alloc(2_000, 7)])
