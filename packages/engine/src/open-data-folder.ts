// Opens the store of a data folder, announces this process, and ends processes that dead ones left.
import type { Closers } from './async/closers.ts'
import { openAuditCopy } from './audit/audit-copy.ts'
import type { AuditDraft } from './audit/audit-entry.ts'
import { reapOrphans } from './backends/claude/cli/reap-orphans.ts'
import type { EngineOptions } from './engine-options.ts'
import type { Clock } from './ports/clock.ts'
import type { EventStore, Holder } from './store/ports/event-store.ts'
import { openCallKey } from './store/sql/database/open-call-key.ts'
import { lossAccepted, openDataStore } from './store/sql/open-data-store.ts'
import { dataFolders } from './system/data-folders.ts'
import { isHolderAlive, ownIdentity } from './system/holder-identity.ts'
import { randomIds } from './system/random-ids.ts'

export interface DataFolder {
  readonly store: EventStore
  readonly callKey: Buffer
  readonly holder: Holder
  readonly isAlive: (holder: Holder) => boolean
}

export async function openDataFolder(options: EngineOptions, clock: Clock, closers: Closers): Promise<DataFolder> {
  const { role, address, isAlive = isHolderAlive } = options
  const holder: Holder = { ...ownIdentity(), role, address }
  const store = options.store ?? (await openOwnStore(options, clock, closers))
  await store.register(holder, isAlive)
  closers.add(() => store.unregister(holder))
  if (role === 'server') await store.audit(serverStarted(holder))
  await endOrphans(options)
  return { store, callKey: options.callKey ?? (await openOwnCallKey(options, store)), holder, isAlive }
}

async function openOwnStore(options: EngineOptions, clock: Clock, closers: Closers): Promise<EventStore> {
  const { dataDir, logger, acceptLoss = false } = options
  const copy = options.auditCopy === undefined ? null : openAuditCopy(copyOptions(options.auditCopy, options))
  if (copy !== null) closers.add(copy.close)
  const onLoss = (what: string) => logger.warn({ lost: what }, `continues without lost data: ${what}`)
  const store = await openDataStore({ dataDir, clock, ids: randomIds, acceptLoss, onLoss, onHead: copy?.offer })
  closers.add(store.close)
  return store
}

const copyOptions = (target: string, { logger }: EngineOptions) => ({
  target,
  onFailure: (error: string) =>
    logger.warn(
      { error },
      'the audit copy could not be written: retrying until it succeeds. Check the target of --audit-copy',
    ),
})

function openOwnCallKey({ dataDir, acceptLoss }: EngineOptions, store: EventStore): Promise<Buffer> {
  const recordLoss = async (what: string) => void (await store.audit(lossAccepted(what)))
  return openCallKey(dataFolders(dataDir).callKey, {
    isInUse: async () => (await store.countByStatus()).size > 0,
    acceptLoss: acceptLoss === true ? recordLoss : undefined,
  })
}

export async function endOrphans({ dataDir, logger }: EngineOptions): Promise<void> {
  const orphans = await reapOrphans(dataDir)
  if (orphans > 0) logger.warn({ orphans }, 'ended agent processes that a dead process left behind')
}

/** Marks in the audit chain where another process took over. */
function serverStarted({ id, address }: Holder): AuditDraft {
  const detail = address === null ? {} : { address }
  return { principal: 'engine', action: 'server.started', sessionId: null, subject: id, detail }
}
