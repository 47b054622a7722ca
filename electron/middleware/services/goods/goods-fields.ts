import { randomUUID } from 'node:crypto'
import type { Connection } from '../../data/engine/database.ts'
import type { VariantTable } from '../../data/schema/goods.ts'
import { takenArticleCodes, type VariantChanges } from '../../data/goods/variants.ts'
import type { Customer } from '../context.ts'
import { type FieldMessages, Refusal } from '../refusal.ts'

/** A variant as somebody announces it; what is left out takes the row's default. */
export type NewVariant = Partial<Omit<VariantChanges, 'article_id'>> & { readonly article_code: string }

/** The row of a new variant; one without a name bears its article's. */
export function variantRow(
  input: NewVariant,
  owner: { articleId: string; articleName: string; customerId: string; now: string },
): VariantTable {
  return {
    id: randomUUID(),
    article_id: owner.articleId,
    customer_id: owner.customerId,
    article_code: input.article_code,
    name: input.name ?? owner.articleName,
    description: input.description ?? null,
    ean: input.ean ?? null,
    sku: input.sku ?? null,
    hs_tariff_code: input.hs_tariff_code ?? null,
    height: input.height ?? null,
    depth: input.depth ?? null,
    width: input.width ?? null,
    weight: input.weight ?? null,
    expirable: input.expirable ?? 0,
    country_of_origin: input.country_of_origin ?? null,
    using_serial_numbers: input.using_serial_numbers ?? 0,
    value: input.value ?? null,
    created_at: owner.now,
    modified_at: owner.now,
    stock_modified_at: owner.now,
    deleted_at: null,
  }
}

/** Refuses article codes that occur twice or that the customer uses already (api.md, Limits). */
export async function refuseTakenCodes(
  connection: Connection,
  customer: Customer,
  places: readonly { readonly code: string; readonly field: string }[],
): Promise<void> {
  const codes = new Set(places.map(({ code }) => code))
  const taken = await takenArticleCodes(connection, customer.id, [...codes])
  const refused: string[] = []
  for (const { code, field } of places) {
    if (taken.has(code)) refused.push(field)
    // the next one that bears it is the second
    taken.add(code)
  }
  if (refused.length > 0) throw codeNotUnique(refused)
}

/** 400 with the message for the call, for the field, and for its place where there are several. */
export function codeNotUnique(places: readonly string[] = []): Refusal {
  const message = 'Article code is not unique'
  const named = ['', 'article_code', ...places].map((field) => [field, [message]] as const)
  const fields: FieldMessages = Object.fromEntries(named)
  return new Refusal('invalid', message, { fields })
}
