import { createKeyRing } from './access/key-ring.ts'
import { createOwnSessions } from './access/own-sessions.ts'
import { type AssembledEngine, assembleEngine, type EngineResources } from './assemble-engine.ts'
import { createClosers } from './async/closers.ts'
import { importClaude } from './create-backends.ts'
import type { Engine, EngineOptions } from './engine-options.ts'
import { ensureBudgets } from './money/ensure-budgets.ts'
import { removeOrphanedFileBudgets } from './money/file-budget.ts'
import { openDataFolder } from './open-data-folder.ts'
import { bookBegunAnswers } from './sessions/runtime/begun-answers.ts'
import { recoverSessions } from './sessions/runtime/recover-sessions.ts'
import { createRetention } from './sessions/runtime/retention.ts'
import { startRollover } from './sessions/turns/resume-funded-sessions.ts'
import { followAll } from './store/follow-all.ts'
import { createWebhookWorker } from './webhooks/webhook-worker.ts'

/** Takes the data folder, ends processes of an earlier crash, recovers open sessions, and resolves when ready. */
export const createEngine = async (options: EngineOptions): Promise<Engine> => (await openEngine(options)).engine

/** The engine and its parts, for tests that look inside. */
export async function openEngine(options: EngineOptions) {
  const clock = { now: () => new Date() }
  const { logger } = options
  const closers = createClosers(logger)
  try {
    const dataFolder = await openDataFolder(options, clock, closers)
    const closing = new AbortController()
    closers.add(() => closing.abort())
    const resources = { ...dataFolder, clock, closers, closing: closing.signal, logger }
    const parts = assembleEngine(options, resources)
    const recovered = await start(options, resources, parts)
    return { engine: engineOf(parts, resources, recovered), ...parts }
  } catch (error) {
    // The error that prevented the start is thrown. Errors while closing are only logged.
    await closers.close().catch(() => undefined)
    throw error
  }
}

/** Returns the number of recovered sessions. */
async function start(options: EngineOptions, resources: EngineResources, parts: AssembledEngine): Promise<number> {
  const { budgets, deleteAfterMs = null } = options
  const { clock, closers, logger } = resources
  const { store, sessions } = parts
  if (budgets !== undefined) await ensureBudgets({ store, clock }, budgets)
  // A command works on one session. The others wait for their server.
  const recovered = options.role === 'server' ? await startServing(options, resources, parts) : 0
  if (deleteAfterMs !== null) closers.add(createRetention({ store, clock, logger, deleteAfterMs, sessions }).start())
  return recovered
}

async function startServing(
  { createBackend, webhooks = [] }: EngineOptions,
  { clock, closers, logger }: EngineResources,
  { store, ids, agents, money, coordinator, spareNotes }: AssembledEngine,
): Promise<number> {
  // Created before recovery, whose events are delivered too, and started after it.
  const worker = createWebhookWorker({ store, clock, logger, webhooks })
  closers.add(worker.close)
  await spareNotes.sweep(async (sessionId) => (await store.load(sessionId)) !== null)
  const agentNames = (await agents.list()).map(({ name }) => name)
  await removeOrphanedFileBudgets(store, agentNames)
  // Runs before recovery settles the texts of these answers, because the texts show how far each answer came.
  await bookBegunAnswers({ store, book: coordinator.gatewayDecisions.settle, logger })
  const recovered = await recoverSessions(store, coordinator)
  worker.start()
  // Resumes sessions whose budget period has renewed.
  closers.add(startRollover({ store, clock, ids, logger, money, coordinator }))
  // Loads the SDK before the first session needs it. If that fails, the session's own import reports the error.
  if (createBackend === undefined) importClaude().catch(() => undefined)
  return recovered
}

function engineOf(
  parts: AssembledEngine,
  { clock, closers, closing, logger }: EngineResources,
  recovered: number,
): Engine {
  const { sessions, operations, store, ids, agents, agentChanges, retrieval, coordinator, bus } = parts
  const { keys, operations: keyOperations } = createKeyRing({ store, ids, clock })
  const own = createOwnSessions({ operations, keyOperations, store })
  const { settle } = coordinator.gatewayDecisions
  return {
    sessions,
    sessionsOf: (principal) => own(principal).sessions,
    operationsOf: (principal) => own(principal).operations,
    agents,
    agentChanges,
    replies: store,
    keys,
    retrieval,
    recovered,
    async recover(sessionId) {
      await bookBegunAnswers({ store, book: settle, logger }, sessionId)
      await coordinator.recover(sessionId)
    },
    check: store.check,
    countSessions: store.countByStatus,
    followAll: ({ signal, ...from }) => followAll(store, { ...from, signal: AbortSignal.any([signal, closing]) }),
    lastPosition: store.lastPosition,
    listenerCount: bus.listenerCount,
    drain: coordinator.drain,
    close: closers.close,
  }
}
