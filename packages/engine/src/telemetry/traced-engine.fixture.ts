import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GatewayDecisions, SessionId, SessionStatus, TraceSettings } from '@quarterdeck/protocol'
import { expect, onTestFinished } from 'vitest'
import { createScriptedBackend } from '../backends/scripted/create-scripted-backend.ts'
import type { Script } from '../backends/scripted/script.ts'
import { createEngine } from '../create-engine.ts'
import type { EngineOptions } from '../engine-options.ts'
import { type Logger, silentLogger } from '../ports/logger.ts'
import { testAgent } from '../testing/agent-definition.fixture.ts'
import { noModels, registryOf, testEngineOptions } from '../testing/engine-options.fixture.ts'

const patient = { timeout: 60_000 }
/** A header value that only the collector gets. */
export const canary = 'canary-of-the-collector'

interface TracedEngineOptions {
  readonly script: Script
  readonly traces?: TraceSettings | null
  readonly onWritten?: EngineOptions['onWritten']
}

/** The real engine with a scripted backend; closed when the test ends. */
export async function openTracedEngine({ script, traces = null, onWritten }: TracedEngineOptions) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'quarterdeck-traces-')))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const [dataDir, project] = [join(root, 'data'), join(root, 'project')]
  await mkdir(project)
  let agent = testAgent(project, { observability: traces })
  let loads = 0
  const load = async () => {
    loads += 1
    return agent
  }
  const warnings: unknown[] = []
  const logger: Logger = { ...silentLogger, warn: (facts, message) => void warnings.push([message, facts]) }
  let gateway: GatewayDecisions | undefined
  const engine = await createEngine({
    ...testEngineOptions(dataDir, load),
    logger,
    agents: { ...registryOf(load), collectorHeaders: async () => ({ authorization: canary }) },
    createBackend: () => createScriptedBackend({ script }),
    ...(onWritten === undefined ? {} : { onWritten }),
    connectModels(decisions) {
      gateway = decisions
      return noModels
    },
    secrets: () => ['a-declared-secret-value'],
  })
  let isClosed = false
  const close = async () => {
    if (!isClosed) await engine.close()
    isClosed = true
  }
  onTestFinished(close)
  const until = (sessionId: SessionId, status: SessionStatus) =>
    expect.poll(async () => (await engine.sessions.getSession(sessionId)).session.status, patient).toBe(status)
  /** Approves everything until the turn is over. */
  const allowAll = (sessionId: SessionId) =>
    expect
      .poll(async () => {
        const { approvals } = await engine.sessions.listApprovals({ session: sessionId })
        for (const { approvalId } of approvals)
          await engine.sessions.decideApproval(approvalId, { decision: 'allow' }, 'ben')
        return (await engine.sessions.getSession(sessionId)).session.status
      }, patient)
      .toBe('idle')
  if (gateway === undefined) throw new Error('no gateway was connected')
  return {
    ...engine,
    gateway,
    until,
    allowAll,
    close,
    warnings,
    loads: () => loads,
    /** Like an edit of the agent file. */
    trace(changed: TraceSettings): void {
      agent = testAgent(project, { observability: changed })
    },
  }
}
