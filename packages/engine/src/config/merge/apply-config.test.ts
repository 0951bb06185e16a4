// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in files are what is tested here
import { describe, expect, it } from 'vitest'
import { providerAccess } from '../credentials/credentials.ts'
import { formatProblem } from '../problems/problem.ts'
import { tempProject } from '../testing/temp-project.ts'

const agentOf = (lines: string): string => `name: a\ninstructions: {inline: Hi}\n${lines}`
const docs = '{type: vectorstore, name: docs, description: d, source: ., database: own}'
const handbook = '{type: hierarchical_document, name: book, description: d, source: ., database: own}'

async function load(files: Record<string, string>, env: Record<string, string> = {}) {
  const project = await tempProject(files, env)
  const loaded = await project.load()
  return { ...loaded, project, lines: loaded.problems.map((problem) => formatProblem(problem, project.folder)) }
}

describe('providers of config.yaml', () => {
  it('fill in missing keys of the model, nearest file first', async () => {
    const { agent, credentials } = await load(
      {
        'agent.yaml': agentOf('model: {provider: openai, name: gpt-5, temperature: 0.9}\n'),
        'config.yaml': 'providers: {openai: {endpoint: "http://127.0.0.1:9/v1", temperature: 0.1}}\n',
        '../home/.quarterdeck/config.yaml':
          'providers: {openai: {api_key: "${MINE}", max_tokens: 77, endpoint: "http://127.0.0.1:1"}}\n',
      },
      { MINE: 'made-up-key-of-config' },
    )
    expect(agent?.model).toMatchObject({ temperature: 0.9, endpoint: 'http://127.0.0.1:9/v1', maxTokens: 77 })
    const access = agent && providerAccess(agent, credentials)
    expect(access?.type === 'key' && access.key.reveal()).toBe('made-up-key-of-config')
  })

  it("are matched by their provider key when no entry has the provider's name", async () => {
    const { agent } = await load(
      {
        'agent.yaml': agentOf('model: {provider: azure_openai, name: chat}\n'),
        'config.yaml': 'providers: {company: {provider: azure_openai, endpoint: "https://x.openai.azure.com"}}\n',
      },
      { AZURE_OPENAI_API_KEY: 'made-up-azure-key' },
    )
    expect(agent?.model.endpoint).toBe('https://x.openai.azure.com')
  })

  it('apply to embeddings', async () => {
    const { agent, lines } = await load(
      {
        'agent.yaml': agentOf(
          'model: {provider: simulator}\nembedding_provider: {provider: ollama}\ntools: [{type: vectorstore, name: docs, description: d, source: .}]\n',
        ),
        'config.yaml': 'providers: {ollama: {name: my-embedder, endpoint: "http://127.0.0.1:5"}}\n',
      },
      {},
    )
    expect(lines).toEqual([])
    expect(agent?.embedding).toMatchObject({ model: 'my-embedder', endpoint: 'http://127.0.0.1:5' })
  })

  it('report shape errors once, at their position in config.yaml', async () => {
    const { lines } = await load({
      'agent.yaml': agentOf('model: {provider: openai, name: gpt-5}\nmodel_source: simulator\n'),
      'config.yaml': 'providers:\n  openai:\n    temperature: hot\n    temprature: 1\n',
    })
    expect(lines.filter((line) => line.startsWith('config'))).toEqual([
      'config.yaml:3:18 error: "providers.openai.temperature" must be a number; found "hot"',
      'config.yaml:4:5 error: unknown key "temprature" in "providers.openai". Did you mean "temperature"?',
    ])
  })

  it('report warnings about the agent at their position in config.yaml', async () => {
    const { lines } = await load(
      {
        'agent.yaml': agentOf('model: {provider: openai, name: gpt-5}\n'),
        'config.yaml': 'providers:\n  openai:\n    endpoint: https://models.example.com/v1\n',
      },
      { OPENAI_API_KEY: 'made-up-openai-key' },
    )
    expect(lines).toContain(
      'config.yaml:3:15 warning: the key and every message to the model is sent to models.example.com',
    )
  })
})

