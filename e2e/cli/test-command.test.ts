// `quarterdeck test` as a pipeline runs it: real processes and sessions, answers from the simulator.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { cliProcesses } from '../support/server/process-tree.ts'
import { command, runCommand } from '../support/server/run-command.ts'
import { cleanEnvironment, newFolder } from '../support/server/serve.ts'
import { writeAgent } from '../support/server/write-agent.ts'

const script = fileURLToPath(new URL('../scenarios/graded.yaml', import.meta.url))
const simulated = ['--model-source', 'simulator', '--script', script]

const lookup = `export const lookup = ({ id }) => \`order \${id} was delivered on Monday\`\n`

const agentOf = (backend: string, tests: string) => `name: clerk
backend: ${backend}
model: { provider: anthropic, name: low }
instructions: { inline: You answer. }
claude: { max_turns: 3 }
approvals: { allow: [mcp__tools__lookup_order] }
tools:
  - type: function
    name: lookup_order
    description: Looks an order up.
    file: lookup.mjs
    function: lookup
    parameters:
      type: object
      properties: { id: { type: number }, why: { type: string } }
${tests}`

const passing = `test_cases:
  - { name: knows France, input: What is the capital of France?, ground_truth: paris }
  - name: looks up
    input: Where is order 4711?
    ground_truth: Monday
    expected_tools: [{ name: lookup_order, args: { id: 4711, why: { fuzzy: too late } } }]
  - name: remembers
    turns:
      - { input: my name is Ada }
      - { input: what is my name?, ground_truth: Ada, evaluations: [{ metric: contains }] }
`

async function project(text: string): Promise<string> {
  const file = await writeAgent(text)
  await writeFile(join(dirname(file), 'lookup.mjs'), lookup)
  return file
}

describe.each(['claude', 'loop'])('quarterdeck test on the backend %s', (backend) => {
  it('exits with 0 when every case passes, and writes the report', async () => {
    const file = await project(agentOf(backend, passing))
    const output = join(dirname(file), 'report.json')
    const flags = ['--format', 'json', '--output', output, '--parallel', '2', '--data', join(dirname(file), 'data')]
    const { code, stdout, stderr } = await runCommand(['test', file, ...simulated, ...flags])
    expect({ code, stdout, stderr }).toMatchObject({ code: 0 })
    expect(stderr).toMatch(/✓ knows France \(.*\)/)
    expect(stderr).toMatch(/3 cases: 3 passed · .* · \$0\.\d+/)
    const report = JSON.parse(await readFile(output, 'utf8'))
    expect(JSON.parse(stdout)).toEqual(report)
    expect(report).toMatchObject({ agent: 'clerk', summary: { total: 3, passed: 3, failed: 0 } })
    expect(report.results).toMatchObject([
      { test_name: 'knows France', passed: true, metrics: [{ name: 'contains', score: 1 }], turns: [] },
      {
        test_name: 'looks up',
        passed: true,
        tools_matched: true,
        response: 'It was delivered on Monday.',
        tool_calls: [{ name: 'mcp__tools__lookup_order', is_error: false }],
      },
      { test_name: 'remembers', passed: true, turns: [{ response: 'Hello Ada.' }, { response: 'Ada, as you said.' }] },
    ])
    expect(report.results[1].tool_calls[0].result).toContain('order 4711 was delivered on Monday')
    const { session_id: sessionId } = report.results[2]
    const shown = await runCommand(['sessions', 'show', sessionId, '--data', join(dirname(file), 'data')])
    expect(shown.stdout).toContain('completed')
  })

  it('exits with 1 when a case fails because of its answer or the turn limit', async () => {
    const cases = `test_cases:
  - { name: knows Spain, input: What is the capital of Spain?, ground_truth: Madrid }
  - { name: ends, input: never stop }
`
    const file = await project(agentOf(backend, cases).replace('max_turns: 3', 'max_turns: 1'))
    const { code, stdout, stderr } = await runCommand(['test', file, ...simulated, '--format', 'json'])
    expect({ code, stderr }).toMatchObject({ code: 1 })
    expect(stderr).toContain('    contains: "Madrid" is not in the answer: "No idea."')
    expect(JSON.parse(stdout).results).toMatchObject([
      { passed: false, error: null, response: 'No idea.' },
      { passed: false, error: 'max_turns limit reached' },
    ])
  })
})

describe('quarterdeck test', () => {
  it('exits with 2 before any case runs for an unsupported metric or a missing key', async () => {
    const rouge = await project(agentOf('claude', `evaluations: { metrics: [{ metric: rouge }] }\n${passing}`))
    const refused = await runCommand(['test', rouge, ...simulated])
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('not supported yet: metric rouge')
    const auto = await project(agentOf('claude', `model_source: auto\n${passing}`))
    const keyless = await runCommand(['test', auto])
    expect(keyless).toMatchObject({ code: 2, stdout: '' })
    expect(keyless.stderr).toContain('ANTHROPIC_API_KEY')
  })

  it('exits with 3 when the agent cannot run at all', async () => {
    const server = '  - { type: mcp, name: docs, description: d, command: no-such-program-here }\n'
    const file = await project(agentOf('loop', passing).replace('test_cases:', `${server}test_cases:`))
    const { code, stdout } = await runCommand(['test', file, ...simulated, '--limit', '1'])
    expect({ code, stdout }).toMatchObject({ code: 3, stdout: expect.stringContaining('docs') })
  })

  it('exits with 4 when a required metric cannot be measured', async () => {
    const metric = 'evaluations: { metrics: [{ metric: equality, response_path: city, fail_on_error: true }] }\n'
    const file = await project(agentOf('loop', `${metric}${passing}`))
    const { code, stdout } = await runCommand(['test', file, ...simulated, '--limit', '1'])
    expect({ code, stdout }).toMatchObject({ code: 4, stdout: expect.stringContaining('the answer is not JSON') })
  })

  it('reports 0 when there are no cases', async () => {
    const { code, stdout } = await runCommand(['test', await project(agentOf('loop', '')), ...simulated])
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('has no test cases') })
  })

  it('exits with 130 and a partial report after Ctrl-C, and leaves no process running', async () => {
    const cases = `test_cases:
  - { name: knows France, input: What is the capital of France? }
  - { name: takes long, input: slowly }
`
    const file = await project(agentOf('claude', cases))
    const env = await cleanEnvironment(await newFolder('home'))
    const dataDir = join(dirname(file), 'data')
    const flags = ['--format', 'json', '--data', dataDir]
    const child = spawn(process.execPath, [command, 'test', file, ...simulated, ...flags], { env })
    let [stdout, stderr] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    const closed = once(child, 'close')
    await expect.poll(() => stderr).toContain('✓ knows France')
    await expect.poll(() => cliProcesses(dataDir)).toHaveLength(1)
    child.kill('SIGINT')
    const [code] = await closed
    expect({ code, stderr }).toMatchObject({ code: 130 })
    expect(JSON.parse(stdout)).toMatchObject({
      summary: { total: 2, passed: 1, not_run: 1, interrupted: true },
      results: [{ test_name: 'knows France', passed: true }],
    })
    await expect.poll(() => cliProcesses(dataDir)).toEqual([])
  })
})
