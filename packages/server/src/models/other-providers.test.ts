// A runtime with agents of other providers: the real loop, the official clients, and a counting provider.
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import type { StreamedEvent } from '@quarterdeck/protocol'
import { createSimulator } from '@quarterdeck/simulator'
import { expect, it, onTestFinished } from 'vitest'
import { openRuntime, type RuntimeOptions } from '../runtime/open-runtime.ts'
import { runtimeOptions } from '../runtime/runtime.fixture.ts'
import { wholeCatalog } from './served-models.ts'

/** The simulator as a provider, behind a server that records requests. */
async function openProvider() {
  const simulator = createSimulator({ mode: 'demo', paceMs: 0 })
  const { url } = await simulator.listen()
  const seen: { readonly url: string; readonly headers: IncomingHttpHeaders }[] = []
  const provider = createServer(async (request, response) => {
    seen.push({ url: request.url ?? '', headers: request.headers })
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const answer = await fetch(`${url}${request.url}`, { method: 'POST', body: Buffer.concat(chunks) })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  }).listen(0, '127.0.0.1')
  await once(provider, 'listening')
  onTestFinished(async () => {
    provider.closeAllConnections()
    provider.close()
    await simulator.close()
  })
  const address = provider.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { simulator, seen, url: `http://127.0.0.1:${port}` }
}

const agents: Readonly<Record<string, string>> = {
  talker: 'model: { provider: openai, name: gpt-5.2 }',
  cloudy: 'model: { provider: azure_openai, name: my-gpt, api_version: 2025-04-01-preview }',
  local: 'model: { provider: ollama, name: llama3.2, endpoint: OLLAMA }',
  claudette: 'model: { provider: anthropic, name: low }\nbackend: loop',
}

async function openWith(env: RuntimeOptions['env'], url: string, modelSource: 'provider' | 'simulator' = 'provider') {
  const { createBackend: _, ...options } = await runtimeOptions()
  for (const [name, model] of Object.entries(agents)) {
    const folder = join(options.cwd, 'agents', name)
    await mkdir(folder)
    const text = `name: ${name}\n${model.replace('OLLAMA', url)}\ninstructions: { inline: Be brief. }\n`
    await writeFile(join(folder, 'agent.yaml'), text)
  }
  const runtime = await openRuntime({ ...options, env, modelSource, role: 'server', address: null, canAsk: true })
  onTestFinished(runtime.close)
  return runtime
}

async function talk(runtime: Awaited<ReturnType<typeof openWith>>, agent: string): Promise<readonly StreamedEvent[]> {
  const { sessionId } = await runtime.engine.sessions.createSession({ agent, message: 'Who are you?' }, 'ana')
  const seen: StreamedEvent[] = []
  for await (const event of runtime.engine.sessions.follow(sessionId, 0, new AbortController().signal)) {
    seen.push(event)
    if (event.type === 'TurnEnded') break
  }
  return seen
}

const keys = {
  OPENAI_API_KEY: 'made-up-openai-key',
  AZURE_OPENAI_API_KEY: 'made-up-azure-key',
  ANTHROPIC_API_KEY: 'made-up-anthropic-key',
}

it.each([
  { agent: 'talker', path: '/v1/chat/completions', shows: { authorization: `Bearer ${keys.OPENAI_API_KEY}` } },
  {
    agent: 'cloudy',
    path: '/openai/deployments/my-gpt/chat/completions',
    shows: { 'api-key': keys.AZURE_OPENAI_API_KEY },
  },
  { agent: 'local', path: '/v1/chat/completions', shows: { authorization: 'Bearer ollama' } },
  { agent: 'claudette', path: '/v1/messages', shows: { authorization: `Bearer ${keys.ANTHROPIC_API_KEY}` } },
])('$agent calls its provider with its own key, and its usage is booked once', async ({ agent, path, shows }) => {
  const { url, seen, simulator } = await openProvider()
  const addresses = { OPENAI_BASE_URL: `${url}/v1`, AZURE_OPENAI_ENDPOINT: url, ANTHROPIC_BASE_URL: url }
  const runtime = await openWith({ ...keys, ...addresses }, url)
  const events = await talk(runtime, agent)
  expect(events.at(-1)).toMatchObject({ type: 'TurnEnded', data: { outcome: 'completed' } })
  expect(seen).toHaveLength(1)
  expect(seen[0]?.url.split('?')[0]).toBe(path)
  expect(seen[0]?.headers).toMatchObject(shows)
  const booked = events.filter((event) => event.type === 'UsageRecorded').map(({ data }) => data)
  expect(booked).toMatchObject([
    { source: 'gateway', servedModel: 'simulator', tokens: { output: simulator.served().usage.outputTokens } },
  ])
  if (agent === 'local') expect(booked[0]?.costUsd).toBe(0)
  for (const key of Object.values(keys)) expect(JSON.stringify(events)).not.toContain(key)
})

it('all of them answer from the simulator without a key', async () => {
  const runtime = await openWith({}, 'http://127.0.0.1:9', 'simulator')
  for (const agent of Object.keys(agents)) {
    const events = await talk(runtime, agent)
    expect(JSON.stringify(events), agent).toContain('I am the local simulator')
  }
})

it('a missing key is reported with the name of its variable', async () => {
  const runtime = await openWith({}, 'http://127.0.0.1:9')
  const problems = (await runtime.agents.problems()).map(({ message }) => message).join('\n')
  for (const variable of Object.keys(keys)) expect(problems).toContain(variable)
})

it('their models are listed with an unknown price, or as free on a self-hosted server', async () => {
  const runtime = await openWith({}, 'http://127.0.0.1:9', 'simulator')
  const models = await wholeCatalog(runtime.agents, runtime.settings.catalog)
  const priceOf = (id: string) => models.find((model) => model.id === id)?.price
  expect(priceOf('gpt-5.2')).toBeNull()
  expect(priceOf('my-gpt')).toBeNull()
  expect(priceOf('llama3.2')).toMatchObject({ input: 0, output: 0 })
  expect(models.map(({ id }) => id)).toEqual([...new Set(models.map(({ id }) => id))])
  expect(models.slice(0, runtime.settings.catalog.length)).toEqual(runtime.settings.catalog)
})
