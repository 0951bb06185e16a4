import type { Kysely, Migration } from 'kysely'

/** The description and the input schema of each MCP tool that the rules of an agent hold for. */
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
