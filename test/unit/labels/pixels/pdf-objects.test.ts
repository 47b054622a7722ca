import { deflateSync } from 'node:zlib'
import { PDFDocument } from 'pdf-lib'
import { describe, expect, it } from 'vitest'
import { objectStreams } from '#labels/pixels/pdf-objects.ts'
import { objectStreamBomb, rawPdf } from '#support/label-corpus/hostile.ts'

const stream = (entries: string, bytes: Uint8Array): Uint8Array =>
  rawPdf(['<< /Type /Catalog >>', [entries, bytes]])
const packed = deflateSync(Buffer.from('7 0 << /UserUnit 2 >>'))

describe('objectStreams()', () => {
  it('unpacks the object streams of a PDF and no other streams', async () => {
    const document = await PDFDocument.create()
    document.addPage().drawRectangle({})
    document.setTitle('a title among the objects')
    const streams = objectStreams(await document.save({ useObjectStreams: true }))
    expect(streams?.some((bytes) => bytes.includes('/Title'))).toBe(true)
    expect(streams?.some((bytes) => bytes.includes(' re'))).toBe(false)
    expect(objectStreams(await document.save({ useObjectStreams: false }))).toEqual([])
  })

  it.each([
    ['as by most programs', '/Type /ObjStm /Filter /FlateDecode'],
    ['with names that contain encoded letters', '/Type /#4fbjStm /Filter /Fl#61teDecode'],
    ['with a list of one filter', '/Type/ObjStm/Filter[/FlateDecode]'],
  ])('finds an object stream that is written %s', (_, entries) => {
    expect(objectStreams(stream(entries, packed))?.map(String)).toEqual(['7 0 << /UserUnit 2 >>'])
  })

  it.each([
    ['object streams that unpack to too many bytes', objectStreamBomb(64)],
    ['an object stream with an unknown filter', stream('/Type /ObjStm /Filter /LZWDecode', packed)],
    [
      'an object stream that is packed twice',
      stream('/Type /ObjStm /Filter [/FlateDecode /FlateDecode]', deflateSync(packed)),
    ],
    [
      'a large encrypted object stream',
      rawPdf(['<< /Type /Catalog >>', ['/Type /ObjStm', Buffer.alloc(300_000)]], '/Encrypt 1 0 R'),
    ],
  ])('returns null for %s', (_, pdf) => {
    expect(objectStreams(pdf)).toBeNull()
  })

  it('returns an empty text for a damaged object stream', () => {
    const broken = stream('/Type /ObjStm /Filter /FlateDecode', Buffer.from('not deflate'))
    expect(objectStreams(broken)?.map(String)).toEqual([''])
  })
})
