import { PDFDocument, PDFName, PDFString } from 'pdf-lib'
import { drawFace, labelPage, linearBoxes, ptPerMm } from './drawing.ts'
import {
  circularPageTree,
  contentBomb,
  deepPageTree,
  htmlPage,
  hugePage,
  jpegStart,
  manyPages,
  nestedBomb,
  objectStreamBomb,
  packedObjects,
  pictureBomb,
  selfDrawingForm,
} from './hostile.ts'
import { code, face, saved } from './pages.ts'
import type { CorpusRow } from './row.ts'

const unreadable = (cause: string): { code: 'document.unreadable'; cause: string } => ({
  code: 'document.unreadable',
  cause,
})
const notPdf = { code: 'document.not_a_pdf' } as const

async function encrypted(
  algorithm: 'AES-256' | 'AES-128' | 'RC4-128' | 'RC4-40',
  userPassword = '',
): Promise<Uint8Array> {
  const document = await labelPage(face())
  document.encrypt({
    ownerPassword: 'kept by the carrier',
    userPassword,
    permissions: { printing: 'highResolution', modifying: false, copying: false },
    algorithm,
    allowWeakCryptography: true,
  })
  return document.save()
}

/** Returns a PDF with an appended second revision that draws the page again. */
async function secondRevision(): Promise<Uint8Array> {
  const first = await (await labelPage(face({ code: null }))).save({ useObjectStreams: false })
  const document = await PDFDocument.load(first, { forIncrementalUpdate: true, updateMetadata: false })
  await drawFace(document.getPage(0), face({ isFramed: false }))
  return document.commit()
}

const withText = async (before: string, after: string): Promise<Uint8Array> =>
  Buffer.concat([Buffer.from(before), await saved(), Buffer.from(after)])

/** Returns a label of 100 by 100 mm, drawn with plain PDF operators. One user unit of the page has `unit` points. */
function packedLabel(unit: number): Uint8Array {
  const pt = (mm: number): string => ((mm * ptPerMm) / unit).toFixed(3)
  const bars = linearBoxes('code128', code, 0.375)
  const boxes = bars.map(({ xMm, widthMm }) => `${pt(20 + xMm)} ${pt(20)} ${pt(widthMm)} ${pt(30)} re`)
  return packedObjects(`${pt(100)} ${pt(100)}`, `/UserUnit ${String(unit)}`, `${boxes.join(' ')} f`)
}

/** Returns a PDF with wrong offsets, so that a reader has to search for the objects. */
async function wrongOffsets(): Promise<Uint8Array> {
  const plain = Buffer.from(await (await labelPage(face())).save({ useObjectStreams: false })).toString(
    'latin1',
  )
  return Buffer.from(plain.replace(/startxref\s+\d+/, 'startxref\n7'), 'latin1')
}

/** Returns the first part of the file, as after a broken connection. */
async function truncated(share: number): Promise<Uint8Array> {
  const whole = await (await labelPage(face())).save()
  return whole.subarray(0, Math.floor(whole.length * share))
}

/** Returns a PDF with scripts and programs that a viewer might run when it opens or prints the label. */
async function withActions(): Promise<Uint8Array> {
  const document = await labelPage(face())
  const { context, catalog } = document
  document.addJavaScript('start', 'app.alert("printed"); this.closeDoc(true)')

  catalog.set(PDFName.of('OpenAction'), context.obj({ S: 'Launch', F: PDFString.of('calc.exe') }))
  catalog.set(PDFName.of('AA'), context.obj({ WP: { S: 'JavaScript', JS: PDFString.of('while (true) {}') } }))
  document
    .getPage(0)
    .node.set(PDFName.of('AA'), context.obj({ O: { S: 'URI', URI: PDFString.of('https://evil.example/') } }))
  await document.attach(new Uint8Array(1_000), 'calc.exe')
  return document.save()
}

