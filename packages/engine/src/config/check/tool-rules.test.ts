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
  'described/SKILL.md': '---\ndescription: Sorts\n---\nBody',
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

describe('an agent file with a wrong tool', () => {
  it.each([
    ['a variable with a bad name', withTool(`${mcp}, env: {"A B": x}`), 'tools[0].env.A B'],
    ['an unset variable', withTool(`${mcp}, env: [HERE, NOT_HERE]`), 'tools[0].env[1]'],
    ['a missing env_file', withTool(`${mcp}, env_file: gone.env`), 'tools[0].env_file'],
    ['an env_file outside the project', withTool(`${mcp}, env_file: ../x.env`), 'tools[0].env_file'],
    ['a server folder outside the project', withTool(`${mcp}, cwd: ..`), 'tools[0].cwd'],
    ['an argument that leaves the project', withTool(`${mcp}, args: [../../x]`), 'tools[0].args[0]'],
    [
      'an address with a password',
      withTool('type: mcp, name: n, transport: http, url: "https://a:b@c"'),
      'tools[0].url',
    ],
    ['an invalid address', withTool('type: mcp, name: n, transport: sse, url: nowhere'), 'tools[0].url'],
    [
      'an in-process server without a function',
      withTool('type: mcp, name: n, transport: in_process, file: tool.js'),
      'tools[0].function',
    ],
    [
      'a missing module',
      withTool('type: function, name: f, description: d, file: gone.ts, function: f'),
      'tools[0].file',
    ],
    [
      'an unsupported kind of module',
      withTool('type: function, name: f, description: d, file: tool.cts, function: f'),
      'tools[0].file',
    ],
    ['a server whose rules would match another', withTool('type: mcp, name: a__b, command: node'), 'tools[0].name'],
    [
      'a name equal to the call name of a search tool',
      withTool(`${vectors}}, {type: function, name: docs_search, description: d, file: tool.js, function: f`),
      'tools[1].name',
    ],
    ['a server name that is too long', withTool(`type: mcp, name: ${'x'.repeat(41)}, command: node`), 'tools[0].name'],
    ['a server name that ends with an underscore', withTool('type: mcp, name: a_, command: node'), 'tools[0].name'],
    [
      'a prompt with both template and file',
      withTool('type: prompt, name: p, description: d, template: a, file: prompt.md, parameters: {word: {}}'),
      'tools[0]',
    ],
    [
      'a prompt without parameters',
      withTool('type: prompt, name: p, description: d, template: a, parameters: {}'),
      'tools[0].parameters',
    ],
    ['parameters that are not an object', withTool(`${client}, parameters: {type: string}`), 'tools[0].parameters'],
    ['a skill without a description', withTool('type: skill, name: s, folder: skill'), 'tools[0]'],
    ['a missing skill', withTool('type: skill, name: s, folder: gone'), 'tools[0].folder'],
    [
      'a pattern with ..',
      withTool('type: vectorstore, name: d, description: d, source: "a/*/../../b"'),
      'tools[0].source',
    ],
    [
      'a source outside the project',
      withTool('type: vectorstore, name: d, description: d, source: "../**/*.md"'),
      'tools[0].source',
    ],
    ['fields to search without an id', withTool(`${vectors}, vector_field: a`), 'tools[0].id_field'],
    [
      'an overlap as long as a passage',
      withTool(`${vectors}, chunk_size: 40, chunk_overlap: 40`),
      'tools[0].chunk_overlap',
    ],
    [
      'only an exact weight',
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
    ['a missing response_format file', `${simulated}response_format: gone.json\n`, 'response_format'],
    ['a response_format that is a list', `${simulated}response_format: list.json\n`, 'response_format'],
    [
      'a response_format that is not an object',
      `${simulated}response_format: {type: array, items: {type: string}}\n`,
      'response_format',
    ],
    ['an empty response_format', `${simulated}response_format: {}\n`, 'response_format'],
    [
      'a response_format with a dangling reference',
      `${simulated}response_format: {$ref: "#/$defs/gone"}\n`,
      'response_format',
    ],
    [
      'modify at an event without a call',
      `${simulated}hooks: [{event: Stop, action: modify, input: {a: 1}}]\n`,
      'hooks[0].action',
    ],
    [
      'a matcher that is not a regular expression',
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
  ])('is refused: %s', async (_, text, path) => {
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

describe('a questionable tool setting', () => {
  it.each([
    [
      'disable_subprocess_env_scrub',
      `${minimalAgent}claude: {disable_subprocess_env_scrub: true}\n`,
      'claude.disable_subprocess_env_scrub',
    ],
    [
      'a connection string for the embedded store',
      withTool(`${vectors}, database: {provider: sqlite, connection_string: x}`),
      'tools[0].database.connection_string',
    ],
    ['a secret written for a server', withTool(`${mcp}, env: {A_TOKEN: abc}`), 'tools[0].env.A_TOKEN'],
    ['an address for a server that is started', withTool(`${mcp}, url: "https://a"`), 'tools[0].url'],
    [
      'a command for a remote server',
      withTool('type: mcp, name: n, transport: http, url: "https://a", command: x'),
      'tools[0].command',
    ],
    ['meta_fields without vector_field', withTool(`${vectors}, meta_fields: [a]`), 'tools[0].meta_fields'],
    ['an unused embedding provider', `${simulated}embedding_provider: {provider: local}\n`, 'embedding_provider'],
    [
      'an address for the local embedder',
      `${withTool(vectors)}embedding_provider: {provider: local, endpoint: "http://127.0.0.1:1"}\n`,
      'embedding_provider.endpoint',
    ],
    [
      'a message without a refusal',
      `${simulated}hooks: [{event: Stop, action: log, message: a}]\n`,
      'hooks[0].message',
    ],
    ['the openai block of another provider', `${minimalAgent}openai: {effort: low}\n`, 'openai'],
    ['the gateway of the loop', `${minimalAgent}backend: loop\ngateway: on\n`, 'gateway'],
    [
      'api_version for another provider',
      minimalAgent.replace('name: high', 'name: high\n  api_version: "1"'),
      'model.api_version',
    ],
    [
      'a rule for a tool that the loop does not have',
      `${simulated}backend: loop\napprovals: {allow: [AskUserQuestion], deny: ["Bash(rm *)"]}\n`,
      'approvals.deny[0]',
    ],
    [
      'an allowed tool that is not declared',
      `${minimalAgent}claude: {allowed_tools: [lookup]}\n`,
      'claude.allowed_tools[0]',
    ],
  ])('loads with a warning: %s', async (_, text, path) => {
    const { agent, problems } = await load(text)
    expect(problems).toEqual([expect.objectContaining({ severity: 'warning', path })])
    expect(agent).not.toBeNull()
  })
})

describe('a valid tool setting', () => {
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
    ['a skill that describes itself', withTool('type: skill, name: s, folder: described')],
    [
      'temperature on the loop',
      `${minimalAgent.replace('name: high', 'name: high\n  temperature: 0.3')}backend: loop\n`,
    ],
    [
      'permission and thinking on the loop',
      `${minimalAgent}backend: loop\nclaude: {permission_mode: acceptEdits, extended_thinking: {enabled: true}, fallback_model: low}\n`,
    ],
    ['a simulator agent with a search tool', withTool(vectors)],
  ])('loads without problems: %s', async (_, text) => {
    expect((await load(text)).problems).toEqual([])
  })
})

describe('a resolved tool setting', () => {
  it('offers no tools of a server with load_tools: false', async () => {
    const { agent } = await load(withTool(`${mcp}, load_tools: false, allowed_tools: [add]`))
    expect(agent?.tools).toMatchObject([{ allowedTools: [] }])
  })

  it('disables tool filtering with enabled: false', async () => {
    const { agent } = await load(`${minimalAgent}backend: loop\ntool_filtering: {enabled: false}\n`)
    expect(agent?.toolFiltering).toBeNull()
  })

  it('makes parameters optional when they have a default or required: false', async () => {
    const parameters =
      '{a: {type: string}, b: {type: number, default: 1}, c: {type: string, required: false}, d: {type: string, required: true}}'
    const { agent } = await load(withTool(`${client}, parameters: ${parameters}`))
    expect(agent?.tools).toMatchObject([
      { parameters: { type: 'object', required: ['a', 'd'], properties: { d: { type: 'string' } } } },
    ])
    expect(JSON.stringify(agent?.tools)).not.toContain('"required":true')
  })

  it('accepts a file, a folder or a pattern as source', async () => {
    for (const [written, found] of [
      ['prompt.md', 'prompt.md'],
      ['.', '.'],
      ['"**/*.{md,txt}"', '**/*.{md,txt}'],
    ] as const) {
      const { agent, project } = await load(withTool(`type: vectorstore, name: d, description: d, source: ${written}`))
      expect(agent?.tools).toMatchObject([{ source: join(project.folder, found) }])
    }
  })

  it('removes the front matter of instructions and keeps later horizontal rules', async () => {
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
