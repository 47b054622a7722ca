import { PDFDocument, degrees } from 'pdf-lib'
import { describe, expect, it } from 'vitest'
import { drawLabel } from '#labels/draw/draw-label.ts'
import { mergeDocuments, paperSizeOf } from '#labels/place/whole-pages.ts'
import { labelSpec } from '#support/label-specs.ts'

const mm = 72 / 25.4

async function paper(...sizes: readonly (readonly [number, number, number?])[]): Promise<Uint8Array> {
  const document = await PDFDocument.create()
  for (const [widthMm, heightMm, turn = 0] of sizes)
    document.addPage([widthMm * mm, heightMm * mm]).setRotation(degrees(turn))
  return document.save()
}

describe('the paper size of a document', () => {
  it.each([
    ['4x6', 'label'],
    ['a6', 'label'],
    ['sheet', 'page'],
    // a label in landscape format also has the size `label`
    ['rotated', 'label'],
  ] as const)('is, for a label with the layout %s: %s', async (layout, size) => {
    expect(await paperSizeOf(await drawLabel(labelSpec({ layout })))).toBe(size)
  })

  it('is “label” if its page is up to 120 mm wide, for any length and rotation', async () => {
    expect(await paperSizeOf(await paper([119.9, 400]))).toBe('label')
    expect(await paperSizeOf(await paper([400, 119.9, 90]))).toBe('label')
    expect(await paperSizeOf(await paper([120.5, 120.5]))).toBe('page')
  })

  it('is “page” if one page of the document is wider than a label', async () => {
    expect(await paperSizeOf(await paper([100, 150], [210, 297], [100, 150]))).toBe('page')
    const labels = [labelSpec(), labelSpec({ layout: 'a6' })]
    expect(await paperSizeOf(await mergeDocuments(await Promise.all(labels.map(drawLabel))))).toBe('label')
  })

  it('cannot be determined for a file that is not a PDF', async () => {
    await expect(paperSizeOf(new TextEncoder().encode('hello'))).rejects.toMatchObject({
      failure: { code: 'document.not_a_pdf' },
    })
  })
})
