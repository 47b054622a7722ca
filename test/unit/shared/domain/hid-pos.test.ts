import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type HidCollection, type HidItem, HidPosReader, isHidPos } from '#shared/domain/hid-pos.ts'
import { count, seed } from '#support/counts.ts'

/** These reports follow the HID POS usage tables. They are not recorded from a real device. */

const bar = (id: number): number => (0x8c << 16) | id
const byteCount: HidItem = { usages: [(1 << 16) | 0x3b], reportSize: 8, reportCount: 1 }
const symbology: HidItem = { usages: [bar(0xfb), bar(0xfc), bar(0xfd)], reportSize: 8, reportCount: 3 }
const data = (bytes: number): HidItem => ({ usages: [bar(0xfe)], reportSize: 8, reportCount: bytes })
const continued: HidItem = { usages: [bar(0xff)], reportSize: 1, reportCount: 1 }
const bits = (many: number): HidItem => ({ usages: [], reportSize: 1, reportCount: many })

function scanner(reportId: number, ...items: HidItem[]): HidCollection[] {
  return [{ usagePage: 0x8c, inputReports: [{ reportId, items }] }]
}

/**
 * Reports with a byte count, an AIM identifier, 56 bytes of data and a bit that announces another report of the scan.
 */
const counted = scanner(2, byteCount, symbology, data(56), bits(7), continued)

function report(
  text: string,
  change: { aim?: string; size?: number; goesOn?: boolean; counted?: boolean } = {},
): Uint8Array {
  const { aim = ']E0', size = 56, goesOn = false, counted: isCounted = true } = change
  const bytes = [...Buffer.from(text, 'latin1')]
  const filled = [...bytes, ...Array.from({ length: size - bytes.length }, () => 0)]
  // the bit that announces another report is the highest one, after seven unused bits
  return Uint8Array.from([
    ...(isCounted ? [bytes.length] : []),
    ...Buffer.from(aim, 'latin1'),
    ...filled,
    goesOn ? 0x80 : 0,
  ])
}

