// One row for each feature of the design that this version does not support yet.
import { describe, expect, it } from 'vitest'
import type { ConfigProblem } from '../problems/problem.ts'
import { minimalAgent, tempProject } from '../testing/temp-project.ts'

const problemsWith = async (text: string): Promise<readonly ConfigProblem[]> =>
  (await (await tempProject({ 'agent.yaml': text })).load()).problems

const withModel = (lines: string): string => minimalAgent.replace('  name: high\n', lines)
const withClaude = (lines: string): string => `${minimalAgent}claude:\n${lines}\n`

const withTraces = (fields: string): string => `${minimalAgent}observability: {enabled: true, ${fields}}\n`

const search = 'type: hierarchical_document, name: a, description: d, source: .'
const withTool = (fields: string): string =>
  `${minimalAgent}embedding_provider: {provider: local}\ntools: [{${fields}}]\n`

describe('an unsupported setting', () => {
  it.each(['deployment: {port: 1}', 'routing: {a: b}'])('is refused at the top level: %s', async (line) => {
    const name = line.split(':')[0] ?? ''
    expect(await problemsWith(`${minimalAgent}${line}\n`)).toEqual([
      expect.objectContaining({
        severity: 'error',
        code: 'config.unsupported',
        message: `not supported yet: ${name}`,
        path: name,
        line: 7,
        column: 1,
      }),
    ])
  })

  it.each([
    ['claude.disable_default_hooks', withClaude('  disable_default_hooks: true')],
    ['claude.session_memory_estimate_mib', withClaude('  session_memory_estimate_mib: 300')],
    ['approvals.who', `${minimalAgent}approvals: {who: [me]}\n`],
    ['workspace.mode: worktree', `${minimalAgent}workspace: {mode: worktree}\n`],
    ['evaluations.optimizer', `${minimalAgent}evaluations: {metrics: [{metric: bleu}], optimizer: {seed: 1}}\n`],
    ['execution.cache_dir', `${minimalAgent}execution: {cache_dir: x}\n`],
    ['tools[0].sse_read_timeout', withTool('type: mcp, name: a, command: b, sse_read_timeout: 3')],
    ['tools[0].transport: websocket', withTool('type: mcp, name: a, transport: websocket, url: "wss://x"')],
    ['tools[0].context_model', withTool(`${search}, context_model: {provider: openai}`)],
    ['tools[0].reranker_model', withTool(`${search}, reranker_model: {provider: openai}`)],
    ['tools[0].enable_reranking: true', withTool(`${search}, enable_reranking: true`)],
    ['tools[0].document_domain: legal_contract', withTool(`${search}, document_domain: legal_contract`)],
    ['tools[0].keyword_index.provider: opensearch', withTool(`${search}, keyword_index: {provider: opensearch}`)],
    ['a source at s3://', withTool('type: vectorstore, name: a, description: d, source: "s3://x/y"')],
    ['test_cases[0].files[0].url', `${minimalAgent}test_cases: [{input: a, files: [{path: b, type: text, url: c}]}]\n`],
    [
      'test_cases[0].turns[0].files[0].pages',
      `${minimalAgent}test_cases: [{turns: [{input: a, files: [{path: b, type: pdf, pages: [1]}]}]}]\n`,
    ],
    [
      'auth_provider: bedrock with backend: loop',
      `${withModel('  name: high\n  auth_provider: bedrock\n')}backend: loop\nmodel_source: simulator\n`,
    ],
    ['observability.logs', withTraces('logs: {enabled: true}')],
    ['observability.metrics', withTraces('metrics: {enabled: true}')],
    ['observability.disable_provider_tracing', withTraces('disable_provider_tracing: true')],
    ['observability.traces.redaction_patterns', withTraces('traces: {redaction_patterns: [a]}')],
    ['observability.traces.capture_evaluation_content', withTraces('traces: {capture_evaluation_content: true}')],
    ['observability.exporters.prometheus', withTraces('exporters: {prometheus: {enabled: true}}')],
    ['observability.exporters.azure_monitor', withTraces('exporters: {azure_monitor: {enabled: true}}')],
    ['observability.exporters.otlp.protocol: grpc', withTraces('exporters: {otlp: {protocol: grpc}}')],
    ['openai.i_understand_this_is_unsafe', `${minimalAgent}openai: {i_understand_this_is_unsafe: true}\n`],
  ])('is refused as a nested field or value: %s', async (named, text) => {
    const problems = await problemsWith(text)
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([
      expect.objectContaining({ code: 'config.unsupported', message: `not supported yet: ${named}` }),
    ])
  })

  it.each([
    ['claude.session_memory_estimate_mib', withClaude('  session_memory_estimate_mib: 500')],
    ['execution.file_timeout', `${minimalAgent}execution: {file_timeout: 30}\n`],
    ['execution.download_timeout', `${minimalAgent}execution: {download_timeout: 30}\n`],
    ['execution.cache_enabled', `${minimalAgent}execution: {cache_enabled: true}\n`],
    ['observability.exporters.otlp.insecure', withTraces('exporters: {otlp: {insecure: true}}')],
    ['tools[0].context_max_tokens', withTool(`${search}, context_max_tokens: 100`)],
    ['tools[0].context_concurrency', withTool(`${search}, context_concurrency: 10`)],
    ['tools[0].load_prompts', withTool('type: mcp, name: a, command: b, load_prompts: true')],
  ])('causes only a warning when HoloDeck behaves that way anyway: %s', async (path, text) => {
    const problems = await problemsWith(text)
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([])
    const message = `"${path}" has no effect: it is not supported yet`
    expect(problems).toContainEqual(expect.objectContaining({ code: 'config.no-effect', path, message }))
  })

  it('that is a file URL is refused once, without a second problem about its missing path', async () => {
    const problems = await problemsWith(`${minimalAgent}test_cases: [{input: a, files: [{url: b, type: text}]}]\n`)
    expect(problems.map(({ message }) => message)).toEqual(['not supported yet: test_cases[0].files[0].url'])
  })

  it.each(['tools: []', 'tools:', 'test_cases: []', 'hooks: []', 'deployment: ~', 'observability: {}'])(
    'is accepted when it requests nothing: %s',
    async (line) => {
      expect(await problemsWith(`${minimalAgent}${line}\n`)).toEqual([])
    },
  )
})
