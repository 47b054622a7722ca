import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseLocationCode } from '#shared/domain/locations.ts'
import { count, seed } from '#support/counts.ts'

const id = '3f2b8c1a-9d4e-4f6a-8b7c-0123456789ab'

describe('a location on a shelf', () => {
  it.each([
    [id, null],
    [id.toUpperCase(), null],
    [`  ${id} `, null],
    [`LOC${id}`, null],
    [`LOC:${id}`, null],
    [`${id}|A-01-02`, 'A-01-02'],
    [`A-01-02|${id}`, 'A-01-02'],
    [`LOC;A-01-02;${id}`, 'A-01-02'],
    [`loc ${id}, B 7`, 'B 7'],
    [`LOCKER 1: ${id}`, 'LOCKER 1'],
    [`A:01|${id}`, 'A:01'],
  ])('%s', (text, code) => {
    expect(parseLocationCode(text)).toEqual({ id, code })
  })

  it.each([
    '',
    'A-01-02',
    `${id} ${id}`,
    `A|${id}|B`,
    `x${id}`,
    `${id}0`,
    `${id}-A-01`,
    `https://shelf.example/?id=${id}`,
    `{"id":"${id}"}`,
    `${'A'.repeat(61)}|${id}`,
  ])('takes %s for something else', (text) => {
    expect(parseLocationCode(text)).toBeNull()
  })

  it('never throws, and finds what was written', () => {
    const code = fc.stringMatching(/^[A-Z0-9]([A-Z0-9.-]{0,20}[A-Z0-9])?$/).filter((text) => text !== 'LOC')
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.uuid(), code, (junk, uuid, shelf) => {
        const read = parseLocationCode(junk + uuid)
        expect(read === null || read.id === uuid).toBe(true)
        expect(parseLocationCode(`${shelf}|${uuid}`)).toEqual({ id: uuid, code: shelf })
        expect(parseLocationCode(`LOC ${uuid};${shelf}`)).toEqual({ id: uuid, code: shelf })
      }),
      { seed, numRuns: count(60, 5_000) },
    )
  })
})
