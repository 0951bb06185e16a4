// Model connections with everything they report recorded, and agents for them.
import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAgentRegistry, type ModelAccess, silentLogger } from '@quarterdeck/engine'
import { type AgentDefinition, SessionId } from '@quarterdeck/protocol'
import { onTestFinished } from 'vitest'
import { connectModels, type ModelConnectionsOptions } from './connect-models.ts'
import type { ProviderRoute } from './simulated-access.ts'

export const sessionId = SessionId.parse('ses_0123456789')

export function connect(
  providerRoute: (agent: AgentDefinition) => Promise<ProviderRoute>,
  more: Partial<ModelConnectionsOptions> = {},
) {
  const begun: object[] = []
  const settled: object[] = []
  const released: object[] = []
  const retries: object[] = []
  const refusals: object[] = []
  const waits: (object | null)[] = []
  const logged: string[] = []
  const logger = { ...silentLogger, info: (_: object, message: string) => void logged.push(message) }
  const models = connectModels(
    { providerRoute, embeddingRoute: unreachable, simulator: { mode: 'demo', paceMs: 0 }, logger, ...more },
    {
      authorize: async () => ({ type: 'go' }),
      onBegun: (use) => void begun.push(use),
      settle: async (use) => void settled.push(use),
      release: async (request) => void released.push(request),
      onWaiting: (_request, queuePosition) => void waits.push(queuePosition),
      onRetrying: (retry) => void retries.push(retry),
      onKeyRefused: (refused) => void refusals.push(refused),
    },
  )
  onTestFinished(() => models.close().catch(() => undefined))
  return { models, begun, settled, released, waits, retries, refusals, logged }
}

/** The same on the in-process loop, with any provider. */
export async function loopAgent(
  modelSource: 'simulator' | 'provider',
  provider: AgentDefinition['model']['provider'],
): Promise<AgentDefinition> {
  const agent = await loadAgent(modelSource)
  return { ...agent, backend: 'loop', model: { ...agent.model, provider, apiVersion: null } }
}

export async function loadAgent(modelSource: 'simulator' | 'provider'): Promise<AgentDefinition> {
  const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-models-'))
  const text = 'name: one\nmodel: { provider: anthropic, name: low }\ninstructions: { inline: Be brief. }\n'
  await writeFile(join(folder, 'agent.yaml'), text)
  const env = { ANTHROPIC_API_KEY: 'made-up-provider-key' }
  return createAgentRegistry({ paths: [folder], env, homeDir: folder, cwd: folder, modelSource }).load('one')
}

export const ask = (access: ModelAccess) => {
  if (access.type !== 'gateway') throw new Error('no gateway')
  return fetch(`${access.baseUrl}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': access.token, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: 'claude-haiku-4-5', max_tokens: 99, messages: [{ role: 'user', content: 'hi' }] }),
  })
}

/** A provider for one test. */
export async function listen(answer: RequestListener): Promise<string> {
  const provider = createServer(answer).listen(0, '127.0.0.1')
  onTestFinished(() => {
    provider.closeAllConnections()
    provider.close()
  })
  await once(provider, 'listening')
  const address = provider.address()
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
}

export const unreachable = async (): Promise<never> => {
  throw new Error('the provider was asked')
}