describe('vectorstores of config.yaml', () => {
  it('resolve the database name of both kinds of search tools', async () => {
    const { agent, lines } = await load({
      'agent.yaml': agentOf(`model: {provider: simulator}\ntools: [${docs}, ${handbook}]\n`),
      'config.yaml': 'vectorstores: {own: {provider: in-memory}}\n',
    })
    expect(lines).toEqual([])
    expect(agent?.tools.map(({ name }) => name)).toEqual(['docs', 'book'])
  })

  it('are usable when another entry with the same name prefix is broken', async () => {
    const { lines } = await load({
      'agent.yaml': agentOf(`model: {provider: simulator}\ntools: [${docs}]\n`),
      'config.yaml': 'vectorstores:\n  own: {provider: in-memory}\n  own_old: {provider: 7}\n',
    })
    expect(lines.filter((line) => line.startsWith('agent'))).toEqual([])
    expect(lines.filter((line) => line.startsWith('config'))).toHaveLength(1)
  })

  it('are refused when unknown, or when their provider is not supported', async () => {
    const text = agentOf(`model: {provider: simulator}\ntools: [${docs}]\n`)
    expect((await load({ 'agent.yaml': text })).lines).toEqual([
      'agent.yaml:4:78 error: config.yaml has no vectorstore named "own"',
    ])
    const config = 'vectorstores:\n  own: {provider: qdrant, connection_string: "${URL_OF_IT:-x}"}\n'
    expect((await load({ 'agent.yaml': text, 'config.yaml': config })).lines).toEqual([
      'config.yaml:2:19 error: not supported yet: database qdrant; remove it to use the store in the data folder, or set on_failure: warn',
    ])
    const warned = text.replace('database: own', 'database: own, on_failure: warn')
    const { agent, lines } = await load({ 'agent.yaml': warned, 'config.yaml': config })
    expect(agent).not.toBeNull()
    expect(lines).toEqual([
      'config.yaml:2:19 warning: database qdrant is not supported yet: the store in the data folder is used instead',
    ])
  })
})

describe('mcp_servers of config.yaml', () => {
  it('are added to every agent without a tool of that name', async () => {
    const { agent, passedValues, project } = await load(
      {
        'agent.yaml': agentOf('model: {provider: simulator}\ntools: [{type: mcp, name: notes, command: own}]\n'),
        'config.yaml':
          'mcp_servers: [{name: notes, command: other}, {name: clock, command: ./clock.sh, env: [A_TOKEN]}]\n',
        '../home/.quarterdeck/config.yaml':
          'mcp_servers: [{name: clock, command: third}, {name: web, type: mcp, transport: http, url: "https://x.example"}]\n',
      },
      { A_TOKEN: 'made-up-token' },
    )
    const commands = agent?.tools.map(
      (tool) => tool.type === 'mcp' && tool.transport.type === 'stdio' && tool.transport.command,
    )
    expect(agent?.tools.map(({ name }) => name)).toEqual(['notes', 'clock', 'web'])
    expect(commands).toEqual(['own', project.path('clock.sh'), false])
    expect(passedValues.reveal().tools.clock?.env).toEqual({ A_TOKEN: 'made-up-token' })
  })

  it('report errors at their position in config.yaml', async () => {
    const { lines } = await load({
      'agent.yaml': agentOf('model: {provider: simulator}\n'),
      'config.yaml':
        'mcp_servers:\n  - {name: tools, command: node}\n  - {name: web, transport: http, url: "http://x.example"}\n',
    })
    expect(lines).toEqual([
      'config.yaml:2:12 error: "tools" is a reserved name: rename the server',
      'config.yaml:3:39 error: "mcp_servers[1].url" must be an https address; http is allowed for this machine only',
    ])
  })
})

describe('merging config files', () => {
  it('keeps settings that the nearer file does not mention', async () => {
    const { agent, tests } = await load({
      'agent.yaml': agentOf('model: {provider: simulator}\nexecution: {verbose: true}\n'),
      'config.yaml': 'execution: {parallel_test_cases: 4, verbose: false}\nmodels: {a: {tier: low}}\n',
      '../home/.quarterdeck/config.yaml':
        'execution: {llm_timeout: 12, parallel_test_cases: 9}\nmcp_servers: [{name: clock, command: c}]\n',
    })
    expect(agent?.turnTimeoutMs).toBe(12_000)
    expect(tests?.execution).toMatchObject({ parallel: 4, isVerbose: true })
    expect(agent?.tools).toHaveLength(1)
  })
})
