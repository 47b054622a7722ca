import { deflateSync } from 'node:zlib'
import { PDFDocument } from 'pdf-lib'
import { describe, expect, it } from 'vitest'
import { objectStreams } from '#labels/pixels/pdf-objects.ts'
import { objectStreamBomb, rawPdf } from '#support/label-corpus/hostile.ts'

const stream = (entries: string, bytes: Uint8Array): Uint8Array =>
  rawPdf(['<< /Type /Catalog >>', [entries, bytes]])
const packed = deflateSync(Buffer.from('7 0 << /UserUnit 2 >>'))

describe('objectStreams()', () => {
  it('unpacks object streams and no other stream', async () => {
    const document = await PDFDocument.create()
    document.addPage().drawRectangle({})
    document.setTitle('a title among the objects')
    const streams = objectStreams(await document.save({ useObjectStreams: true }))
    expect(streams?.some((bytes) => bytes.includes('/Title'))).toBe(true)
    expect(streams?.some((bytes) => bytes.includes(' re'))).toBe(false)
    expect(objectStreams(await document.save({ useObjectStreams: false }))).toEqual([])
  })

  it.each([
    ['as written by most', '/Type /ObjStm /Filter /FlateDecode'],
    ['with a name in disguise', '/Type /#4fbjStm /Filter /Fl#61teDecode'],
    ['as a list of one filter', '/Type/ObjStm/Filter[/FlateDecode]'],
  ])('finds object streams %s', (_, entries) => {
    expect(objectStreams(stream(entries, packed))?.map(String)).toEqual(['7 0 << /UserUnit 2 >>'])
  })

  it.each([
    ['too much', objectStreamBomb(64)],
    ['another packing', stream('/Type /ObjStm /Filter /LZWDecode', packed)],
    ['packed twice', stream('/Type /ObjStm /Filter [/FlateDecode /FlateDecode]', deflateSync(packed))],
    [
      'much that is encrypted',
      rawPdf(['<< /Type /Catalog >>', ['/Type /ObjStm', Buffer.alloc(300_000)]], '/Encrypt 1 0 R'),
    ],
  ])('refuses to read %s', (_, pdf) => {
    expect(objectStreams(pdf)).toBeNull()
  })

  it('returns nothing for damaged streams', () => {
    const broken = stream('/Type /ObjStm /Filter /FlateDecode', Buffer.from('not deflate'))
    expect(objectStreams(broken)?.map(String)).toEqual([''])
  })
})
