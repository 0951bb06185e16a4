import type { Kysely, Migration } from 'kysely'

/**
 * Additions to texts in progress go into rows that contain pieces of many texts, at the end of one table: the disk then
 * writes a few pages instead of one page per text.
 */
export const textInPieces: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .alterTable('open_texts')
      .addColumn('writer', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
    await schema
      .alterTable('open_texts')
      .addColumn('since', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
    await schema.createIndex('open_texts_by_writer').on('open_texts').columns(['writer', 'since']).execute()
    await schema
      .createTable('text_pieces')
      .addColumn('writer', 'text', (column) => column.notNull())
      .addColumn('batch', 'bigint', (column) => column.notNull())
      .addColumn('pieces', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('text_pieces_key', ['writer', 'batch'])
      .execute()
  },
}
