import { z } from 'zod'
import { decodeBytes, readMarks, writeMarks } from '#shared/domain/scanner-bytes.ts'
import { codeMatch, codeStretches, searchParts, textOfArticle } from '#shared/domain/article-search.ts'
import { parseBadge } from '#shared/domain/badge.ts'
import { meaningsOf } from '#shared/domain/barcode/meanings.ts'
import { trackingReadings } from '#shared/domain/carriers/tracking.ts'
import {
  codeShape,
  hasMarker,
  markersIn,
  withoutMarker,
  baseExternalReference,
  normaliseCode,
  otherHashForm,
  parseReference,
} from '#shared/domain/references.ts'
import { commandTails, looksLikeCommand, readCommand } from '#shared/domain/commands.ts'
import { foldText } from '#shared/domain/text-forms.ts'
import { readAs, readBarcode } from '#shared/domain/gs1/read-barcode.ts'
import { codeKey, spellingsOf } from '#shared/domain/gtin.ts'
import { hidPosPage, HidPosReader } from '#shared/domain/hid-pos.ts'
import { idHash } from '#shared/domain/id-hash.ts'
import { parseLocationCode, readLocationTable } from '#shared/domain/locations.ts'
import { looksLikePdf } from '#shared/domain/pdf-magic.ts'
import { judgeLabel } from '#shared/domain/preflight.ts'
import { isInternetHost, isWebUrl } from '#shared/domain/public-address.ts'
import { FrameSplitter } from '#shared/domain/serial-frames.ts'
import { addressFault, parseHosts } from '#shared/domain/station-fields.ts'
import { parseTestMark } from '#shared/domain/test-page.ts'
import { burstStart, type WedgeKey } from '#shared/domain/wedge/stroke.ts'
import { StrokeRecorder } from '#shared/domain/wedge/stroke-recorder.ts'
import { WedgeDecoder } from '#shared/domain/wedge/wedge-decoder.ts'
import type { Route } from '#shared/wire/routes.ts'
import { shipment } from '#shared/wire/shipment.ts'
import { bodyLimits, exceedsLimits, isJsonWithin } from '#shared/wire/limits.ts'
import { withoutSecrets } from '#kit/logger.ts'
import { mayFetchDocument } from '#remote/document-download.ts'
import { judge, refusedSenderField } from '#remote/judge.ts'
import { rowPage } from '#remote/row-page.ts'
import { printersWords } from '#printing/driver-result.ts'
import { escposStatus } from '#printing/escpos-printer.ts'
import { createFolderPrinter } from '#printing/folder-printer.ts'
import { type IppAddress, ippAddress, printerBehind } from '#printing/ipp-client.ts'
import { decodeIpp } from '#printing/ipp-codec.ts'
import { sizeInName } from '#printing/ipp-media.ts'
import type { RawConnection } from '#printing/raw-connection.ts'
import { causeInStatus, parseQueues } from '#printing/windows-powershell.ts'
import { parseHostStatus, zplStatus } from '#printing/zpl-printer.ts'
import { addressLines } from '#labels/draw/address-lines.ts'
import { toWinAnsi } from '#labels/draw/winansi.ts'
import { servedRoutes } from '#shared/wire/warehouse-routes.ts'
import { findJsonFault, problemsOf } from '../../electron/main/provisioning-content.ts'

/** Length of the texts: a megabyte, more than every limit for texts from outside the program. */
export const size = 1_000_000

const times = (piece: string): string => piece.repeat(Math.ceil(size / piece.length)).slice(0, size)
const uuid = '0f0e0d0c-0b0a-4908-8706-050403020100'

