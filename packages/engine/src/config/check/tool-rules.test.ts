// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in files are what is tested here
// Rules of tools, hooks and backends that go beyond their shape; testing/broken has one file for each kind of error.
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isError } from '../problems/problem.ts'
import { madeUpKey, minimalAgent, tempProject } from '../testing/temp-project.ts'

const env = { ANTHROPIC_API_KEY: madeUpKey, OPENAI_API_KEY: madeUpKey, HERE: 'yes' }
const simulated = 'name: a\nmodel: {provider: simulator}\ninstructions: {inline: Hi}\n'
const withTool = (fields: string): string => `${simulated}tools: [{${fields}}]\n`
const mcp = 'type: mcp, name: notes, command: node'
const vectors = 'type: vectorstore, name: docs, description: d, source: .'
const client = 'type: client, name: pick, description: d'

const files = {
  'prompt.md': 'Say {{word}}',
  'skill/SKILL.md': 'No first lines here.',
  'told/SKILL.md': '---\ndescription: Told\n---\nBody',
  'more.env': 'A=1\n',
  'tool.cts': 'exports.f = () => 1',
  'tool.js': 'export const f = () => 1',
  'schema.json': '{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"}',
  'list.json': '[1]',
}

async function load(text: string) {
  const project = await tempProject({ 'agent.yaml': text, ...files }, env)
  return { project, ...(await project.load()) }
}

describe('refused', () => {
  it.each([
    ['a variable with a bad name', withTool(`${mcp}, env: {"A B": x}`), 'tools[0].env.A B'],
    ['a variable nobody set', withTool(`${mcp}, env: [HERE, NOT_HERE]`), 'tools[0].env[1]'],
    ['an env_file that is not there', withTool(`${mcp}, env_file: gone.env`), 'tools[0].env_file'],
    ['an env_file outside', withTool(`${mcp}, env_file: ../x.env`), 'tools[0].env_file'],
    ['a server’s folder outside', withTool(`${mcp}, cwd: ..`), 'tools[0].cwd'],
    ['an argument that leads outside', withTool(`${mcp}, args: [../../x]`), 'tools[0].args[0]'],
    [
      'an address with a password',
      withTool('type: mcp, name: n, transport: http, url: "https://a:b@c"'),
      'tools[0].url',
    ],
    ['an address that is none', withTool('type: mcp, name: n, transport: sse, url: nowhere'), 'tools[0].url'],
    [
      'a server inside without a function',
      withTool('type: mcp, name: n, transport: in_process, file: tool.js'),
      'tools[0].function',
    ],
    [
      'a module that is not there',
      withTool('type: function, name: f, description: d, file: gone.ts, function: f'),
      'tools[0].file',
    ],
    [
      'a module of a kind that is not run',
      withTool('type: function, name: f, description: d, file: tool.cts, function: f'),
      'tools[0].file',
    ],
    ['a server whose rules would hold for another', withTool('type: mcp, name: a__b, command: node'), 'tools[0].name'],
    [
      'a name the model could not tell from that of a search',
      withTool(`${vectors}}, {type: function, name: docs_search, description: d, file: tool.js, function: f`),
      'tools[1].name',
    ],
    ['a server whose name is long', withTool(`type: mcp, name: ${'x'.repeat(41)}, command: node`), 'tools[0].name'],
    ['a server whose name ends in a line', withTool('type: mcp, name: a_, command: node'), 'tools[0].name'],
    [
      'a prompt in two places',
      withTool('type: prompt, name: p, description: d, template: a, file: prompt.md, parameters: {word: {}}'),
      'tools[0]',
    ],
    [
      'a prompt without parameters',
      withTool('type: prompt, name: p, description: d, template: a, parameters: {}'),
      'tools[0].parameters',
    ],
    ['parameters that are no object', withTool(`${client}, parameters: {type: string}`), 'tools[0].parameters'],
    ['a skill nobody describes', withTool('type: skill, name: s, folder: skill'), 'tools[0]'],
    ['a skill that is not there', withTool('type: skill, name: s, folder: gone'), 'tools[0].folder'],
    [
      'a pattern that climbs',
      withTool('type: vectorstore, name: d, description: d, source: "a/*/../../b"'),
      'tools[0].source',
    ],
    [
      'a source outside',
      withTool('type: vectorstore, name: d, description: d, source: "../**/*.md"'),
      'tools[0].source',
    ],
    ['fields to search without an id', withTool(`${vectors}, vector_field: a`), 'tools[0].id_field'],
    [
      'passages that share all of their words',
      withTool(`${vectors}, chunk_size: 40, chunk_overlap: 40`),
      'tools[0].chunk_overlap',
    ],
    [
      'weights of nothing but the phrase',
      withTool(
        'type: hierarchical_document, name: d, description: d, source: ., semantic_weight: 0, keyword_weight: 0, exact_weight: 1',
      ),
      'tools[0].semantic_weight',
    ],
    [
      'more than fifty tools',
      `${simulated}tools:\n${Array.from({ length: 51 }, (_, i) => `  - {type: client, name: t${i}, description: d}\n`).join('')}`,
      'tools',
    ],
    ['a response_format that is not there', `${simulated}response_format: gone.json\n`, 'response_format'],
    ['a response_format that is a list', `${simulated}response_format: list.json\n`, 'response_format'],
    [
      'a response_format of something else than an object',
      `${simulated}response_format: {type: array, items: {type: string}}\n`,
      'response_format',
    ],
    ['a response_format that says nothing', `${simulated}response_format: {}\n`, 'response_format'],
    [
      'a response_format with a reference to nothing',
      `${simulated}response_format: {$ref: "#/$defs/gone"}\n`,
      'response_format',
    ],
    [
      'a change of something else than a call',
      `${simulated}hooks: [{event: Stop, action: modify, input: {a: 1}}]\n`,
      'hooks[0].action',
    ],
    [
      'a matcher that is no pattern',
      `${simulated}hooks: [{event: PreToolUse, matcher: "(", action: log}]\n`,
      'hooks[0].matcher',
    ],
    ['files on the loop', `${simulated}backend: loop\nclaude: {file_system: {read: true}}\n`, 'claude.file_system'],
    ['subagents on the loop', `${simulated}backend: loop\nclaude: {subagents: {enabled: true}}\n`, 'claude.subagents'],
    [
      'named agents on the loop',
      `${simulated}backend: loop\nclaude: {agents: {x: {description: d, prompt: p}}}\n`,
      'claude.agents',
    ],
    ['web search on the loop', `${simulated}backend: loop\nclaude: {web_search: true}\n`, 'claude.web_search'],
    [
      'settings files on the loop',
      `${simulated}backend: loop\nclaude: {setting_sources: [project]}\n`,
      'claude.setting_sources',
    ],
    [
      'a working directory on the loop',
      `${simulated}backend: loop\nclaude: {working_directory: .}\n`,
      'claude.working_directory',
    ],
    ['a copy of a folder on the loop', `${simulated}backend: loop\nworkspace: {mode: copy}\n`, 'workspace.mode'],
  ])('%s', async (_, text, path) => {
    const { agent, problems } = await load(text)
    expect(agent).toBeNull()
    expect(problems.filter(isError).map((problem) => problem.path)).toEqual([path])
  })

  it('a prompt tool of another provider', async () => {
    const { problems } = await load(
      withTool(
        'type: prompt, name: p, description: d, file: prompt.md, parameters: {word: {}}, model: {provider: openai}',
      ),
    )
    expect(problems).toEqual([expect.objectContaining({ code: 'config.unsupported', path: 'tools[0].model.provider' })])
  })
})

