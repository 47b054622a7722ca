import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type ReadBarcode, readAs, readBarcode } from '#shared/domain/gs1/read-barcode.ts'
import { digitalLinkOf } from '#support/digital-link-of.ts'

/** The results of the official GS1 engine for some 1,700 inputs. The file is not part of this repository. */
const file = new URL('../../../../../../shared/data/gs1-vectors.json', import.meta.url)

const vector = z.object({
  input: z.string(),
  valid: z.boolean(),
  as: z.enum(['scan', 'elements', 'uri', 'ean13', 'ean8', 'upca', 'gtin14', 'plain']),
  ais: z.array(z.object({ ai: z.string(), value: z.string() })),
  digitalLink: z.string().nullable(),
  gtin: z.string().nullable(),
  lot: z.string().nullable(),
  serial: z.string().nullable(),
  expiry: z.string().nullable(),
})
type Vector = z.infer<typeof vector>

const digits = { ean13: 13, ean8: 8, upca: 12, gtin14: 14 }

function read({ input, as }: Vector): ReadBarcode {
  const year = 2026
  switch (as) {
    case 'scan':
      return readBarcode(input, year)
    case 'elements':
      return readAs('elements', input, year)
    case 'uri':
      return readAs('link', input, year)
    case 'plain':
      return readAs('text', input, year)
    default: {
      const text = input.replace(/^\]I1/, '')
      const found = readAs('gtin', text, year)
      return text.length === digits[as] ? found : { ...found, problems: [{ code: 'length', ai: null }] }
    }
  }
}

/** Symbology identifiers that the official engine does not support. Scandesk reads the text of these barcodes. */
const unsupported = /^\](?!C1|e0|d[12]|Q[13]|J[01]|E[04]|I1)/

describe.skipIf(!existsSync(file))('the reader of GS1 barcodes', () => {
  const vectors = existsSync(file) ? z.array(vector).parse(JSON.parse(readFileSync(file, 'utf8'))) : []

  it('the reader returns the same result as the official engine of GS1 for each test vector whose symbology the engine supports', () => {
    const wrong = vectors.flatMap((one) => {
      if (one.as === 'scan' && unsupported.test(one.input)) return []
      const { elements, problems, gtin, lot, serial, expiry } = read(one)
      const isValid = problems.length === 0
      const digitalLink = isValid ? digitalLinkOf(elements) : null
      const ours = isValid
        ? { valid: true, ais: elements, digitalLink, gtin, lot, serial, expiry }
        : { valid: false }
      const { ais, valid } = one
      const theirs = valid
        ? {
            valid,
            ais,
            digitalLink: one.digitalLink,
            gtin: one.gtin,
            lot: one.lot,
            serial: one.serial,
            expiry: one.expiry,
          }
        : { valid }
      return JSON.stringify(ours) === JSON.stringify(theirs)
        ? []
        : [{ input: one.input, as: one.as, theirs, ours, problems }]
    })
    expect(wrong.length, JSON.stringify(wrong.slice(0, 12), null, 1)).toBe(0)
    expect(vectors.length).toBeGreaterThan(1_500)
  })
})