/** Texts that make badly written patterns and loops slow. In many of them, the last character prevents a match. */
export const worstTexts: Readonly<Record<string, string>> = {
  dashes: `x${times('-')}x`,
  digits: `${times('0')}x`,
  spaces: `x${times(' ')}x`,
  commas: `x${times(',')}"`,
  slashes: `https://h/${times('/')}\n`,
  dots: `a@${times('a.')}`,
  letters: `${times('aA')}!`,
  'GS1 elements with separators': `]C1${times('10A\u001D')}`,
  'GS1 elements in brackets': times('(10)A'),
  'a Digital Link with many pairs': `https://h/01/08712345678906?${times('98=a&')}`,
  'brackets, nested': times('['),
  'braces, nested': times('{"a":'),
  'quotes, escaped': `"${times('\\"')}`,
  '%25 chains': `https://h/${times('%25')}`,
  'CR and LF': times('\r\n'),
  'tabs and blanks': `${times('\t ')}|`,
  'surrogates without a partner': times('\uD800'),
  'combining marks': `a${times('\u0301\u0316\u0327')}`,
  'letters with accents': times('é ü'),
  uuids: times(`${uuid}|`),
  'note markers': times('#0123456789abcdef012'),
  'control characters': times('\u0002\u0003\u0000'),
  quotes: times('"'),
  'equals signs': times('='),
  'sizes of paper': times('1 x'),
  'web tokens': times('eyJ.'),
  'many beginnings of web tokens': times(' eyJa'),
  'logins in addresses': times('://a:'),
  'queries of addresses': times('?a'),
  'schemes of logins': times('Bearer '),
  'names of secrets': times('token:'),
  'secrets without an end': times('token="'),
  'secrets in brackets': times('"token":{'),
  'backslashes before values': `token=${times('\\')}`,
  'names before backslashes': times('token\\'),
}

const key = (sign: string, timeStampMs: number): WedgeKey => ({
  ...{ key: sign, code: '', timeStampMs, field: 'text' },
  ...{ ctrl: false, alt: false, meta: false, altGraph: false, shift: false, capsLock: false },
  ...{ repeat: false, composing: false, hasTyped: false },
})

/** Returns a connection over which a printer sends this text. */
function saying(text: string): { connection: RawConnection; say: () => void } {
  let listener: (bytes: Uint8Array) => void = () => undefined
  const connection: RawConnection = {
    onBytes: (given) => (listener = given),
    write: () => Promise.resolve(null),
    until: () => Promise.resolve(null),
    finish: () => Promise.resolve(null),
    lost: () => null,
  }
  const bytes = Buffer.from(text)
  return {
    connection,
    say: () => {
      for (let at = 0; at < bytes.length; at += 65_536) listener(bytes.subarray(at, at + 65_536))
    },
  }
}

const year = 2026
const queue: IppAddress = { uri: '', isSecure: false, host: '127.0.0.1', port: 631, path: '/' }
const service = new URL('https://service.example/')
const article = { name: '', ean: null, sku: null, articleCode: '' }
const address = {
  ...{ addressedTo: '', contactPerson: null, street: '', street2: null, streetNumber: '' },
  ...{ streetNumberAddition: null, zipcode: '', city: '', country: 'NL', state: null },
}
const rules = { ending: 'line', endText: '', prefix: '', suffix: '' } as const
const answer = (status: number, body: string): Parameters<typeof judge>[0] => ({
  ...{ kind: 'response', status, headers: { 'content-type': 'application/json' } },
  body: Buffer.from(body),
})
const json = (value: unknown): string => JSON.stringify(value)
const manyOf = (row: unknown, count = size / 4): unknown[] => Array.from({ length: count }, () => row)

