import type { Migration } from 'kysely'
import { runStatements } from './run-statements.ts'

export const storeChecks: Migration = {
  up: (db) => runStatements(db, ['create table store_checks (id integer primary key, filling text not null)']),
}
