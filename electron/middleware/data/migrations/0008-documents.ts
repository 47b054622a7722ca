import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** What a document says of itself, and quick ways from a shipment and from a document to its label. */
export const documents: Migration = {
  async up({ schema }: Kysely<unknown>): Promise<void> {
    for (const [column, standard] of [
      ['title', 'return-label.pdf'],
      ['mime_type', 'application/pdf'],
      ['document_type', 'return_label'],
    ] as const)
      await schema
        .alterTable('documents')
        .addColumn(column, 'text', (definition) => definition.notNull().defaultTo(standard))
        .execute()
    await schema
      .createIndex('return_labels_by_shipment')
      .on('return_labels')
      .columns(['shipment_id', 'serial'])
      .execute()
    await schema
      .createIndex('return_labels_by_document')
      .on('return_labels')
      .columns(['document_id'])
      .execute()
  },
}
