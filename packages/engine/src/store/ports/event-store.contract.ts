// The suite that every store passes. Third parties can run it with `describeEventStore('mine', open)`.
import { describe } from 'vitest'
import { describeAppends } from './contract/appends.contract.ts'
import { describeAudit } from './contract/audit.contract.ts'
import { describeInterleavings } from './contract/interleavings.contract.ts'
import { describeKeys } from './contract/keys.contract.ts'
import { describeServersAndLeases } from './contract/leases.contract.ts'
import { describeLists } from './contract/lists.contract.ts'
import { describeMoney } from './contract/money.contract.ts'
import { describeOutbox } from './contract/outbox.contract.ts'
import { describeRemoval } from './contract/removal.contract.ts'
import { describeSideRows } from './contract/side-rows.contract.ts'
import type { OpenStore } from './contract/store-harness.contract.ts'
import { describeStreams } from './contract/streams.contract.ts'

export function describeEventStore(name: string, open: OpenStore): void {
  describe(`event store: ${name}`, () => {
    describeAppends(open)
    describeLists(open)
    describeSideRows(open)
    describeServersAndLeases(open)
    describeAudit(open)
    describeMoney(open)
    describeOutbox(open)
    describeKeys(open)
    describeRemoval(open)
    describeStreams(open)
    describeInterleavings(open)
  })
}