describe('loads with a warning', () => {
  it.each([
    [
      'a scrubbing that does not happen',
      `${minimalAgent}claude: {disable_subprocess_env_scrub: true}\n`,
      'claude.disable_subprocess_env_scrub',
    ],
    [
      'a connection to the store that has none',
      withTool(`${vectors}, database: {provider: sqlite, connection_string: x}`),
      'tools[0].database.connection_string',
    ],
    ['a secret written for a server', withTool(`${mcp}, env: {A_TOKEN: abc}`), 'tools[0].env.A_TOKEN'],
    ['an address for a server that is started', withTool(`${mcp}, url: "https://a"`), 'tools[0].url'],
    [
      'a command for a server that is elsewhere',
      withTool('type: mcp, name: n, transport: http, url: "https://a", command: x'),
      'tools[0].command',
    ],
    ['fields to show of records nobody reads', withTool(`${vectors}, meta_fields: [a]`), 'tools[0].meta_fields'],
    ['an embedder nobody needs', `${simulated}embedding_provider: {provider: local}\n`, 'embedding_provider'],
    [
      'an address of the local embedder',
      `${withTool(vectors)}embedding_provider: {provider: local, endpoint: "http://127.0.0.1:1"}\n`,
      'embedding_provider.endpoint',
    ],
    [
      'a message where nothing is refused',
      `${simulated}hooks: [{event: Stop, action: log, message: a}]\n`,
      'hooks[0].message',
    ],
    ['the openai block of another provider', `${minimalAgent}openai: {effort: low}\n`, 'openai'],
    ['the gateway of the loop', `${minimalAgent}backend: loop\ngateway: on\n`, 'gateway'],
    [
      'a version of another provider’s API',
      minimalAgent.replace('name: high', 'name: high\n  api_version: "1"'),
      'model.api_version',
    ],
    [
      'a rule for a tool that the loop has not',
      `${simulated}backend: loop\napprovals: {allow: [AskUserQuestion], deny: ["Bash(rm *)"]}\n`,
      'approvals.deny[0]',
    ],
    [
      'an allowed tool nobody declares',
      `${minimalAgent}claude: {allowed_tools: [lookup]}\n`,
      'claude.allowed_tools[0]',
    ],
  ])('%s', async (_, text, path) => {
    const { agent, problems } = await load(text)
    expect(problems).toEqual([expect.objectContaining({ severity: 'warning', path })])
    expect(agent).not.toBeNull()
  })
})

