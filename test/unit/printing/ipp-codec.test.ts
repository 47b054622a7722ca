import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeIpp, encodeIpp } from '#printing/ipp-codec.ts'
import {
  flagOf,
  groupsOf,
  groupTags,
  type IppAttribute,
  type IppMessage,
  type IppValue,
  numbersOf,
  textOf,
  textsOf,
  words,
} from '#printing/ipp-message.ts'
import { count, seed } from '#support/counts.ts'

const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })
const text = fc.string({ unit: fc.constantFrom('a', '-', '0', ' ', 'é', '漢', '🎁'), maxLength: 12 })
const name = text.filter((one) => one !== '')
const bytes = fc.uint8Array({ maxLength: 20 }).map((one) => Buffer.from(one))
const simple: fc.Arbitrary<IppValue> = fc.oneof(
  fc.record({ type: fc.constantFrom('integer' as const, 'enum' as const), value: int32 }),
  fc.record({ type: fc.constant('boolean' as const), value: fc.boolean() }),
  fc.record({
    type: fc.constantFrom('text', 'name', 'keyword', 'uri', 'uriScheme', 'charset', 'language', 'mimeType'),
    value: text,
  }),
  fc.record({ type: fc.constantFrom('textIn' as const, 'nameIn' as const), language: text, value: text }),
  fc.record({ type: fc.constant('octets' as const), value: bytes }),
  // the generated times are in the years 1 to 9999, in tenths of a second
  fc.record({
    type: fc.constant('dateTime' as const),
    value: fc.integer({ min: -621_355_968_000, max: 2_534_022_000_000 }).map((tenths) => tenths * 100),
  }),
  fc.record({
    type: fc.constant('resolution' as const),
    x: int32,
    y: int32,
    unit: fc.constantFrom('dpi', 'dpcm'),
  }),
  fc.record({ type: fc.constant('range' as const), from: int32, to: int32 }),
  // the generated tags include `no-value` and unknown tags of future types
  fc.record({
    type: fc.constant('other' as const),
    tag: fc.constantFrom(0x10, 0x12, 0x13, 0x38, 0x7f),
    value: bytes,
  }),
)
const { value } = fc.letrec<{ value: IppValue; attribute: IppAttribute }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    simple,
    fc.record({
      type: fc.constant('collection' as const),
      members: fc.array(tie('attribute'), { maxLength: 4 }),
    }),
  ),
  attribute: fc.record({ name, values: fc.array(tie('value'), { minLength: 1, maxLength: 4 }) }),
}))
const message: fc.Arbitrary<IppMessage> = fc.record({
  code: fc.integer({ min: 0, max: 0xffff }),
  id: fc.integer({ min: 0, max: 0xffff_ffff }),
  groups: fc.array(
    fc.record({
      tag: fc.constantFrom(1, 2, 4, 5, 9),
      attributes: fc.array(fc.record({ name, values: fc.array(value, { minLength: 1, maxLength: 4 }) }), {
        maxLength: 6,
      }),
    }),
    { maxLength: 5 },
  ),
})

