import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { drawLabel } from '#labels/draw/draw-label.ts'
import { inspectPdf } from '#support/inspect-pdf.ts'
import type { LabelAddress, LabelLayout } from '#labels/draw/label-spec.ts'
import { count } from '#support/counts.ts'
import { drawnTexts } from '#support/label-text.ts'
import { homeAddress, labelSpec, longestAddress } from '#support/label-specs.ts'

const layouts: readonly LabelLayout[] = ['4x6', 'a6', 'sheet', 'rotated']

describe('drawLabel()', () => {
  it.each([
    ['4x6', 288, 432, 0],
    ['a6', 297.64, 419.53, 0],
    ['sheet', 595.28, 841.89, 0],
    ['rotated', 288, 432, 90],
  ] as const)('draws the layout %s as one page of its size', async (layout, widthPt, heightPt, rotation) => {
    expect(await inspectPdf(await drawLabel(labelSpec({ layout })))).toEqual({
      pages: [{ widthPt, heightPt, rotation }],
    })
  })

  it.each(layouts)('draws the layout %s with the same bytes each time for the same spec', async (layout) => {
    const once = await drawLabel(labelSpec({ layout, sample: true }))
    expect(await drawLabel(labelSpec({ layout, sample: true }))).toEqual(once)
    expect(await drawLabel(labelSpec({ layout, sample: false }))).not.toEqual(once)
  })

  it('accepts any text in each field other than the tracking code, which the barcode must be able to encode', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 120 })
    const address: fc.Arbitrary<LabelAddress> = fc.record({
      addressedTo: text,
      contactPerson: fc.option(text),
      street: text,
      street2: fc.option(text),
      streetNumber: text,
      streetNumberAddition: fc.option(text),
      zipcode: text,
      city: text,
      country: fc.oneof(text, fc.constantFrom('NL', 'gb', 'US', 'ZZ')),
      state: fc.option(text),
    })
    const changes = fc.record({
      layout: fc.constantFrom(...layouts),
      service: fc.record({ mark: text, name: text }),
      routing: fc.record({ code: text, detail: text }),
      trackingText: text,
      trackingUrl: text,
      reference: text,
      sender: address,
      recipient: address,
      sample: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(changes, async (change) => {
        expect((await drawLabel(labelSpec(change))).length).toBeGreaterThan(1000)
      }),
      { seed: 23, numRuns: count(30, 1000) },
    )
  })

  it('draws the longest addresses that the service accepts on every layout', async () => {
    const both = { sender: longestAddress, recipient: longestAddress }
    for (const layout of layouts)
      await expect(drawLabel(labelSpec({ layout, ...both }))).resolves.toBeDefined()
  })

  it.each(layouts)(
    'draws the layout %s with the complete postcode and country of the longest addresses',
    async (layout) => {
      for (const [country, name] of [
        ['US', 'UNITED STATES'],
        ['CA', 'CANADA'],
        ['GB', 'UNITED KINGDOM'],
        ['NL', 'NETHERLANDS'],
        ['GS', 'SOUTH GEORGIA & SOUTH SANDWICH ISLANDS'],
      ] as const)
        for (const [from, to] of [
          ['12345 678', '99999-1234-99999-1234'],
          ['Q'.repeat(20), 'M'.repeat(60)],
        ] as const) {
          const sender = { ...longestAddress, country, zipcode: from }
          const recipient = { ...longestAddress, country, zipcode: to }
          const texts = await drawnTexts(await drawLabel(labelSpec({ layout, sender, recipient })))
          for (const postcode of [from, to])
            expect(texts.filter((text) => text.includes(postcode))).toHaveLength(1)
          expect(texts.filter((text) => text === name)).toHaveLength(2)
        }
    },
  )

  it.each(layouts)(
    'draws on a sample label of the layout %s exactly one text that begins with SAMPLE and has further words; the note “SAMPLE: …” does not count',
    async (layout) => {
      const texts = await drawnTexts(await drawLabel(labelSpec({ layout, sample: true })))
      expect(texts.filter((text) => /^SAMPLE(?!:)/.test(text))).toHaveLength(1)
      expect(texts).not.toContain('SAMPLE')
    },
  )

  it.each([
    ['NL', 'Zo stuurt u uw pakket terug'],
    ['be', 'Zo stuurt u uw pakket terug'],
    ['DE', 'So senden Sie Ihr Paket zurück'],
    ['FR', 'How to send your parcel back'],
  ])('draws the layout `sheet` for a sender in %s with the heading %j', async (country, title) => {
    const sender = { ...homeAddress, country }
    expect(await drawnTexts(await drawLabel(labelSpec({ layout: 'sheet', sender })))).toContain(title)
  })

  it('refuses a tracking code that the barcode of the label cannot encode', async () => {
    await expect(drawLabel(labelSpec({ trackingCode: 'Ł1' }))).rejects.toThrow(RangeError)
    await expect(drawLabel(labelSpec({ trackingCode: 'A'.repeat(60) }))).rejects.toThrow(RangeError)
    await expect(drawLabel(labelSpec({ sender: homeAddress, trackingCode: '' }))).rejects.toThrow(RangeError)
  })
})
