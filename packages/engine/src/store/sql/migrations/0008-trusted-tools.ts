import type { Kysely, Migration } from 'kysely'

/** Hashes of the description and the input schema of each MCP tool for which the allow rules of an agent apply. */
export const trustedTools: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('trusted_tools')
      .addColumn('agent_name', 'text', (column) => column.notNull())
      .addColumn('tool_name', 'text', (column) => column.notNull())
      .addColumn('description', 'text', (column) => column.notNull())
      .addColumn('input_schema', 'text', (column) => column.notNull())
      .addColumn('trusted_at', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('trusted_tools_key', ['agent_name', 'tool_name'])
      .execute()
  },
}
