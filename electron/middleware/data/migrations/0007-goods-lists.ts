import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** One index for each way of listing articles and variants: a customer may have a million of them. */
export const goodsLists: Migration = {
  async up({ schema }: Kysely<unknown>): Promise<void> {
    for (const [name, table, columns] of [
      ['articles_by_name', 'articles', ['customer_id', 'name', 'id']],
      ['articles_by_created_at', 'articles', ['customer_id', 'created_at', 'id']],
      ['variants_by_id', 'variants', ['customer_id', 'id']],
      ['variants_by_name', 'variants', ['customer_id', 'name', 'id']],
      ['variants_by_created_at', 'variants', ['customer_id', 'created_at', 'id']],
      ['variants_by_modified_at', 'variants', ['customer_id', 'modified_at', 'id']],
      ['variants_by_ean', 'variants', ['customer_id', 'ean']],
      ['variants_by_sku', 'variants', ['customer_id', 'sku']],
      ['variants_by_article', 'variants', ['article_id', 'name', 'id']],
    ] as const)
      await schema
        .createIndex(name)
        .on(table)
        .columns([...columns])
        .execute()
  },
}
