import type { ToolFingerprint, ToolTrustStore } from '../../ports/tool-trust-store.ts'
import type { SqlDependencies } from '../sql-dependencies.ts'

export function createSqlToolTrust({
  db,
  commit,
  clock,
}: Pick<SqlDependencies, 'db' | 'commit' | 'clock'>): ToolTrustStore {
  const facts = ({ description, inputSchema }: ToolFingerprint) => ({
    description,
    input_schema: inputSchema,
    trusted_at: clock.now().toISOString(),
  })
  return {
    async findTrustedTool(agentName, toolName) {
      const row = await db
        .selectFrom('trusted_tools')
        .select(['description', 'input_schema'])
        .where('agent_name', '=', agentName)
        .where('tool_name', '=', toolName)
        .executeTakeFirst()
      return row === undefined ? null : { description: row.description, inputSchema: row.input_schema }
    },
    trustNewTool: (agentName, toolName, fingerprint) =>
      commit(async (trx) => {
        await trx
          .insertInto('trusted_tools')
          .values({ agent_name: agentName, tool_name: toolName, ...facts(fingerprint) })
          .onConflict((on) => on.columns(['agent_name', 'tool_name']).doNothing())
          .execute()
      }),
    trustTool: (agentName, toolName, fingerprint) =>
      commit(async (trx) => {
        await trx
          .insertInto('trusted_tools')
          .values({ agent_name: agentName, tool_name: toolName, ...facts(fingerprint) })
          .onConflict((on) => on.columns(['agent_name', 'tool_name']).doUpdateSet(facts(fingerprint)))
          .execute()
      }),
  }
}