describe('HidPosReader', () => {
  it('recognises a scanner by its usage page', () => {
    expect(isHidPos(counted)).toBe(true)
    expect(isHidPos([{ usagePage: 0x8d }, { usagePage: 1 }, {}])).toBe(false)
  })

  it('returns the scanned text with its AIM identifier', () => {
    const reader = new HidPosReader(counted)
    expect(reader.take(2, report('8712345678906'), 0)?.raw).toBe(']E08712345678906')
    expect(reader.take(2, report('10A\u001d21B', { aim: ']C1' }), 5)?.raw).toBe(']C110A\u001d21B')
    // an invalid AIM identifier, and an AIM identifier that the data contains already
    expect(reader.take(2, report('A', { aim: '\0\0\0' }), 6)?.raw).toBe('A')
    expect(reader.take(2, report(']C1A', { aim: ']C1' }), 7)?.raw).toBe(']C1A')
    expect(reader.take(2, report('A\r\n'), 8)?.raw).toBe(']E0A')
  })

  it('returns exactly the counted bytes, or, without a count, all bytes before the padding', () => {
    const short = report('8712')
    short[0] = 3
    expect(new HidPosReader(counted).take(2, short, 0)?.raw).toBe(']E0871')
    const uncounted = new HidPosReader(scanner(1, symbology, data(20), bits(7), continued))
    expect(uncounted.take(1, report('8712', { size: 20, counted: false }), 0)?.raw).toBe(']E08712')
  })

  it('reads each field at the bit position that the device describes', () => {
    const odd = scanner(0, continued, bits(3), symbology, data(2))
    // the flag (one bit) and three unused bits come first, so each character is divided between two bytes
    const text = [...Buffer.from(']A0XY', 'latin1')]
    const packed = new Uint8Array(6)
    for (const [at, byte] of text.entries()) {
      packed[at] = (packed[at] ?? 0) | ((byte << 4) & 0xff)
      packed[at + 1] = byte >> 4
    }
    expect(new HidPosReader(odd).take(0, packed, 0)?.raw).toBe(']A0XY')
  })

  it('reads fields that are described by a range of usages, and fields in a nested collection', () => {
    const range: HidItem = {
      isRange: true,
      usageMinimum: bar(0xfb),
      usageMaximum: bar(0xfd),
      reportSize: 8,
      reportCount: 3,
    }
    const inside = [{ usagePage: 0x8c, children: scanner(3, byteCount, range, data(8), bits(7), continued) }]
    expect(new HidPosReader(inside).take(3, report('AB', { size: 8 }), 0)?.raw).toBe(']E0AB')
  })

  it('joins several reports of one scan', () => {
    const reader = new HidPosReader(counted)
    const [first, second] = ['1'.repeat(56), '2'.repeat(10)]
    expect(reader.take(2, report(first, { goesOn: true }), 0)).toBeNull()
    expect(reader.take(2, report(second), 10)?.raw).toBe(`]E0${first}${second}`)
    expect(reader.take(2, report('A'), 20)?.raw).toBe(']E0A')
  })

  it('never joins a scan to the beginning of an earlier incomplete scan', () => {
    const reader = new HidPosReader(counted)
    reader.take(2, report('1'.repeat(56), { goesOn: true }), 0)
    expect(reader.take(2, report('A'), 5_000)?.raw).toBe(']E0A')
  })

  it('ignores reports with another id, empty reports and scans of more than 8000 characters', () => {
    const reader = new HidPosReader(counted)
    expect(reader.take(9, report('A'), 0)).toBeNull()
    expect(reader.take(2, report(''), 0)).toBeNull()
    for (let part = 0; part < 200; part++) reader.take(2, report('1'.repeat(56), { goesOn: true }), part)
    expect(reader.take(2, report('A'), 201)?.raw.length ?? 0).toBeLessThanOrEqual(8000)
  })

  it('marks a scan as part of a burst if it begins sooner after the previous scan than an operator could scan', () => {
    const reader = new HidPosReader(counted)
    expect(reader.take(2, report('SHP00000000400'), 1_000)?.inBurst).toBe(false)
    reader.take(2, report('SDCMD', { goesOn: true }), 1_250)
    expect(reader.take(2, report('PRIMARY'), 1_900)).toEqual({ raw: ']E0SDCMDPRIMARY', inBurst: true })
    expect(reader.take(2, report('SDCMDPRIMARY'), 2_300)?.inBurst).toBe(false)
    // a scan of another scanner is not marked as part of the burst, because another operator may have triggered it
    expect(new HidPosReader(counted).take(2, report('SDCMDPRIMARY'), 2_310)?.inBurst).toBe(false)
  })

  it('returns a code with CR LF inside as one text', () => {
    const text = new HidPosReader(counted).take(2, report('SHP1\r\nSDCMDPRIMARY\r\n'), 0)
    expect(text?.raw).toBe(']E0SHP1\r\nSDCMDPRIMARY')
  })

  it('never throws, whatever a device describes and sends', () => {
    const item = fc.record({
      usages: fc.array(fc.constantFrom(bar(0xfb), bar(0xfe), bar(0xff), 0x01_003b, 7), { maxLength: 4 }),
      reportSize: fc.integer({ min: 0, max: 32 }),
      reportCount: fc.integer({ min: 0, max: 70 }),
    })
    fc.assert(
      fc.property(fc.array(item, { maxLength: 6 }), fc.uint8Array({ maxLength: 80 }), (items, bytes) => {
        const reader = new HidPosReader(scanner(0, ...items))
        expect([null, 'string']).toContain(reader.take(0, bytes, 0) === null ? null : 'string')
      }),
      { seed, numRuns: count(500, 20_000) },
    )
  })
})
