// Sessions of the engine over the real CLI and a toolbox, in front of a simulated model.
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { AgentTool, ApprovalPolicy, ClaudeSettings } from '@quarterdeck/protocol'
import { onTestFinished } from 'vitest'
import { claudeSettings, noTools, testAgent } from '../../agent-definition.fixture.ts'
import { openClaudeWorld, type ScenarioStep } from '../../backends/claude/testing/claude-world.fixture.ts'
import { openTestHouse } from '../../sessions/engine.fixture.ts'
import { silentLogger } from '../../telemetry/logger.ts'
import { createToolboxes, type ToolboxesOptions } from '../open-toolbox.ts'
import { shellPath } from './toolbox-world.fixture.ts'

export interface ToolHouseOptions extends Partial<ToolboxesOptions> {
  readonly steps: readonly ScenarioStep[]
  readonly files?: Readonly<Record<string, string>>
  readonly tools: (project: string) => readonly AgentTool[]
  readonly claude?: Partial<ClaudeSettings>
  readonly approvals?: Partial<ApprovalPolicy>
  readonly secrets?: readonly string[]
}

export async function openToolHouse(options: ToolHouseOptions) {
  const project = realpathSync(mkdtempSync(join(tmpdir(), 'quarterdeck-project-')))
  onTestFinished(() => rm(project, { recursive: true, force: true, maxRetries: 5 }))
  for (const [name, text] of Object.entries(options.files ?? {})) {
    mkdirSync(dirname(join(project, name)), { recursive: true })
    writeFileSync(join(project, name), text)
  }
  const agent = testAgent(project, {
    ...{ file: join(project, 'agent.yaml'), tools: [...options.tools(project)] },
    claude: claudeSettings(project, { ...noTools, permissionMode: 'acceptAll', ...options.claude }),
    approvals: { allow: [], deny: [], expiresAfterMs: null, ...options.approvals },
  })
  const world = await openClaudeWorld({ steps: options.steps, agent, tools: [] })
  onTestFinished(world.close)
  const { modelAccess } = world.options()
  if (modelAccess.type !== 'gateway') throw new Error('the world has no address for its model')
  const toolboxes = createToolboxes({
    ...{ dataDir: world.dataDir, path: shellPath, logger: silentLogger, isWatching: false },
    toolSecrets: async () => ({}),
    complete: async () => 'an answer',
    searchTools: async () => [],
    ...options,
  })
  onTestFinished(toolboxes.close)
  const house = await openTestHouse({
    ...{ backend: world.backend, agent, modelUrl: () => modelAccess.baseUrl, openToolbox: toolboxes.open },
    secrets: options.secrets ?? [],
  })
  return { house, world, project }
}
