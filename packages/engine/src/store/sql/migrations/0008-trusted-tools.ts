import type { Migration } from 'kysely'
import { runStatements } from './run-statements.ts'

/** Hashes of the description and the input schema of each MCP tool for which the allow rules of an agent apply. */
export const trustedTools: Migration = {
  up: (db) =>
    runStatements(db, [
      `create table trusted_tools (
        agent_name text not null, tool_name text not null, description text not null, input_schema text not null,
        trusted_at text not null,
        constraint trusted_tools_key primary key (agent_name, tool_name))`,
    ]),
}
