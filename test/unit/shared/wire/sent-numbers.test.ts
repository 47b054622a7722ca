import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { senderAddressInput } from '#shared/wire/address.ts'
import { metaDataInput, neededText, optionalText, ownPairsInput } from '#shared/wire/loose.ts'

/** Reads a value as the server does: from the JSON of a body. */
function sent(schema: z.ZodType, json: string): unknown {
  const { success, data } = schema.safeParse(JSON.parse(json))
  return success ? data : 'refused'
}

const exact = ['0', '7', '-12', '9007199254740991', '-9007199254740991', '0.5', '-10.25', '0.000001']
const digits = ['123456789012.345', '0.00123456789012345']
const inexact = [
  '9007199254740993',
  '-9007199254740993',
  '576461413038785752',
  '9223372036854775807',
  '1e21',
  '1e400',
  '1e-7',
  '0.1234567890123456',
  '1234567890123.4567',
]

describe('a number in place of a text', () => {
  const house = senderAddressInput.shape.street_number
  const zipcode = senderAddressInput.shape.zipcode

  it.each([...exact, ...digits])('is accepted if its text is certain: %s', (number) => {
    for (const schema of [neededText(), optionalText(), zipcode]) expect(sent(schema, number)).toBe(number)
  })

  it.each(inexact)('is refused if the client may have sent another text: %s', (number) => {
    for (const schema of [neededText(), optionalText(), house, zipcode])
      expect(sent(schema, number)).toBe('refused')
  })
})

describe('a number in key-value pairs', () => {
  it.each([...exact, ...digits, '0.30000000000000004', '1e-7'])('is kept: %s', (number) => {
    expect(sent(metaDataInput, `{"n":${number}}`)).toEqual({ n: Number(number) })
    expect(sent(ownPairsInput, `{"N":[{"a":null,"n":${number}}]}`)).toEqual({
      N: [{ a: null, n: Number(number) }],
    })
  })

  it.each(['9007199254740993', '-9007199254740993', '576461413038785752', '1e21', '1e400', '-1e400'])(
    'is refused at any depth if it is too large to be read exactly: %s',
    (number) => {
      expect(sent(metaDataInput, `{"n":${number}}`)).toBe('refused')
      for (const pairs of [`{"n":${number}}`, `{"N":[1,{"a":null,"n":[${number}]}]}`])
        expect(sent(ownPairsInput, pairs)).toBe('refused')
    },
  )
})
