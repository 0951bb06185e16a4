// A minimal server, to be killed by tests: runs one turn of a Claude session and prints every event as a line.
import { modelCatalog } from '@quarterdeck/protocol'
import { z } from 'zod'
import { silentLogger } from '../../../ports/logger.ts'
import { optionsOf } from '../../contract/backend-harness.contract.ts'
import { createClaudeBackend } from '../create-claude-backend.ts'
import { bareIsolation } from './bare-isolation.fixture.ts'
import { trustedAgent } from './trusted-agent.fixture.ts'

const HostOrder = z.object({
  dataDir: z.string(),
  cwd: z.string(),
  baseUrl: z.string(),
  prompt: z.string(),
  /** Start the CLI without a sandbox, as on a system without namespaces. */
  isBare: z.boolean(),
})

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
const modelAccess = { type: 'gateway', baseUrl: order.baseUrl, token: 'made-up-token' } as const
const chosen = { cwd: order.cwd, model: 'claude-sonnet-4-5-20250929', modelSource: 'simulator', modelAccess } as const
const session = await backend.createSession(optionsOf({ options: chosen }))
for await (const event of session.run(order.prompt, new AbortController().signal)) {
  process.stdout.write(`${JSON.stringify(event)}\n`)
}
await backend.teardown()
