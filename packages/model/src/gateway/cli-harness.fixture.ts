// The real Agent SDK and its CLI, through the gateway, on the simulator. Nothing here reaches beyond loopback.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CanUseTool, type Options, query, type SDKMessage } from '@anthropic-ai/claude-agent-sdk'
import type { SimulatorOptions } from '@quarterdeck/simulator'
import { onTestFinished } from 'vitest'
import { addUsage, noUsage } from '../wire/anthropic/usage.ts'
import { idOf, openSimulated } from './gateway-harness.fixture.ts'
import type { ModelGatewayOptions } from './model-gateway.ts'

const exampleProject = fileURLToPath(new URL('../../../../examples/coder/project', import.meta.url))

export async function openCliHarness(
  simulated: Partial<SimulatorOptions> = {},
  gatewayOptions: Partial<ModelGatewayOptions> = {},
) {
  const { simulator, gateway, reported } = await openSimulated(simulated, gatewayOptions)
  const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-model-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const project = join(folder, 'project')
  cpSync(exampleProject, project, { recursive: true })

  function optionsOf(sessionId: string) {
    const { baseUrl, token } = gateway.openSession(idOf(sessionId))
    const env = {
      // Only system folders, and the Node that runs this.
      PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: folder,
      CLAUDE_CONFIG_DIR: join(folder, `config-${sessionId}`),
      ANTHROPIC_BASE_URL: baseUrl,
      ANTHROPIC_API_KEY: token,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }
    return { cwd: project, env, settingSources: [], model: 'claude-sonnet-4-6', maxTurns: 20 } satisfies Options
  }

  const totals = () => reported.settled.reduce((sum, row) => addUsage(sum, row.usage), noUsage)
  return {
    simulator,
    gateway,
    reported,
    settled: reported.settled,
    project,
    optionsOf,
    shared: optionsOf('s1'),
    totals,
  }
}

export const allow: CanUseTool = async (_tool, input) => ({ behavior: 'allow', updatedInput: input })

export async function runCli(prompt: string, options: Options) {
  const messages: SDKMessage[] = []
  try {
    for await (const message of query({ prompt, options })) messages.push(message)
  } catch (error) {
    // The SDK throws after an error result; tests look at the result.
    if (!messages.some((message) => message.type === 'result')) throw error
  }
  return { messages, ...readMessages(messages) }
}

function readMessages(messages: readonly SDKMessage[]) {
  const result = messages.findLast((message) => message.type === 'result')
  const calls = messages.flatMap((message) => {
    if (message.type !== 'assistant') return []
    const inside = message.parent_tool_use_id === null ? '' : 'explorer:'
    return message.message.content.flatMap((block) => (block.type === 'tool_use' ? [`${inside}${block.name}`] : []))
  })
  return { result, calls, text: result?.subtype === 'success' ? result.result : '' }
}
