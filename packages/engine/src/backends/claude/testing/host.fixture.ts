// A minimal server, to be killed by tests: runs one turn of a Claude session and prints every event as a line.
import { modelCatalog, SessionId } from '@quarterdeck/protocol'
import { z } from 'zod'
import { allSessionTools } from '../../../permissions/tools/session-tools.ts'
import { silentLogger } from '../../../ports/logger.ts'
import type { SessionOptions } from '../../backend.ts'
import { unattendedOptions } from '../../contract/unattended-options.contract.ts'
import { createClaudeBackend } from '../create-claude-backend.ts'
import { bareIsolation } from './bare-isolation.fixture.ts'
import { trustedAgent } from './trusted-agent.fixture.ts'

export const HostOrder = z.object({
  dataDir: z.string(),
  cwd: z.string(),
  baseUrl: z.string(),
  prompt: z.string(),
  /** Start the CLI without a sandbox, as on a system without namespaces. */
  isBare: z.boolean(),
})
export type HostOrder = z.infer<typeof HostOrder>

const order = HostOrder.parse(JSON.parse(process.argv[2] ?? '{}'))
const backend = createClaudeBackend({
  agent: trustedAgent(order.cwd, {}),
  tools: ['Bash', 'Read'],
  dataDir: order.dataDir,
  catalog: async () => modelCatalog,
  path: '/usr/local/bin:/usr/bin:/bin',
  clock: { now: () => new Date() },
  logger: silentLogger,
  ...(order.isBare && { isolation: bareIsolation }),
})
const options: SessionOptions = {
  sessionId: SessionId.parse('ses_hosted'),
  cwd: order.cwd,
  model: 'claude-sonnet-4-5-20250929',
  modelSource: 'simulator',
  permissionMode: 'acceptAll',
  limits: { maxTurns: 20, maxBudgetUsd: 5, maxDurationMs: 600_000 },
  ...unattendedOptions,
  gate: {
    check: async (call) => ({ type: 'allow', input: call.toolInput }),
    ask: async () => ({ type: 'deny', message: 'nobody is there' }),
  },
  modelAccess: { type: 'gateway', baseUrl: order.baseUrl, token: 'made-up-token' },
  resume: null,
  sessionTools: allSessionTools,
}
const session = await backend.createSession(options)
for await (const event of session.run(order.prompt, new AbortController().signal)) {
  process.stdout.write(`${JSON.stringify(event)}\n`)
}
await backend.teardown()
