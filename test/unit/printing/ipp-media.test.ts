import { describe, expect, it } from 'vitest'
import { chooseMedia, sizeInName } from '#printing/ipp-media.ts'

const label = 'na_index-4x6_4x6in'
const limits = ['custom_min_25x25mm', 'custom_max_108x600mm']
const inch4x6 = { widthMm: 101.6, heightMm: 152.4 }

describe('the paper size in a paper name', () => {
  it.each([
    [label, 101.6, 152.4],
    ['iso_a6_105x148mm', 105, 148],
    ['na_letter_8.5x11in', 215.9, 279.4],
  ])('is $1 by $2 mm for the name $0', (name, widthMm, heightMm) => {
    const size = sizeInName(name)
    expect(size?.widthMm).toBeCloseTo(widthMm)
    expect(size?.heightMm).toBeCloseTo(heightMm)
  })

  it.each(['a4', 'iso_a4_210x297', ''])('is null for the name %s', (name) => {
    expect(sizeInName(name)).toBeNull()
  })
})

describe('the paper of an IPP job', () => {
  it('has the configured name if the printer lists this name or lists no papers', () => {
    const attribute = { name: 'media', values: [{ type: 'keyword', value: label }] }
    expect(chooseMedia(label, ['iso_a6_105x148mm', label])).toMatchObject({ name: label, attribute })
    expect(chooseMedia(label, [])).toMatchObject({ name: label, attribute })
  })

  it('has the name that the printer lists for a paper of the configured size', () => {
    const mine = 'oe_4x6-label_4x6in'
    expect(chooseMedia(label, [mine])).toMatchObject({ name: mine })
    expect(chooseMedia({ widthMm: 102, heightMm: 152 }, [mine, ...limits])).toMatchObject({ name: mine })
  })

  it('is given as a size in hundredths of a millimetre if no listed name fits', () => {
    const attribute = {
      name: 'media-col',
      values: [
        {
          type: 'collection',
          members: [
            {
              name: 'media-size',
              values: [
                {
                  type: 'collection',
                  members: [
                    { name: 'x-dimension', values: [{ type: 'integer', value: 10_160 }] },
                    { name: 'y-dimension', values: [{ type: 'integer', value: 15_240 }] },
                  ],
                },
              ],
            },
          ],
        },
      ],
    }
    for (const supported of [[], limits, ['iso_a6_105x148mm', ...limits]])
      expect(chooseMedia(inch4x6, supported)).toEqual({ ...inch4x6, name: '', attribute })
    expect(chooseMedia(label, limits)).toMatchObject({ name: '', attribute })
  })

  it.each([
    [label, ['iso_a6_105x148mm']],
    [label, ['iso_a6_105x148mm', 'custom_min_25x25mm']],
    [{ widthMm: 110, heightMm: 150 }, limits],
    [{ widthMm: 20, heightMm: 150 }, limits],
    ['a4', []],
  ])('is null for %o if the printer supports only %o', (media, supported) => {
    expect(chooseMedia(media, supported)).toBeNull()
  })
})
