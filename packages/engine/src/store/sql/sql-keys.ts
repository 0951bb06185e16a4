import type { Kysely, Selectable } from 'kysely'
import { lineAt } from '../audit-lines.ts'
import type { Clock } from '../event-store.ts'
import { keyEntry } from '../key-entry.ts'
import type { AccessKey, KeyStore } from '../key-store.ts'
import { keyExists } from '../store-errors.ts'
import type { Commit } from './group-commit.ts'
import type { AddToChain } from './sql-audit.ts'
import type { StoreTables } from './tables.ts'

interface KeyParts {
  readonly db: Kysely<StoreTables>
  readonly commit: Commit
  readonly addToChain: AddToChain
  readonly clock: Clock
}

const columns = ['id', 'name', 'created_at', 'revoked_at'] as const

export function createSqlKeys({ db, commit, addToChain, clock }: KeyParts): KeyStore {
  return {
    createKey: (key, by) =>
      commit(async (trx) => {
        const earlier = await trx.selectFrom('keys').select('id').where('name', '=', key.name).executeTakeFirst()
        if (earlier !== undefined) throw keyExists(key.name)
        const { id, name, hash } = key
        const row = { id, name, hash, created_at: clock.now().toISOString(), revoked_at: null }
        await trx.insertInto('keys').values(row).execute()
        await addToChain(trx, [lineAt(clock, keyEntry('key.created', name, by))])
        return keyOfRow(row)
      }),
    async listKeys() {
      const rows = await db.selectFrom('keys').select(columns).orderBy('created_at').orderBy('id').execute()
      return rows.map(keyOfRow)
    },
    async findKey(hash) {
      const row = await db.selectFrom('keys').select(columns).where('hash', '=', hash).executeTakeFirst()
      return row === undefined ? null : keyOfRow(row)
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
        await addToChain(trx, [lineAt(clock, keyEntry('key.revoked', name, by))])
        return true
      }),
  }
}

const keyOfRow = (row: Pick<Selectable<StoreTables['keys']>, (typeof columns)[number]>): AccessKey => ({
  ...{ id: row.id, name: row.name },
  ...{ createdAt: row.created_at, revokedAt: row.revoked_at },
})