/** Every function that receives text from outside the program, by name. Some return a promise. */
export const foreignText: Readonly<Record<string, (text: string) => unknown>> = {
  'withoutSecrets (lines of the log)': (text) => withoutSecrets(json({ msg: text })),
  'withoutSecrets (lines that are no JSON)': (text) => withoutSecrets(text),
  'decodeBytes (scanners)': (text) => decodeBytes([...Buffer.from(text)]),
  'readBarcode (scans)': (text) => readBarcode(text, year),
  'readAs elements (scans)': (text) => readAs('elements', text, year),
  'readAs bracketed (scans)': (text) => readAs('bracketed', text, year),
  'readAs link (scans)': (text) => readAs('link', text, year),
  'meaningsOf (scans)': (text) => meaningsOf(text, year),
  'trackingReadings (scans)': (text) => trackingReadings(text),
  'parseReference, normaliseCode and their like (scans)': (text) =>
    [
      parseReference,
      normaliseCode,
      otherHashForm,
      baseExternalReference,
      codeShape,
      codeKey,
      spellingsOf,
    ].map((read) => read(text)),
  'idHash (ids of the service)': (text) => idHash(text),
  'readCommand, commandTails, parseBadge, parseTestMark (scans)': (text) => [
    ...[null, 'A1B2C'].map((secret) => readCommand(text, secret)),
    ...[commandTails, looksLikeCommand, parseBadge, parseTestMark].map((read) => read(text)),
  ],
  'parseLocationCode (scans)': (text) => parseLocationCode(text),
  'judgeLabel (barcodes of a label)': (text) =>
    judgeLabel({ pages: [{ texts: [text], hasUnreadBars: false }], expected: ['X'], known: () => null }),
  'FrameSplitter (serial scanners)': (text) => new FrameSplitter(rules).feed(Buffer.from(text)),
  'FrameSplitter without an ending (serial scanners)': (text) => {
    const splitter = new FrameSplitter({ ...rules, ending: 'text', endText: 'never' })
    return [splitter.feed(Buffer.from(text)), splitter.silence()]
  },
  'HidPosReader (HID scanners)': (text) => {
    const item = { usages: [0x8c_00fe], reportSize: 8, reportCount: 56 }
    const reader = new HidPosReader([
      { usagePage: hidPosPage, inputReports: [{ reportId: 1, items: [item] }] },
    ])
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += 56) reader.take(1, bytes.subarray(at, at + 56), at)
  },
  'WedgeDecoder (keyboard scanners)': (text) => {
    const decoder = new WedgeDecoder<null>()
    let atMs = 0
    for (const sign of text.slice(0, 50_000)) decoder.feed(key(sign, (atMs += 5)), () => null)
    return decoder.feed(key('Enter', atMs + 5), () => null)
  },
  'WedgeDecoder with pauses between (keyboard scanners)': (text) => {
    const decoder = new WedgeDecoder<null>()
    let atMs = 0
    const signs = Array.from(text.slice(0, 7_900))
    for (const [at, sign] of signs.entries())
      decoder.feed(key(sign, (atMs += at < 4_000 ? 40 : at % 8 === 0 ? 200 : 1)), () => null)
    return decoder.feed(key('Enter', atMs + 1), () => null)
  },
  'burstStart (keyboard scanners)': () =>
    burstStart(Array.from({ length: 100_000 }, (_, at) => (at < 50_100 ? 40 : at % 8 === 0 ? 200 : 1))),
  'StrokeRecorder (calibration of keyboard scanners)': (text) => {
    const recorder = new StrokeRecorder()
    let atMs = 0
    for (const sign of text.slice(0, 200_000)) recorder.feed(key(sign, (atMs += 1)))
    return recorder.finish()
  },
  'foldText (names)': (text) => foldText(text),
  'searchParts, codeStretches, codeMatch (search)': (text) => [
    searchParts(text),
    codeStretches(text),
    codeMatch({ ...article, articleCode: text }, text),
  ],
  'textOfArticle (articles)': (text) =>
    textOfArticle({ name: text, ean: text, sku: text, articleCode: text }),
  'readMarks, writeMarks (setup)': (text) => [readMarks(text), writeMarks(text)],
  'addressFault, parseHosts (setup)': (text) => [addressFault(text), parseHosts(text)],
  'markersIn, hasMarker, withoutMarker (notes)': (text) => [
    markersIn(text),
    hasMarker(text, uuid),
    withoutMarker(text),
  ],
  'readLocationTable (location file)': (text) =>
    readLocationTable(text.split('\n').map((line, at) => ({ line: at, cells: line.split(',') }))),
  'findJsonFault (provisioning)': (text) => findJsonFault(text),
  'problemsOf (provisioning)': (text) => [
    problemsOf(text),
    problemsOf({
      stations: manyOf({ name: 1 }, 10_000),
      [text]: text,
      routes: { [text]: manyOf({}, 10_000) },
    }),
  ],
  'looksLikePdf (documents)': (text) => looksLikePdf(Buffer.from(text)),
  'mayFetchDocument (addresses of documents)': (text) =>
    URL.canParse(text) && mayFetchDocument(new URL(text), service, [text]),
  'isJsonWithin (bodies)': (text) =>
    [text, `"${text}`].map((each) => isJsonWithin(Buffer.from(each), bodyLimits)),
  'isWebUrl (tracking)': (text) => [text, `https://h/${text}`].map(isWebUrl),
  'isInternetHost (webhooks)': (text) => isInternetHost(text),
  'exceedsLimits (bodies)': (text) => [exceedsLimits(text), exceedsLimits(manyOf({}))],
  'judge, an answer that is not JSON': (text) => judge(answer(200, text), shipment, 'other', 'h'),
  'judge, a refusal': (text) => [
    judge(answer(400, text), shipment, 'return_label', 'h'),
    judge(answer(400, json({ error: text })), shipment, 'return_label', 'h'),
    judge(answer(400, json({ errors: { [text]: text } })), shipment, 'return_label', 'h'),
  ],
  'refusedSenderField (refusals)': (text) => refusedSenderField({ errors: { [text]: [text] } }),
  'rowPage (lists)': (text) => {
    const rows = rowPage(shipment)(100)
    return [rows.safeParse(manyOf({})), rows.safeParse(manyOf({ id: text, reference: text }))]
  },
  'the schemas of the wire': (text) =>
    wireForms(text).map(({ schema, values }) => values.map((value) => schema.safeParse(value).success)),
  'file names of the folder printer': (text) =>
    createFolderPrinter('p', '/nonexistent').lookFor([
      { jobId: text, externalReference: text, createdAt: 0, isReprint: false },
    ]),
  'decodeIpp (printers)': (text) =>
    decodeIpp(Buffer.from(`\u0001\u0001\u0000\u0000\u0000\u0000\u0000\u0001\u0004${text}`)),
  'ippAddress, sizeInName, printersWords (printers)': (text) => [
    ...[ippAddress, sizeInName, printersWords].map((read) => read(text)),
    printerBehind(queue, `ipp://${text}`),
    printerBehind(queue, `ipp://h/${text}`),
  ],
  'zplStatus (printers)': (text) => {
    const { connection, say } = saying(text)
    zplStatus(connection)
    say()
    return parseHostStatus([text, text, text])
  },
  'escposStatus (printers)': (text) => {
    const { connection, say } = saying(text)
    escposStatus(connection)
    say()
  },
  'parseQueues, causeInStatus (printers of Windows)': (text) => [
    parseQueues(text),
    parseQueues(json({ queues: [{ name: text, status: text, papers: [text] }], jobs: [] })),
    causeInStatus(text),
  ],
  'toWinAnsi, addressLines (labels)': (text) => [
    toWinAnsi(text),
    addressLines({ ...address, zipcode: text, city: text, country: text }),
  ],
}

