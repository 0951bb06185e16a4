// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in files are what is tested here
// A file with every field: each field ends up where the engine reads it.
import { join } from 'node:path'
import { AgentDefinition } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { declaredSecrets } from './credentials/credentials.ts'
import { isError } from './problems/problem.ts'
import { createAgentRegistry } from './registry/agent-registry.ts'
import { type TempProject, tempProject } from './testing/temp-project.ts'
import { wholeAgent } from './testing/whole-agent.ts'

const env = {
  AZURE_KEY: 'made-up-azure-key',
  SHOP_TOKEN: 'made-up-shop-token',
  NOTES_TOKEN: 'made-up-notes-token',
  REMOTE_TOKEN: 'made-up-remote-token',
  HOOK_TOKEN: 'made-up-hook-token',
  UNRELATED_TOKEN: 'nobody-asked-for-it',
}

const openWhole = (): Promise<TempProject> =>
  tempProject(
    {
      'agent.yaml': wholeAgent,
      'config.yaml': 'models: {chat: {price: {input: 1, output: 2, cache_read: 0, cache_write: 1}}}\n',
      'base.yaml': 'description: From the base\nstarters: [Not this one]\n',
      'prompts/system.md': '---\nversion: 3\nauthor: Somebody\n---\nBe brief.\n',
      'prompts/whisper.md': 'Whisper {{ text }}',
      'tools/lookup.ts': 'export const lookup = () => "x"',
      'servers/inside.ts': 'export const createServer = () => null',
      'servers/notes.env': 'NOTES_FOLDER=/notes\nNOTES_TOKEN=not-this-one\n',
      'skills/refunds/SKILL.md': '---\nname: refunds\ndescription: How refunds work\n---\nAsk first.\n',
      'data/products.csv': 'sku;title\n1;a\n',
    },
    env,
  )

async function loadWhole(): Promise<{ project: TempProject; agent: AgentDefinition }> {
  const project = await openWhole()
  const { agent, problems } = await project.load()
  expect(problems.filter(isError)).toEqual([])
  if (agent === null) throw new Error('it did not load')
  return { project, agent }
}

