import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAgentShelf, type ModelAccess, type ModelGateway, silentLogger } from '@quarterdeck/engine'
import { type AgentDefinition, SessionId } from '@quarterdeck/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { connectModels, type ProviderRoute } from './connect-models.ts'

const sessionId = SessionId.parse('ses_0123456789')
const opened = new Set<ModelGateway>()
afterEach(async () => {
  for (const models of opened) await models.close()
  opened.clear()
})

function connect(providerRoute: (agent: AgentDefinition) => Promise<ProviderRoute>) {
  const settled: object[] = []
  const models = connectModels(
    { providerRoute, simulator: { mode: 'demo', paceMs: 0 }, logger: silentLogger },
    {
      authorize: async () => ({ type: 'go' }),
      settle: async (use) => void settled.push(use),
    },
  )
  opened.add(models)
  return { models, settled }
}

async function loadAgent(modelSource: 'simulator' | 'provider'): Promise<AgentDefinition> {
  const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-models-'))
  const text = 'name: one\nmodel: { provider: anthropic, name: low }\ninstructions: { inline: Be brief. }\n'
  await writeFile(join(folder, 'agent.yaml'), text)
  const env = { ANTHROPIC_API_KEY: 'made-up-provider-key' }
  return createAgentShelf({ paths: [folder], env, homeDir: folder, cwd: folder, modelSource }).load('one')
}

const ask = (access: ModelAccess) => {
  if (access.type !== 'gateway') throw new Error('no gateway')
  return fetch(`${access.baseUrl}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': access.token, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: 'claude-haiku-4-5', max_tokens: 99, messages: [{ role: 'user', content: 'hi' }] }),
  })
}

const unreachable = async (): Promise<never> => {
  throw new Error('the provider was asked')
}

describe('the model side', () => {
  it('answers from the simulator without asking for a key, and reports what was used', async () => {
    const { models, settled } = connect(unreachable)
    const response = await ask(await models.openSession(sessionId, await loadAgent('simulator')))
    expect(response.status).toBe(200)
    await response.json()
    expect(settled).toMatchObject([{ sessionId, requestedModel: 'claude-haiku-4-5', tokens: { cacheRead: 0 } }])
  })

  it('sends the real key to the provider and gives the agent another', async () => {
    const seen: IncomingHttpHeaders[] = []
    const provider = createServer((request, response) => {
      seen.push(request.headers)
      request.resume()
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"type":"error"}')
    }).listen(0, '127.0.0.1')
    await once(provider, 'listening')
    const address = provider.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const credential = { header: 'x-api-key', value: 'made-up-provider-key' } as const
    const upstream = { baseUrl: `http://127.0.0.1:${port}`, credential }
    const { models } = connect(async () => ({ type: 'gateway', upstream }))
    const access = await models.openSession(sessionId, await loadAgent('provider'))
    expect(JSON.stringify(access)).not.toContain('made-up-provider-key')
    await (await ask(access)).text()
    expect(seen.map((headers) => headers['x-api-key'])).toEqual(['made-up-provider-key'])
    provider.close()
  })

  it('hands the credentials over where no gateway can hold them', async () => {
    const handed = { type: 'environment', variables: { CLAUDE_CODE_OAUTH_TOKEN: 'made-up' } } as const
    const { models } = connect(async () => handed)
    expect(await models.openSession(sessionId, await loadAgent('provider'))).toEqual(handed)
  })

  it('closes the way of a session with it', async () => {
    const { models } = connect(unreachable)
    const access = await models.openSession(sessionId, await loadAgent('simulator'))
    models.closeSession(sessionId)
    expect((await ask(access)).status).toBe(401)
  })

  it('passes a missing credential on to whoever starts the session', async () => {
    const { models } = connect(async () => {
      throw new Error('ANTHROPIC_API_KEY is not set')
    })
    await expect(models.openSession(sessionId, await loadAgent('provider'))).rejects.toThrow('ANTHROPIC_API_KEY')
  })
})