/** Rows of the corpus: file formats, damaged files and hostile files. */
export const containerRows: readonly CorpusRow[] = [
  {
    name: 'object streams',
    how: 'PDF 1.5 cross-reference stream',
    make: async () => (await labelPage(face())).save({ useObjectStreams: true }),
    prints: [[code]],
  },
  {
    name: 'page in an object stream',
    how: 'as most writers do it since PDF 1.5',
    make: () => packedLabel(1),
    prints: [[code]],
    on: { '58 mm, 203 dpi': [[code]] },
  },
  {
    name: 'UserUnit in an object stream',
    how: 'a unit of three points: half a size would show',
    make: () => packedLabel(3),
    prints: [[code]],
    on: { '58 mm, 203 dpi': [[code]] },
  },
  {
    name: 'plain objects',
    how: 'PDF 1.4 cross-reference table',
    make: async () => (await labelPage(face())).save({ useObjectStreams: false }),
    prints: [[code]],
  },
  {
    name: 'second revision',
    how: 'the barcode added by an incremental update',
    make: secondRevision,
    prints: [[code]],
  },
  {
    name: 'bytes before and after',
    how: 'HTTP noise before the header, HTML after the end',
    make: () => withText('\r\n\r\n--boundary\r\n', '\n<!-- 12 ms -->'),
    prints: [[code]],
  },
  { name: 'wrong offsets', how: 'startxref points nowhere', make: wrongOffsets, prints: [[code]] },
  {
    name: 'encrypted, AES-256',
    how: 'owner’s password only',
    make: () => encrypted('AES-256'),
    prints: [[code]],
  },
  {
    name: 'encrypted, AES-128',
    how: 'owner’s password only',
    make: () => encrypted('AES-128'),
    prints: [[code]],
  },
  {
    name: 'encrypted, RC4-128',
    how: 'owner’s password only',
    make: () => encrypted('RC4-128'),
    prints: [[code]],
  },
  {
    name: 'encrypted, RC4-40',
    how: 'owner’s password only',
    make: () => encrypted('RC4-40'),
    prints: [[code]],
  },
  {
    name: 'locked',
    how: 'user’s password',
    make: () => encrypted('AES-256', 'secret'),
    prints: unreadable('password'),
  },
  {
    name: 'scripts and launch actions',
    how: 'on opening and printing; never run',
    make: withActions,
    prints: [[code]],
  },
  { name: 'HTML error page', how: 'status 200', make: htmlPage, prints: notPdf },
  { name: 'JPEG', how: 'not a PDF', make: jpegStart, prints: notPdf },
  { name: 'empty file', how: '0 bytes', make: () => new Uint8Array(), prints: notPdf },
  { name: 'truncated', how: 'the first half', make: () => truncated(0.5), prints: unreadable('damaged') },
  { name: 'huge page', how: '200 by 200 inch', make: hugePage, prints: unreadable('page_size') },
  {
    name: 'too many pages',
    how: '101 times the same',
    make: () => manyPages(101),
    prints: unreadable('page_count'),
  },
  {
    name: 'deep page tree',
    how: '20,000 nodes',
    make: () => deepPageTree(20_000),
    prints: unreadable('page_size'),
  },
  {
    name: 'page tree in a circle',
    how: 'holds itself',
    make: circularPageTree,
    prints: unreadable('page_size'),
  },
  { name: 'form that draws itself', how: 'without end', make: selfDrawingForm, prints: unreadable('memory') },
  {
    name: 'deflate bomb',
    how: '1 GB of page content in 1 MB',
    make: () => contentBomb(1_024),
    prints: unreadable('memory'),
  },
  {
    name: 'deflate bomb in a bomb',
    how: '1 GB of page content in 4 kB',
    make: () => nestedBomb(1_024),
    prints: unreadable('memory'),
  },
  {
    name: 'picture bomb',
    how: '60,000 by 60,000 pixels and nothing else',
    make: pictureBomb,
    prints: unreadable('blank'),
  },
  {
    name: 'object stream bomb',
    how: '1 GB beside a plain page',
    make: () => objectStreamBomb(1_024),
    prints: [[]],
  },
]