/** A schema of requests or responses, and the values that take the longest time to check against it. */
interface WireForm {
  readonly schema: z.ZodType
  readonly values: readonly unknown[]
}

/**
 * Returns every schema of the route table with three values to check against it: `text`, an array that contains `text`,
 * and the value that `filled` returns. A schema that several routes share is returned once, and a schema of a field
 * that several objects share gets `text` once.
 */
function wireForms(text: string): WireForm[] {
  const all = Object.values<Route<string>>(servedRoutes).flatMap(({ params, query, body, response }) => [
    ...[params, query, body, response].filter((schema) => schema !== undefined),
  ])
  const used = new Set<unknown>()
  return [...new Set(all)].map((schema) => ({ schema, values: [text, [text], filled(schema, text, used)] }))
}

/**
 * Returns a value with the objects and arrays of the schema, with `text` in place of every other value whose schema is
 * not in `used`, and with a short text in place of the rest. Adds the schemas that get `text` to `used`.
 */
function filled(schema: unknown, text: string, used: Set<unknown>): unknown {
  if (schema instanceof z.ZodObject)
    return Object.fromEntries(
      Object.entries(schema.shape).map(([name, inner]) => [name, filled(inner, text, used)]),
    )
  if (schema instanceof z.ZodArray) return [filled(schema.element, text, used)]
  if (schema instanceof z.ZodUnion) return filled(schema.options[0], text, used)
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return filled(schema.unwrap(), text, used)
  if (used.has(schema)) return 'x'
  used.add(schema)
  if (schema instanceof z.ZodRecord) return { [text]: text }
  if (schema instanceof z.ZodPipe) {
    const inner = filled(schema.in, text, new Set())
    return inner === text ? filled(schema.out, text, new Set()) : inner
  }
  return text
}
