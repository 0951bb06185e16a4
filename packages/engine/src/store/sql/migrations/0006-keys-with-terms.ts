import type { Migration } from 'kysely'
import { runStatements } from './run-statements.ts'

/** The scope, owner, expiry and rate of a key, and the spending with it. */
export const keysWithTerms: Migration = {
  up: (db) =>
    runStatements(db, [
      // Existing keys could do everything. They keep access to the sessions they started, and lose access to the others.
      `alter table keys add column scope text default 'operator' not null`,
      `alter table keys add column owner text default '' not null`,
      'update keys set owner = name',
      'alter table keys add column expires_at text',
      'alter table keys add column requests_per_minute integer',
      `alter table bookings add column started_by text default '' not null`,
      // So far, the user who started a session was its owner.
      'update bookings set started_by = owner',
      `insert into spending select 'key', subject, day, usd, units from spending where scope = 'user'`,
    ]),
}