describe('the IPP codec', () => {
  it('decodes an encoded message to the same message, whatever bytes follow the message', () => {
    fc.assert(
      fc.property(message, bytes, (one, document) => {
        expect(decodeIpp(Buffer.concat([encodeIpp(one), document]))).toEqual(one)
      }),
      { seed, numRuns: count(150, 5_000) },
    )
  })

  it('refuses a message that is cut off at any byte', () => {
    fc.assert(
      fc.property(message, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (one, part) => {
        const whole = encodeIpp(one)
        expect(decodeIpp(whole.subarray(0, Math.floor(whole.length * part)))).toBeNull()
      }),
      { seed, numRuns: count(150, 5_000) },
    )
  })

  it('decodes or refuses a message with changed bytes, and never throws', () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 8 })
    fc.assert(
      fc.property(message, changes, (one, changed) => {
        const damaged = encodeIpp(one)
        for (const [at, byte] of changed) damaged[at % damaged.length] = byte
        const read = decodeIpp(damaged)
        // a decoded message can be encoded again with the same meaning
        if (read) expect(decodeIpp(encodeIpp(read))).toEqual(read)
      }),
      { seed, numRuns: count(200, 20_000) },
    )
  })

  it('decodes or refuses random bytes, and never throws', () => {
    const start = Buffer.from('020000000000000104', 'hex')
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.boolean(), (random, isLikely) => {
        const read = decodeIpp(isLikely ? Buffer.concat([start, random]) : random)
        if (read) expect(decodeIpp(encodeIpp(read))).toEqual(read)
      }),
      { seed, numRuns: count(200, 20_000) },
    )
  })

  it('encodes a number, a set and a collection to the bytes that RFC 8010 prescribes', () => {
    // the request in RFC 8010, appendix A.1, shortened, with a set of two values and a collection added
    const request: IppMessage = {
      code: 2,
      id: 1,
      groups: [
        {
          tag: groupTags.operation,
          attributes: [words('charset', 'attributes-charset', 'utf-8')],
        },
        {
          tag: groupTags.job,
          attributes: [
            { name: 'copies', values: [{ type: 'integer', value: 20 }] },
            words('keyword', 'sides', 'two-sided-long-edge', 'one-sided'),
            {
              name: 'media-col',
              values: [
                {
                  type: 'collection',
                  members: [{ name: 'x', values: [{ type: 'integer', value: 10_160 }] }],
                },
              ],
            },
          ],
        },
      ],
    }
    const short = (length: number): string => length.toString(16).padStart(4, '0')
    const counted = (words: string): string => short(words.length) + Buffer.from(words).toString('hex')
    expect(encodeIpp(request).toString('hex')).toBe(
      [
        '0200000200000001',
        `0147${counted('attributes-charset')}${counted('utf-8')}`,
        `0221${counted('copies')}000400000014`,
        `44${counted('sides')}${counted('two-sided-long-edge')}`,
        `440000${counted('one-sided')}`,
        `34${counted('media-col')}0000`,
        `4a0000${counted('x')}`,
        '210000000400' + '0027b0',
        '3700000000',
        '03',
      ].join(''),
    )
  })

  // each field has a tag, the length of the name, the name `a`, the length of the value and the value
  it.each([
    ['another version', '03000000 00000001 03'],
    ['no end tag', '02000000 00000001'],
    ['a value outside a group', '02000000 00000001 21 0001 61 0004 00000001 03'],
    ['a set that begins with its second value', '02000000 00000001 04 21 0000 0004 00000001 03'],
    ['a boolean of two bytes', '02000000 00000001 04 22 0001 61 0002 0101 03'],
    ['an integer of three bytes', '02000000 00000001 04 21 0001 61 0003 000001 03'],
    ['a collection without an end', '02000000 00000001 04 34 0001 61 0000 4a 0000 0001 61 03'],
    ['a member without a name', '02000000 00000001 04 34 0001 61 0000 21 0000 0004 00000001 37 0000 0000 03'],
    [
      'a name directly after another name',
      '02000000 00000001 04 34 0001 61 0000 4a 0000 0001 61 4a 0000 0001 62 37 0000 0000 03',
    ],
    ['the end of a collection that did not begin', '02000000 00000001 04 37 0001 61 0000 03'],
    ['a date with month 13', '02000000 00000001 04 31 0001 61 000b 07ea0d0100000000 2b0000 03'],
    ['a language longer than the text', '02000000 00000001 04 35 0001 61 0004 00096565 03'],
  ])('refuses a message with %s', (_, hex) => {
    expect(decodeIpp(Buffer.from(hex.replaceAll(' ', ''), 'hex'))).toBeNull()
  })

  it('refuses 50,000 nested collections without a stack overflow', () => {
    const open = '4a0000000161' + '3400000000'
    const hex = `020000000000000104340001610000${open.repeat(50_000)}03`
    expect(decodeIpp(Buffer.from(hex, 'hex'))).toBeNull()
  })

  it.each([
    ['values', '02000000 00000001 04', '2100016100040000 0001'.replaceAll(' ', '')],
    [
      'values of one attribute',
      '02000000 00000001 04 21 0001 61 0004 00000001',
      '2100000004000000 01'.replaceAll(' ', ''),
    ],
    ['groups', '02000000 00000001', '04'],
  ])('refuses a message with more %s than any printer sends', (_, start, each) => {
    const message = (count: number): ReturnType<typeof decodeIpp> =>
      decodeIpp(Buffer.from(`${start.replaceAll(' ', '')}${each.repeat(count)}03`, 'hex'))
    expect(message(10_000)).not.toBeNull()
    expect(message(30_000)).toBeNull()
  })

  it('throws when it encodes a message that IPP cannot express', () => {
    const one = (attribute: IppAttribute): IppMessage => ({
      code: 2,
      id: 1,
      groups: [{ tag: 1, attributes: [attribute] }],
    })
    expect(() => encodeIpp(one(words('text', 'a', 'x'.repeat(32_768))))).toThrow(RangeError)
    expect(() => encodeIpp(one(words('text', '', 'x')))).toThrow(RangeError)
    expect(() => encodeIpp(one(words('text', 'a')))).toThrow(RangeError)
  })

  it('decodes a time with a time zone to the same moment in UTC', () => {
    const hex = '02000000 00000001 04 31 0001 61 000b 07ea030407080905 2b0200 03'
    const [group] = decodeIpp(Buffer.from(hex.replaceAll(' ', ''), 'hex'))?.groups ?? []
    expect(group?.attributes[0]?.values).toEqual([
      { type: 'dateTime', value: Date.UTC(2026, 2, 4, 5, 8, 9, 500) },
    ])
  })
})

describe('the attributes of an IPP response', () => {
  const answer: IppMessage = {
    code: 0,
    id: 1,
    groups: [
      {
        tag: groupTags.printer,
        attributes: [
          words('keyword', 'printer-state-reasons', 'media-empty-error', 'paused'),
          { name: 'printer-state', values: [{ type: 'enum', value: 5 }] },
          { name: 'printer-name', values: [{ type: 'nameIn', language: 'en', value: 'label' }] },
          { name: 'printer-is-accepting-jobs', values: [{ type: 'boolean', value: false }] },
          words('keyword', 'printer-state-reasons', 'none'),
        ],
      },
    ],
  }

  it('are found by name and type; a read by a missing name or another type finds nothing', () => {
    const [printer] = groupsOf(answer, groupTags.printer)
    expect(textsOf(printer, 'printer-state-reasons')).toEqual(['media-empty-error', 'paused'])
    expect(numbersOf(printer, 'printer-state')).toEqual([5])
    expect(textOf(printer, 'printer-name')).toBe('label')
    expect(flagOf(printer, 'printer-is-accepting-jobs')).toBe(false)
    expect(textOf(printer, 'printer-state')).toBeNull()
    expect(numbersOf(printer, 'printer-name')).toEqual([])
    expect(flagOf(printer, 'missing')).toBeNull()
    expect(groupsOf(answer, groupTags.job)).toEqual([])
  })
})
