import { PDFDocument, degrees } from 'pdf-lib'
import { describe, expect, it } from 'vitest'
import { type Bitmap, inkBox } from '#labels/pixels/bitmap.ts'
import { drawLabel } from '#labels/draw/draw-label.ts'
import { findLinearSymbols } from '#labels/read/find-symbols.ts'
import { layOnPaper, rasterise } from '#labels/place/lay-labels.ts'
import { planCode128 } from '#labels/draw/symbols.ts'
import { labelSpec, longestAddress } from '#support/label-specs.ts'

const wide = { dpi: 203, widthDots: 832 }
const receipt = { dpi: 203, widthDots: 576 }
const narrow = { dpi: 203, widthDots: 384 }

async function only(pdf: Uint8Array, paper = wide): Promise<Bitmap> {
  const [label, ...others] = await rasterise(pdf, paper)
  if (!label || others.length > 0) throw new Error('not one label')
  return label
}

/**
 * Returns a document with a page of this size in points, and black boxes with coordinates from its lower left corner.
 */
async function page(
  size: [number, number],
  boxes: [number, number, number, number][],
  turn = 0,
): Promise<PDFDocument> {
  const document = await PDFDocument.create()
  const drawn = document.addPage(size)
  drawn.setRotation(degrees(turn))
  for (const [x, y, width, height] of boxes) drawn.drawRectangle({ x, y, width, height })
  return document
}

describe('rasterise()', () => {
  it.each(['4x6', 'a6', 'sheet', 'rotated'] as const)(
    'returns every bar of the barcode in its planned width for a label with the layout %s on 104 mm paper',
    async (layout) => {
      for (const trackingCode of ['RP994230322NL', 'A'.repeat(18), 'A'.repeat(29)]) {
        const spec = labelSpec({
          layout,
          trackingCode,
          sample: true,
          sender: longestAddress,
          recipient: longestAddress,
        })
        const label = await only(await drawLabel(spec))
        expect(label.widthDots).toBe(832)
        const [symbol] = findLinearSymbols(label, 203)
        const plan = planCode128(trackingCode, layout === '4x6' || layout === 'rotated' ? 268 : 277.6)
        const expected = plan.runs.map((run) => run * plan.moduleDots)
        // the barcode of a turned page may be upside down, so its bars may also be in the reverse order
        expect([expected, expected.toReversed()]).toContainEqual(symbol?.runs)
      }
    },
  )

  it.each([
    [203, 812, 1218],
    [300, 1200, 1800],
  ])('keeps the original size of a label at %i dpi', async (dpi, widthDots, heightDots) => {
    const document = await page([288, 432], [[72, 72, 72, 144]])
    const label = await only(await document.save(), { dpi, widthDots })
    expect(label).toMatchObject({ widthDots, heightDots })
    expect(inkBox(label)).toEqual({ x: dpi, y: 3 * dpi, width: dpi, height: 2 * dpi })
  })

  it('centres a narrower page on the paper', async () => {
    const document = await page([144, 144], [[0, 0, 144, 144]])
    const label = await only(await document.save(), { dpi: 203, widthDots: 806 })
    expect(inkBox(label)).toEqual({ x: 200, y: 0, width: 406, height: 406 })
  })

  it('turns a page that fits only sideways, and respects the rotation that the PDF gives the page', async () => {
    const upright = await page([432, 288], [[72, 72, 288, 144]])
    const byViewer = await page([288, 432], [[72, 72, 144, 288]], 90)
    for (const document of [upright, byViewer])
      expect(inkBox(await only(await document.save(), receipt))).toMatchObject({ width: 406, height: 812 })
  })

  it('returns a bitmap for each page that is not blank', async () => {
    const document = await page([288, 432], [[9, 9, 30, 30]])
    document.addPage([288, 432])
    document.addPage([288, 432]).drawRectangle({ x: 50, y: 50, width: 30, height: 30 })
    expect(await rasterise(await document.save(), wide)).toHaveLength(2)
  })

  it('leaves out a page that is too large for the paper, provided that another page has a label that fits', async () => {
    const document = await PDFDocument.load(await drawLabel(labelSpec()))
    const alone = await rasterise(await document.save(), wide)
    document.addPage([595, 842]).drawRectangle({ x: 20, y: 20, width: 555, height: 802 })
    expect(await rasterise(await document.save(), wide)).toEqual(alone)
  })
})

