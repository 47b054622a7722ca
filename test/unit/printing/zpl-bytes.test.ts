import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Bitmap } from '#labels/pixels/bitmap.ts'
import { type ZplJobOptions, zplJob } from '#printing/zpl-bytes.ts'
import { count, seed } from '#support/counts.ts'
import { decodeZpl } from '#support/decode-zpl.ts'
import { randomFrom } from '#support/random.ts'
import { turnsDuring } from '#support/turns.ts'

const plain: ZplJobOptions = { media: 'label', darkness: null, inchesPerSecond: null, graphics: 'acs' }

function bitmap(widthDots: number, rows: readonly string[]): Bitmap {
  return { widthDots, heightDots: rows.length, bytes: Uint8Array.from(Buffer.from(rows.join(''), 'hex')) }
}
const textOf = async (labels: readonly Bitmap[], change: Partial<ZplJobOptions> = {}): Promise<string> =>
  (await zplJob(labels, { ...plain, ...change })).toString('latin1')

/** Returns the formats of a job, without the text before the first format. */
const formatsOf = (job: string): string[] => job.match(/\^XA[^]*?\^XZ/g) ?? []

/** Generates bitmaps with noise, lines, white and black, which the encodings encode differently. */
const anyLabel = fc
  .record({
    widthDots: fc.integer({ min: 1, max: 1_300 }),
    heightDots: fc.integer({ min: 1, max: 1_400 }),
    salt: fc.nat(),
  })
  .map(({ widthDots, heightDots, salt }) => {
    const rowBytes = (widthDots + 7) >> 3
    const bytes = new Uint8Array(rowBytes * heightDots)
    const random = randomFrom(salt)
    for (let y = 0; y < heightDots; y++) {
      const row = bytes.subarray(y * rowBytes, (y + 1) * rowBytes)
      const sort = random()
      if (y > 0 && sort < 0.4) row.set(bytes.subarray((y - 1) * rowBytes, y * rowBytes))
      else if (sort < 0.5) row.fill(0xff)
      else if (sort < 0.7) row.fill(random() < 0.5 ? 0x0f : 0xff, 0, Math.floor(random() * rowBytes))
      else if (sort < 0.8) row.fill(0xff, Math.floor(random() * rowBytes))
      else if (sort < 0.9) for (let at = 0; at < rowBytes; at++) row[at] = Math.floor(random() * 256)
    }
    return { widthDots, heightDots, bytes }
  })

