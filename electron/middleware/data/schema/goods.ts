import type { Flag } from './flag.ts'

export interface ArticleTable {
  id: string
  customer_id: string
  name: string
  created_at: string
  modified_at: string
  /** The warehouse does not know it any more: no client sees it but inside older records. */
  deleted_at: string | null
}

export interface VariantTable {
  id: string
  article_id: string
  customer_id: string
  article_code: string
  name: string
  description: string | null
  ean: string | null
  sku: string | null
  hs_tariff_code: string | null
  height: number | null
  depth: number | null
  width: number | null
  weight: number | null
  expirable: Flag
  country_of_origin: string | null
  using_serial_numbers: Flag
  value: number | null
  created_at: string
  modified_at: string
  /** When its stock last changed: lots, and orders that speak for them. */
  stock_modified_at: string
  /** As of an article. */
  deleted_at: string | null
}

export interface VariantBundleTable {
  id: string
  customer_id: string
  /** The variant that stands for the whole: of one bundle at most. */
  variant_id: string
  created_at: string
  modified_at: string
}

export interface VariantBundleItemTable {
  id: string
  bundle_id: string
  position: number
  variant_id: string
  quantity: number
}

export interface LocationTable {
  id: string
  code: string
  pickable: Flag
}

export interface LocationTypeTable {
  id: string
  code: string
  name: string
  transport: Flag
  pickable: Flag
  administration_code: string | null
  created_at: string
}

export interface BatchTable {
  id: string
  customer_id: string
  variant_id: string
  location_id: string
  quantity: number
  expiration_date: string | null
  inbound_id: string | null
  created_at: string
}