describe('a file with every field', () => {
  it('overrides the fields of the file it extends', async () => {
    const { agent } = await loadWhole()
    expect(agent).toMatchObject({ name: 'whole', description: 'Says everything', starters: ['Where is my order?'] })
    expect(AgentDefinition.parse(agent)).toEqual(agent)
  })

  it('resolves its model settings', async () => {
    const { agent } = await loadWhole()
    expect(agent).toMatchObject({
      backend: 'loop',
      model: {
        provider: 'azure_openai',
        id: 'chat',
        endpoint: 'https://x.openai.azure.com',
        apiVersion: '2024-10-21',
        maxTokens: 900,
        temperature: 0.3,
        topP: 0.9,
      },
      instructions: { type: 'text', text: 'Be brief.\n' },
      responseFormat: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] },
      embedding: { provider: 'ollama', model: 'nomic-embed-text', endpoint: 'http://127.0.0.1:11434', dimensions: 256 },
      toolFiltering: { topK: 4, minScore: 0.1, alwaysInclude: ['lookup'], alwaysIncludeMostUsed: 2, method: 'bm25' },
      turnTimeoutMs: 45_000,
      unitsPerDay: 1_000_000,
    })
  })

  it('applies the openai block and ignores the claude block', async () => {
    const { agent } = await loadWhole()
    expect(agent.claude).toMatchObject({
      effort: 'max',
      fallbackModel: 'chat-small',
      allowedTools: ['lookup', 'docs'],
      disallowedTools: ['shout', 'whisper'],
      thinking: null,
    })
    expect(agent.limits).toEqual({ maxTurns: 8, maxBudgetUsd: 1, maxDurationMs: 600_000 })
  })

  it('resolves its tools with absolute paths and times in milliseconds', async () => {
    const { project, agent } = await loadWhole()
    const byName = Object.fromEntries(agent.tools.map((tool) => [tool.name, tool]))
    expect(byName.lookup).toEqual({
      type: 'function',
      name: 'lookup',
      description: 'Looks an order up',
      isCritical: true,
      file: project.path('tools/lookup.ts'),
      functionName: 'lookup',
      parameters: {
        type: 'object',
        properties: { order: { type: 'string', description: 'Its number' } },
        required: ['order'],
        additionalProperties: false,
      },
      env: ['SHOP_TOKEN', 'REGION'],
      timeoutMs: 5000,
    })
    expect(byName.notes).toMatchObject({
      transport: {
        type: 'stdio',
        command: 'node',
        args: [project.path('servers/notes.mjs'), '--verbose'],
        env: ['NOTES_FOLDER', 'NOTES_TOKEN', 'MCP_CONFIG'],
        cwd: project.path('servers'),
      },
      allowedTools: ['add'],
      disallowedTools: ['remove'],
      connectTimeoutMs: 3000,
      requestTimeoutMs: 4500,
      onFailure: 'warn',
      isRetrieval: true,
    })
    expect(byName.remote).toMatchObject({
      transport: {
        type: 'http',
        url: 'https://mcp.example.com/mcp',
        headers: ['Authorization', 'X-Team'],
        terminateOnClose: false,
      },
      connectTimeoutMs: 30_000,
      requestTimeoutMs: 60_000,
      onFailure: 'error',
    })
    expect(byName.inside).toMatchObject({
      transport: { type: 'in_process', file: project.path('servers/inside.ts'), functionName: 'createServer', env: [] },
    })
    expect(byName.shout).toMatchObject({
      template: 'Shout {{text}}',
      model: 'chat-small',
      maxTokens: 50,
      temperature: 1,
    })
    expect(byName.whisper).toMatchObject({ template: 'Whisper {{ text }}', model: null, maxTokens: null })
    expect(byName.pick_colour).toMatchObject({ type: 'client', parameters: { required: [] } })
    expect(byName.refunds).toMatchObject({ description: 'How refunds work', folder: project.path('skills/refunds') })
  })

  it('resolves its search tools with every setting', async () => {
    const { project, agent } = await loadWhole()
    const byName = Object.fromEntries(agent.tools.map((tool) => [tool.name, tool]))
    expect(byName.products).toMatchObject({
      source: project.path('data/products.csv'),
      records: {
        vectorFields: ['title', 'text'],
        idField: 'sku',
        metaFields: ['price'],
        recordPath: 'items',
        recordPrefix: 'r_',
        metaPrefix: 'm_',
        fieldSeparator: ' | ',
        delimiter: ';',
      },
      chunkTokens: 200,
      chunkOverlap: 20,
      topK: 3,
      minScore: 0.2,
      onFailure: 'warn',
    })
    expect(byName.docs).toMatchObject({
      source: join(project.path('data'), '**/*.md'),
      chunking: 'token',
      maxChunkTokens: 400,
      chunkOverlap: 40,
      maxSubsectionDepth: 2,
      searchMode: 'hybrid',
      topK: 7,
      minScore: 0.1,
      weights: { semantic: 0.4, keyword: 0.4, exact: 0.2 },
      rrfK: 50,
      contextualEmbeddings: false,
      extractDefinitions: false,
      extractCrossReferences: false,
    })
  })

  it('resolves its hooks', async () => {
    const { project, agent } = await loadWhole()
    expect(agent.hooks).toEqual([
      { event: 'PreToolUse', matcher: 'lookup|docs.*', action: { type: 'log' } },
      { event: 'PreToolUse', matcher: 'shout', action: { type: 'reject', message: 'Not here.' } },
      { event: 'PreToolUse', matcher: null, action: { type: 'modify', input: { region: 'eu' } } },
      {
        event: 'PostToolUse',
        matcher: null,
        action: {
          type: 'script',
          command: project.path('hooks/note.sh'),
          args: ['--short'],
          env: ['HOOK_TOKEN'],
          cwd: project.folder,
          timeoutMs: 2000,
        },
      },
    ])
  })

  it('passes values to tools and hooks outside of the definition', async () => {
    const project = await openWhole()
    const registry = createAgentRegistry({ ...project.options, paths: ['.'] })
    const agent = await registry.load('whole')
    expect(await registry.toolSecrets('whole')).toMatchObject({
      lookup: { env: { SHOP_TOKEN: env.SHOP_TOKEN, REGION: 'eu' }, headers: {} },
      notes: { env: { NOTES_TOKEN: env.NOTES_TOKEN, NOTES_FOLDER: '/notes', MCP_CONFIG: '{"depth":2}' }, headers: {} },
      remote: { env: {}, headers: { Authorization: `Bearer ${env.REMOTE_TOKEN}`, 'X-Team': 'blue' } },
      docs: { env: {}, headers: {} },
    })
    expect((await registry.hookSecrets('whole'))[3]).toEqual({ HOOK_TOKEN: env.HOOK_TOKEN })
    expect(await registry.toolSecrets('nobody')).toEqual({})
    for (const value of Object.values(env)) expect(JSON.stringify(agent)).not.toContain(value)
  })

  it('lists exactly its secrets for redaction', async () => {
    const project = await openWhole()
    const loaded = await project.load()
    const secrets = declaredSecrets(loaded.credentials)
    for (const name of ['AZURE_KEY', 'SHOP_TOKEN', 'NOTES_TOKEN', 'REMOTE_TOKEN', 'HOOK_TOKEN'] as const) {
      expect(secrets).toContain(env[name])
    }
    expect(secrets).not.toContain(env.UNRELATED_TOKEN)
    expect(JSON.stringify([loaded.passedValues, loaded.agent, loaded.tests])).not.toContain('made-up')
    expect(JSON.stringify(loaded.problems)).not.toContain('made-up')
  })

  it('warns about every setting without an effect', async () => {
    const { problems } = await (await openWhole()).load()
    expect(problems.filter((problem) => !isError(problem)).map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        'model.auth_provider',
        'gateway',
        'claude',
        'embedding_provider.api_version',
        'embedding_provider.max_tokens',
        'embedding_provider.temperature',
        'embedding_provider.top_p',
        'tools[0].defer_loading',
      ]),
    )
  })
})

