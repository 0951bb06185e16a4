// The schema for editors accepts every file that loads and refuses wrong shapes.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in files are what is tested here
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { minimalAgent } from '../testing/temp-project.ts'
import { wholeAgent, wholeConfig } from '../testing/whole-agent.ts'
import { agentSchemaText, configSchemaText } from './agent-schema.ts'

const ajv = new Ajv2020({ strict: true, allowUnionTypes: false, validateFormats: false })
const agentSchema = JSON.parse(agentSchemaText())
const takesAgent = ajv.compile(agentSchema)
const takesConfig = ajv.compile(JSON.parse(configSchemaText()))
const repository = fileURLToPath(new URL('../../../../../', import.meta.url))

async function agentFilesUnder(folder: string): Promise<readonly string[]> {
  const names = await readdir(join(repository, folder), { recursive: true }).catch(() => [])
  const found = names.filter((name) => /(?:^|[/.])agent\.ya?ml$/.test(name) && !name.includes('node_modules'))
  return found.map((name) => join(folder, name))
}

describe('the JSON Schema of agent.yaml', () => {
  it('accepts a file with every field', () => {
    expect(takesAgent(parse(wholeAgent)) || takesAgent.errors).toBe(true)
  })

  it('accepts every agent file of the examples and templates', async () => {
    const files = [...(await agentFilesUnder('examples')), ...(await agentFilesUnder('packages/cli/templates'))]
    expect(files.length).toBeGreaterThan(2)
    for (const file of files) {
      const isTaken = takesAgent(parse(await readFile(join(repository, file), 'utf8')))
      expect([file, isTaken || takesAgent.errors]).toEqual([file, true])
    }
  })

  it.each([
    ['a minimal file', minimalAgent],
    ['a file with only extends', 'extends: base.yaml\n'],
    ['a file that extends another and changes its model', 'extends: [a.yaml, b.yaml]\nmodel: {name: low}\n'],
    [
      'references in place of any value',
      `${minimalAgent}limits: {max_turns: "\${N}"}\nallow_outside: \${YES}\nbackend: \${B}\n`,
    ],
    ['a reference as a name', minimalAgent.replace('triage', '${NAME}')],
    [
      'a metric without its type',
      `${minimalAgent}evaluations: {metrics: [{metric: contains}, {criteria: c, name: n}]}\n`,
    ],
    ['an empty map of which something would be required', `${minimalAgent}embedding_provider:\n`],
    [
      'the defaults of HoloDeck',
      `${minimalAgent}execution: {file_timeout: 30}\ntools: [{type: mcp, name: a, command: b, load_prompts: true}]\n`,
    ],
    ['empty keys', `${minimalAgent}claude:\ntools:\nlimits:\n`],
    [
      'unsupported keys that request nothing',
      `${minimalAgent}deployment: {}\nobservability:\nclaude: {disable_default_hooks: false}\n`,
    ],
  ])('accepts %s', (_, text) => {
    expect(takesAgent(parse(text)) || takesAgent.errors).toBe(true)
  })

  it.each([
    ['no model', 'name: a\ninstructions: {inline: b}\n'],
    ['a model without a provider', minimalAgent.replace('  provider: anthropic\n', '')],
    ['an unknown key', `${minimalAgent}modle: 1\n`],
    ['an unknown key in a block', `${minimalAgent}claude: {max_turn: 1}\n`],
    ['text for a number', `${minimalAgent}limits: {max_turns: many}\n`],
    ['a number out of range', `${minimalAgent}claude: {subagents: {max_parallel: 17}}\n`],
    ['an unknown provider name', minimalAgent.replace('anthropic', 'anthropc')],
    ['a tool without a type', `${minimalAgent}tools: [{name: a, description: b}]\n`],
    ['a field of another type of tool', `${minimalAgent}tools: [{type: client, name: a, description: b, url: c}]\n`],
    ['a list where a map belongs', `${minimalAgent}claude: [1]\n`],
    ['a map where a list belongs', `${minimalAgent}tools: {a: 1}\n`],
    ['a hook of no event', `${minimalAgent}hooks: [{event: Before, action: log}]\n`],
    ['what is not supported yet', `${minimalAgent}deployment: {port: 1}\n`],
    ['a file that extends another with an unknown key', 'extends: base.yaml\nmodle: 1\n'],
  ])('refuses %s', (_, text) => {
    expect(takesAgent(parse(text))).toBe(false)
  })

  it('describes its fields', () => {
    expect(agentSchema.properties.tools.description).toContain('Claude backend')
    expect(JSON.stringify(agentSchema)).not.toContain('markdownDescription')
  })
})

describe('the JSON Schema of config.yaml', () => {
  it.each([
    ['a file with every field', wholeConfig],
    ['the gateway as a word', 'gateway: off\n'],
    ['the gateway as a map', 'gateway: {enabled: true}\n'],
    ['an empty file', '{}\n'],
  ])('accepts %s', (_, text) => {
    expect(takesConfig(parse(text)) || takesConfig.errors).toBe(true)
  })

  it.each(['gateway: maybe\n', 'providers: [a]\n', 'nonsense: 1\n', 'mcp_servers: [{command: a}]\n'])(
    'refuses %s',
    (text) => {
      expect(takesConfig(parse(text))).toBe(false)
    },
  )
})