describe('loads without a word', () => {
  it.each([
    [
      'tools by every name in lists and rules',
      `${withTool(mcp)}claude: {allowed_tools: [notes, mcp__notes__add]}\napprovals: {allow: ["mcp__notes__*", mcp__notes], deny: [notes]}\n`,
    ],
    [
      'a search tool by the name the model calls',
      `${withTool(vectors)}approvals: {allow: [docs_search, docs, mcp__tools__docs_search]}\n`,
    ],
    ['a schema of an older draft', `${simulated}response_format: schema.json\n`],
    ['http on this machine', withTool('type: mcp, name: n, transport: http, url: "http://localhost:1/mcp"')],
    ['a skill that describes itself', withTool('type: skill, name: s, folder: told')],
    [
      'temperature on the loop',
      `${minimalAgent.replace('name: high', 'name: high\n  temperature: 0.3')}backend: loop\n`,
    ],
    [
      'permission and thinking on the loop',
      `${minimalAgent}backend: loop\nclaude: {permission_mode: acceptEdits, extended_thinking: {enabled: true}, fallback_model: low}\n`,
    ],
    ['an agent of the simulator that searches', withTool(vectors)],
  ])('%s', async (_, text) => {
    expect((await load(text)).problems).toEqual([])
  })
})

describe('what is written', () => {
  it('offers none of the tools of a server that says load_tools: false', async () => {
    const { agent } = await load(withTool(`${mcp}, load_tools: false, allowed_tools: [add]`))
    expect(agent?.tools).toMatchObject([{ allowedTools: [] }])
  })

  it('filters no tools where that is switched off', async () => {
    const { agent } = await load(`${minimalAgent}backend: loop\ntool_filtering: {enabled: false}\n`)
    expect(agent?.toolFiltering).toBeNull()
  })

  it('takes parameters one by one, those with a default or without need left optional', async () => {
    const parameters =
      '{a: {type: string}, b: {type: number, default: 1}, c: {type: string, required: false}, d: {type: string, required: true}}'
    const { agent } = await load(withTool(`${client}, parameters: ${parameters}`))
    expect(agent?.tools).toMatchObject([
      { parameters: { type: 'object', required: ['a', 'd'], properties: { d: { type: 'string' } } } },
    ])
    expect(JSON.stringify(agent?.tools)).not.toContain('"required":true')
  })

  it('takes a source as a file, a folder, a pattern and a file address', async () => {
    for (const [written, found] of [
      ['prompt.md', 'prompt.md'],
      ['.', '.'],
      ['"**/*.{md,txt}"', '**/*.{md,txt}'],
    ] as const) {
      const { agent, project } = await load(withTool(`type: vectorstore, name: d, description: d, source: ${written}`))
      expect(agent?.tools).toMatchObject([{ source: join(project.folder, found) }])
    }
  })

  it('has instructions without what stands before them, and keeps a rule between lines', async () => {
    const project = await tempProject({
      'agent.yaml': simulated.replace('inline: Hi', 'file: a.md'),
      'a.md': '---\nversion: 2\n---\n# Rules\n\n---\nkey: value\n---\n',
    })
    expect((await project.load()).agent?.instructions).toEqual({
      type: 'text',
      text: '# Rules\n\n---\nkey: value\n---\n',
    })
    await project.write('a.md', '---\njust a line\n---\nText\n')
    expect((await project.load()).agent?.instructions).toMatchObject({ text: '---\njust a line\n---\nText\n' })
  })
})