describe('the tests of a file with every field', () => {
  it('are resolved to cases with turns, tools, files and metrics', async () => {
    const project = await openWhole()
    const { tests } = await project.load()
    expect(tests?.execution).toEqual({ parallel: 2, isVerbose: true, isQuiet: false })
    expect(tests?.cases[0]).toMatchObject({
      name: 'one message',
      type: 'single',
      turns: [
        {
          input: 'Where is order 7?',
          groundTruth: 'On its way',
          expectedTools: [
            { name: 'lookup', args: {}, count: 1 },
            {
              name: 'docs',
              args: {
                query: { type: 'fuzzy', text: 'Order 7' },
                limit: { type: 'literal', value: 3 },
                place: { type: 'regex', text: 'e[ux]', pattern: /^(?:e[ux])$/s },
              },
              count: 2,
            },
          ],
          files: [{ type: 'image', path: project.path('data/receipt.png'), description: 'The receipt' }],
          retrievalContext: ['Orders take three days.'],
        },
      ],
      metrics: [{ type: 'equality' }],
    })
    expect(tests?.cases[1]).toMatchObject({
      type: 'conversation',
      turns: [
        { input: 'Hi', metrics: [{ type: 'contains' }] },
        { input: 'Bye', metrics: null },
      ],
    })
    expect(tests?.metrics).toMatchObject([
      {
        type: 'equality',
        threshold: 1,
        isCaseInsensitive: true,
        stripsWhitespace: true,
        stripsPunctuation: true,
        responsePath: 'answer.parts[0]',
        failsOnError: true,
      },
      { type: 'contains', isCaseInsensitive: false },
      { type: 'other', name: 'numeric' },
      { type: 'other', name: 'relevance' },
      { type: 'other', name: 'geval polite' },
      { type: 'other', name: 'rag faithfulness' },
      { type: 'other', name: 'code graders.check:polite', isEnabled: false },
    ])
  })
})