describe('a ZPL job', () => {
  it('contains one format per label: the size, then the dots, then the command to print one copy', async () => {
    expect(await textOf([bitmap(16, ['ffff', '0000'])])).toBe(
      '^XA^MNY^PW16^LL2^LH0,0^PON^PMN^LRN\n^FO0,0^GFA,4,4,2,!,^FS\n^PQ1^XZ\n',
    )
    expect(formatsOf(await textOf([bitmap(8, ['01']), bitmap(8, ['02'])]))).toHaveLength(2)
  })

  it('sets the configured darkness once per job, and the configured speed and media once per label', async () => {
    const job = await textOf([bitmap(8, ['01']), bitmap(8, ['02'])], {
      media: 'continuous',
      darkness: 7,
      inchesPerSecond: 4,
    })
    expect(job.match(/~SD\d\d/g)).toEqual(['~SD07'])
    expect(job.startsWith('~SD07')).toBe(true)
    expect(job.match(/\^MNN/g)).toHaveLength(2)
    expect(job.match(/\^PR4/g)).toHaveLength(2)
    expect(await textOf([bitmap(8, ['01'])])).not.toMatch(/~SD|\^PR/)
  })

  /** For each option, a value that differs from its value in `plain`. A new option needs a value here. */
  const others: ZplJobOptions = { media: 'continuous', darkness: 7, inchesPerSecond: 4, graphics: 'z64' }

  it.each(Object.entries(others))(
    'has different bytes if the value of the option %s changes',
    async (option, value) => {
      const label = bitmap(8, ['01'])
      expect(await textOf([label], { [option]: value })).not.toBe(await textOf([label]))
    },
  )

  it('contains a CRC-16 of the base64 text with the start value 0, as the ZPL guide requires', async () => {
    const [, text = '', check] =
      /:Z64:([^:]*):(\w{4})/.exec(await textOf([bitmap(8, ['00'])], { graphics: 'z64' })) ?? []
    expect(text).toBe('eNpjAAAAAQAB')
    // the expected CRC was computed with binascii.crc_hqx(text, 0) of Python
    expect(check).toBe('0578')
  })

  it.each([
    ['a run of two without a count', '00110c', '00110C'],
    ['a run of five with a count', '11111f', 'K1!'],
    ['a run of 20 with one count', `${'1'.repeat(20)}2f`, 'g12!'],
    ['a run of 21 with two counts', `${'1'.repeat(21)}f`, 'gG1!'],
    ['a run of 400 with one count', `${'1'.repeat(400)}2f`, 'z12!'],
    ['a run of 419 with two counts', `${'1'.repeat(419)}f`, 'zY1!'],
    ['white to the end of the row as a comma', '1000', '1,'],
    ['black to the end of the row as an exclamation mark', '1fff', '1!'],
  ])('encodes %s', async (_, row, text) => {
    expect(await textOf([bitmap(row.length * 4, [row])])).toContain(`,${text}^FS`)
  })

  it('encodes a repeated row only once', async () => {
    expect(await textOf([bitmap(8, ['12', '12', '12', '34'])])).toContain(',12::34^FS')
  })

  it('splits a label that is too large for one graphic into several graphics', async () => {
    const tall = { widthDots: 832, heightDots: 2_000, bytes: new Uint8Array(104 * 2_000).fill(0x55) }
    const job = await textOf([tall], { graphics: 'z64' })
    expect(job.match(/\^FO0,\d+\^GFA,\d+/g)).toEqual([
      '^FO0,0^GFA,99944',
      '^FO0,961^GFA,99944',
      '^FO0,1922^GFA,8112',
    ])
    expect(decodeZpl(formatsOf(job)[0] ?? '').bitmap).toEqual(tall)
  })

  it.each(['z64', 'acs'] as const)(
    'can be decoded to exactly the dots of its labels, for any labels, with the graphics encoding %s',
    async (graphics) => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyLabel, { minLength: 1, maxLength: 2 }), async (labels) => {
          expect(
            formatsOf(await textOf(labels, { graphics })).map((format) => decodeZpl(format).bitmap),
          ).toEqual(labels)
        }),
        { seed, numRuns: count(40, 1_000) },
      )
    },
  )

  it('is encoded with at most one label per turn of the event loop', async () => {
    const labels = Array.from({ length: 10 }, () => bitmap(16, ['ffff', '1234']))
    expect(await turnsDuring(zplJob(labels, plain))).toBeGreaterThanOrEqual(9)
  })

  it.each([
    ['acs', 180],
    ['z64', 20],
  ] as const)(
    'is encoded in many turns of the event loop if its label is long: %s',
    async (graphics, turns) => {
      const long = { widthDots: 832, heightDots: 20_000, bytes: new Uint8Array(104 * 20_000).fill(0x55) }
      expect(await turnsDuring(zplJob([long], { ...plain, graphics }))).toBeGreaterThanOrEqual(turns)
    },
  )

  it('cannot be decoded if a byte was changed in transit', async () => {
    const [format = ''] = formatsOf(await textOf([bitmap(16, ['ffff', '1234'])], { graphics: 'z64' }))
    const at = format.indexOf(':Z64:') + 8
    const changed = format.slice(0, at) + (format[at] === 'A' ? 'B' : 'A') + format.slice(at + 1)
    expect(() => decodeZpl(changed)).toThrow('the check does not fit')
  })
})
