import type { Kysely, Migration } from 'kysely'

export const storeChecks: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable('store_checks')
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('filling', 'text', (column) => column.notNull())
      .execute()
  },
}
