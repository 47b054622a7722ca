import { smallGoods } from './small-goods.ts'

/** Two variants of the test data in small-goods.ts in the form of the service, written by hand from API.md 3.2. */

export const redShirt = {
  id: smallGoods.shirtRed,
  article_code: 'A-1',
  name: 'Variant A-1',
  description: null,
  ean: '8712345678906',
  sku: 'SKU-A-1',
  hs_tariff_code: null,
  height: 10,
  depth: 20,
  width: 30,
  weight: 400,
  expirable: false,
  country_of_origin: 'NL',
  using_serial_numbers: true,
  value: 9.95,
  created_at: '2026-01-01T08:00:00+00:00',
  modified_at: '2026-01-01T08:00:00+00:00',
}

export const blueShirt = {
  id: smallGoods.shirtBlue,
  article_code: 'A-2',
  name: 'Variant A-2',
  description: null,
  ean: '4006381333931',
  sku: null,
  hs_tariff_code: null,
  height: 10,
  depth: 20,
  width: 30,
  weight: 400,
  expirable: false,
  country_of_origin: 'NL',
  using_serial_numbers: true,
  value: 9.95,
  created_at: '2026-01-02T08:00:00+00:00',
  modified_at: '2026-01-02T08:00:00+00:00',
}
