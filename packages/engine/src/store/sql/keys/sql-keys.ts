import type { AccessKey, KeyStore } from '../../ports/key-store.ts'
import { keyExists } from '../../ports/store-errors.ts'
import { lineAt } from '../audit/audit-lines.ts'
import { budgetEntry, keyCreated, keyRevoked } from '../audit/change-entries.ts'
import { keyOfRow } from '../database/key-row.ts'
import { rowOfBudget } from '../ledger/sql-budgets.ts'
import type { SqlDependencies } from '../sql-dependencies.ts'

/** Far below the number of parameters that a database accepts in one query. */
const keysPerQuery = 500

type KeyDeps = Pick<SqlDependencies, 'db' | 'commit' | 'addToChain' | 'clock'>

export function createSqlKeys({ db, commit, addToChain, clock }: KeyDeps): KeyStore {
  return {
    createKey: (key, by) =>
      commit(async (trx) => {
        const earlier = await trx.selectFrom('keys').select('id').where('name', '=', key.name).executeTakeFirst()
        if (earlier !== undefined) throw keyExists(key.name)
        const { id, name, hash, scope, owner, expiresAt, requestsPerMinute, budget } = key
        const terms = { scope, owner, expires_at: expiresAt, requests_per_minute: requestsPerMinute }
        const row = { id, name, hash, ...terms, created_at: clock.now().toISOString(), revoked_at: null }
        await trx.insertInto('keys').values(row).execute()
        await addToChain(trx, [lineAt(clock, keyCreated(key, by))])
        if (budget !== null) {
          await trx.insertInto('budgets').values(rowOfBudget(budget)).execute()
          await addToChain(trx, [lineAt(clock, budgetEntry('budget.saved', budget, by))])
        }
        return keyOfRow(row)
      }),
    async listKeys() {
      const rows = await db.selectFrom('keys').selectAll().orderBy('created_at').orderBy('id').execute()
      return rows.map(keyOfRow)
    },
    async findKey(hash) {
      const row = await db.selectFrom('keys').selectAll().where('hash', '=', hash).executeTakeFirst()
      return row === undefined ? null : keyOfRow(row)
    },
    async findKeys(hashes) {
      const found = new Map<string, AccessKey>()
      for (let from = 0; from < hashes.length; from += keysPerQuery) {
        const some = hashes.slice(from, from + keysPerQuery)
        const rows = await db.selectFrom('keys').selectAll().where('hash', 'in', some).execute()
        for (const row of rows) found.set(row.hash, keyOfRow(row))
      }
      return found
    },
    revokeKey: (name, by) =>
      commit(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('keys')
          .set({ revoked_at: clock.now().toISOString() })
          .where('name', '=', name)
          .where('revoked_at', 'is', null)
          .executeTakeFirst()
        if (numUpdatedRows === 0n) return false
        await addToChain(trx, [lineAt(clock, keyRevoked(name, by))])
        return true
      }),
  }
}
