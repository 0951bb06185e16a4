import type { Kysely } from 'kysely'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { AddToChain } from './audit/add-to-chain.ts'
import type { HotQueries } from './database/compile-hot-queries.ts'
import type { Commit } from './database/group-commit.ts'
import type { StoreTables } from './database/tables.ts'
import type { MoneyQueries } from './ledger/compile-money-queries.ts'
import type { SessionStates } from './log/session-states.ts'

/** Dependencies of the store's modules. Each module picks its own. */
export interface SqlDependencies {
  readonly db: Kysely<StoreTables>
  readonly hot: HotQueries
  readonly money: MoneyQueries
  readonly states: SessionStates
  readonly commit: Commit
  /** For writes that a power failure may undo. */
  readonly commitUnsynced: Commit
  readonly addToChain: AddToChain
  readonly clock: Clock
  readonly ids: Ids
  /** Called when events are durable. */
  readonly onAppended: () => void
}
