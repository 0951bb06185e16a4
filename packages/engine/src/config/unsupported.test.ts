// What the design knows and this version does not do yet, one row each.
import { describe, expect, it } from 'vitest'
import type { ConfigProblem } from './problem.ts'
import { minimalAgent, tempProject } from './testing/temp-project.ts'

const problemsWith = async (text: string): Promise<readonly ConfigProblem[]> =>
  (await (await tempProject({ 'agent.yaml': text })).load()).problems

const withModel = (lines: string): string => minimalAgent.replace('  name: high\n', lines)
const withClaude = (lines: string): string => `${minimalAgent}claude:\n${lines}\n`

describe('refused until it works', () => {
  it.each([
    'tools: [{name: a}]',
    'evaluations: {metrics: []}',
    'test_cases: [{input: a}]',
    'test_cases_file: a.yaml',
    'response_format: {type: object}',
    'embedding_provider: {provider: openai}',
    'observability: {enabled: true}',
    'deployment: {port: 1}',
    'execution: {llm_timeout: 3}',
    'hooks: {PreToolUse: x}',
    'routing: {a: b}',
    'extends: base.yaml',
    'openai: {effort: low}',
  ])('a top-level field: %s', async (line) => {
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
    ['claude.disable_subprocess_env_scrub', withClaude('  disable_subprocess_env_scrub: true')],
    ['claude.max_concurrent_sessions', withClaude('  max_concurrent_sessions: 3')],
    ['claude.session_memory_estimate_mib', withClaude('  session_memory_estimate_mib: 300')],
    ['limits.units_per_day', `${minimalAgent}limits: {units_per_day: 3}\n`],
    ['approvals.who', `${minimalAgent}approvals: {who: [me]}\n`],
    ['model.api_version', withModel('  name: high\n  api_version: "1"\n')],
    ['model.provider: openai', minimalAgent.replace('anthropic', 'openai')],
    ['model.provider: azure_openai', minimalAgent.replace('anthropic', 'azure_openai')],
    ['model.provider: ollama', minimalAgent.replace('anthropic', 'ollama')],
    ['backend: loop', `${minimalAgent}backend: loop\n`],
    ['workspace.mode: worktree', `${minimalAgent}workspace: {mode: worktree}\n`],
  ])('a field or value further in: %s', async (named, text) => {
    const problems = await problemsWith(text)
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([
      expect.objectContaining({ code: 'config.unsupported', message: `not supported yet: ${named}` }),
    ])
  })

  it.each(['tools: []', 'tools:', 'test_cases: []', 'hooks: {}', 'deployment: ~'])(
    'but a field that asks for nothing passes: %s',
    async (line) => {
      expect(await problemsWith(`${minimalAgent}${line}\n`)).toEqual([])
    },
  )
})
