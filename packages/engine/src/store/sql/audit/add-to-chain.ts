// The head of the audit chain is read and moved inside the transaction that adds to it, because several processes add to
// one chain.
import type { Kysely } from 'kysely'
import { type AuditHead, type AuditRecord, emptyChain } from '../../../audit/audit-entry.ts'
import { type AuditLine, chainEntries, headAfter } from '../../../audit/chain-entries.ts'
import { storeUnreadable } from '../../ports/store-errors.ts'
import { type HotQueries, rowsPerInsert } from '../database/compile-hot-queries.ts'
import type { StoreTables } from '../database/tables.ts'

/** Appends entries to the audit chain, in the transaction of the change they record. */
export type AddToChain = (trx: Kysely<StoreTables>, lines: readonly AuditLine[]) => Promise<readonly AuditRecord[]>

export interface ChainEnd {
  readonly addToChain: AddToChain
  /** The end of the chain after the last addition, committed or not. */
  head(): AuditHead
}

export function createAddToChain(hot: HotQueries): ChainEnd {
  // The head as far as this process knows. If another process has moved it, or a transaction was rolled back, moving it
  // fails and it is read again. Guessing first saves a query per append.
  let known = emptyChain

  async function moveHead(trx: Kysely<StoreTables>, lines: readonly AuditLine[]) {
    const records = chainEntries(known, lines)
    const end = headAfter(records, known)
    const { numAffectedRows } = await trx.executeQuery(hot.moveHead(known, end))
    if (numAffectedRows !== 1n) return null
    known = end
    return records
  }

  async function readHead(trx: Kysely<StoreTables>): Promise<void> {
    const { rows } = await trx.executeQuery(hot.readHead())
    if (rows[0] === undefined) {
      throw storeUnreadable('the audit chain has lost its head: restore the database from a backup')
    }
    known = rows[0]
  }

  async function addToChain(trx: Kysely<StoreTables>, lines: readonly AuditLine[]) {
    if (lines.length === 0) return []
    let records = await moveHead(trx, lines)
    if (records === null) {
      await readHead(trx)
      records = await moveHead(trx, lines)
    }
    if (records === null) throw new Error('the audit chain moved within a transaction')
    for (let start = 0; start < records.length; start += rowsPerInsert) {
      await trx.executeQuery(hot.insertEntries(records.slice(start, start + rowsPerInsert)))
    }
    return records
  }

  return { addToChain, head: () => known }
}
