import { type Kysely, sql } from 'kysely'

/** Runs SQL that both SQLite and PostgreSQL accept, one statement after the other. */
export async function runStatements<Tables>(db: Kysely<Tables>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