describe('rasterise() on paper that is narrower than the page', () => {
  it('makes a 4x6 label smaller for 80 mm paper, and its bars are still whole dots wide', async () => {
    // the barcode of 17 letters has modules of three dots, which are reduced to two dots
    const label = await only(await drawLabel(labelSpec({ trackingCode: 'A'.repeat(17) })), receipt)
    expect(label.widthDots).toBe(576)
    const [symbol] = findLinearSymbols(label, 203)
    expect(symbol?.runs).toEqual(planCode128('A'.repeat(17), 268).runs.map((run) => 2 * run))
  })

  it('refuses a label whose bars would become too narrow', async () => {
    // the barcode of 29 letters has modules of two dots, the narrowest that can be read
    const pdf = await drawLabel(labelSpec({ trackingCode: 'A'.repeat(29) }))
    await expect(rasterise(pdf, receipt)).rejects.toMatchObject({
      failure: { code: 'printer.paper_too_narrow', params: { neededMm: 96, printableMm: 72 } },
    })
  })

  it.each(['4x6', 'a6', 'sheet', 'rotated'] as const)(
    'refuses a label with the layout %s on 58 mm paper',
    async (layout) => {
      await expect(rasterise(await drawLabel(labelSpec({ layout })), narrow)).rejects.toMatchObject({
        failure: { code: 'printer.paper_too_narrow' },
      })
    },
  )

  it('refuses to make a page smaller if it has no barcode that can be measured', async () => {
    const document = await page([288, 432], [[9, 9, 270, 414]])
    await expect(rasterise(await document.save(), receipt)).rejects.toMatchObject({
      failure: { code: 'printer.paper_too_narrow' },
    })
  })

  it('crops the page if the label on it is narrow enough for the paper', async () => {
    const document = await page([288, 432], [[100, 100, 72, 72]])
    const label = await only(await document.save(), narrow)
    expect(inkBox(label)).toMatchObject({ width: 203, height: 203 })
  })
})

describe('rasterise() for a faulty document', () => {
  const text = (value: string): Uint8Array => new TextEncoder().encode(value)

  it.each([
    ['an empty file', new Uint8Array(), 'document.not_a_pdf'],
    ['a page of HTML', text('<html>Service unavailable</html>'), 'document.not_a_pdf'],
    ['a PDF header alone', text('%PDF-1.7\n'), 'document.unreadable'],
    [
      'a PDF header followed by noise',
      text(`%PDF-1.7\n${'\u00ff\u0000'.repeat(4_000)}`),
      'document.unreadable',
    ],
  ])('refuses %s with an error code that names the fault', async (_, pdf, code) => {
    await expect(rasterise(pdf, wide)).rejects.toMatchObject({ failure: { code } })
  })

  it('returns the complete label of a truncated file or refuses the file', async () => {
    const pdf = await drawLabel(labelSpec())
    const whole = await rasterise(pdf, wide)
    for (const share of [0.2, 0.5, 0.8, 0.99]) {
      const labels = await rasterise(pdf.subarray(0, Math.floor(pdf.length * share)), wide).catch(
        (error: unknown) => {
          expect(error).toMatchObject({ failure: { code: 'document.unreadable' } })
          return whole
        },
      )
      expect(labels).toEqual(whole)
    }
  })

  it.each([
    ['blank', [288, 432]],
    ['page_size', [14_400, 14_400]],
  ] as const)('refuses a page that it cannot print, with the cause %s', async (cause, size) => {
    const document = await page([...size], [])
    await expect(rasterise(await document.save(), wide)).rejects.toMatchObject({
      failure: { code: 'document.unreadable', params: { cause } },
    })
  })
})

describe('the description of how a label was placed', () => {
  const laid = async (pdf: Uint8Array, paper = wide, options = {}): Promise<unknown[]> =>
    (await layOnPaper(pdf, paper, options)).map((one) => one.laid)
  const across = [576, 288] satisfies [number, number]

  it('contains the rotation and crop that were chosen automatically', async () => {
    const lying = await page(across, [[20, 20, 500, 200]])
    expect(await laid(await lying.save(), receipt)).toEqual([{ turn: 90, part: 'ink' }])
    const upright = await page([288, 432], [[72, 72, 72, 144]])
    expect(await laid(await upright.save())).toEqual([{ turn: 0, part: 'page' }])
    expect(await laid(await drawLabel(labelSpec({ layout: 'sheet' })))).toEqual([
      { turn: expect.any(Number) as number, part: 'label' },
    ])
  })

  it('contains the rotation and crop that the operator chose', async () => {
    const upright = await (await page([288, 432], [[72, 72, 72, 144]])).save()
    expect(await laid(upright, wide, { turn: 180, crop: 'ink' })).toEqual([{ turn: 180, part: 'ink' }])
  })
})
