import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CanUseTool, type Options, query } from '@anthropic-ai/claude-agent-sdk'
import { formatApprovedCall } from '@quarterdeck/protocol'
import { loadScenario } from '@quarterdeck/simulator'
import { describe, expect, it } from 'vitest'
import { allow, openCliHarness, runCli } from './cli-harness.fixture.ts'

const coderOptions = {
  tools: ['Agent', 'Bash', 'Read', 'Edit', 'Glob', 'Grep'],
  systemPrompt: 'You are a coder.',
  agents: { explorer: { description: 'Looks around', prompt: 'You explore.', tools: ['Read', 'Glob', 'Grep'] } },
  canUseTool: allow,
} satisfies Options

const fixPrompt = 'Find and fix the failing test.'
const testsPass = (project: string) => {
  try {
    return execFileSync('node', ['--test'], { cwd: project, env: { PATH: process.env.PATH }, encoding: 'utf8' })
  } catch (error) {
    return String(error)
  }
}

describe('the real CLI on the simulator', () => {
  it('gets text, runs a tool, and every request is booked with the served usage', async () => {
    const { simulator, settled, shared, totals } = await openCliHarness()
    const { result, calls, text } = await runCli('list the files', { ...shared, tools: ['Bash'], canUseTool: allow })
    expect(result).toMatchObject({ subtype: 'success', is_error: false })
    expect(calls).toEqual(['Bash'])
    expect(text).toContain('package.json')
    const served = simulator.served()
    expect(served.requests.map((request) => request.answeredBy)).toEqual(['files', 'tool-results'])
    expect(settled.map((row) => row.messageId)).toEqual(served.requests.map((request) => request.messageId))
    expect(totals()).toEqual(served.usage)
    expect(result?.usage).toMatchObject({ output_tokens: served.usage.outputTokens })
    expect(served.usage.cacheReadInputTokens).toBeGreaterThan(0)
  })

  it('returns structured output', async () => {
    const { shared } = await openCliHarness()
    const schema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] }
    const { result } = await runCli('hi', { ...shared, tools: [], outputFormat: { type: 'json_schema', schema } })
    expect(result).toMatchObject({ structured_output: { answer: expect.stringContaining('simulator') } })
  })

  it('retries after a broken stream, and both messages are booked', async () => {
    const { settled, shared } = await openCliHarness({
      faults: [{ fault: { type: 'reset_mid_stream', after_deltas: 3 }, on: { first: 1 } }],
    })
    const { text } = await runCli('hi', { ...shared, tools: [] })
    expect(text).toContain('local simulator')
    expect(settled.map((row) => row.isComplete)).toEqual([false, true])
  })

  it('fails with an explanation when a scenario has no matching step', async () => {
    const { simulator, shared } = await openCliHarness({
      mode: { script: loadScenario('steps: [{ when: { text: never }, then: { text: no } }]', 'none.yaml') },
    })
    const { result, text } = await runCli('hi', { ...shared, tools: [] })
    expect(result?.is_error).toBe(true)
    expect(text).toContain('no step of scenario')
    expect(simulator.served().unmatched[0]).toContain('last user text: "hi"')
  })
})

describe('the coder task on the real CLI', () => {
  it('explores with a subagent, runs the tests, fixes the line and ends with passing tests and the diff', async () => {
    const { simulator, shared, project, totals } = await openCliHarness()
    expect(testsPass(project)).toContain('Command failed')
    const { result, calls, text } = await runCli(fixPrompt, { ...shared, ...coderOptions })
    expect(result).toMatchObject({ subtype: 'success', is_error: false })
    expect(calls).toEqual([
      'Agent',
      'explorer:Glob',
      'explorer:Glob',
      'explorer:Read',
      'explorer:Read',
      'Bash',
      'Read',
      'Edit',
      'Bash',
    ])
    expect(text).toContain('"the total counts every piece of an item"')
    expect(text).toContain('It expected 4.2 and got 3.')
    expect(text).toContain('```diff\n--- a/src/cart.js')
    expect(text).toContain('+  const total = cart.reduce((sum, item) => sum + item.price * item.quantity, 0)')
    expect(text).toContain('3 of 3 pass')
    expect(testsPass(project)).toMatch(/fail 0/)
    expect(totals()).toEqual(simulator.served().usage)
  })

  it('stops when the edit is denied, shows the change that it planned, and continues when asked to', async () => {
    const { shared, project } = await openCliHarness()
    const before = readFileSync(join(project, 'src/cart.js'), 'utf8')
    const deny: CanUseTool = async (tool, input) =>
      tool === 'Edit' ? { behavior: 'deny', message: 'Not on a Friday' } : { behavior: 'allow', updatedInput: input }
    const first = await runCli(fixPrompt, { ...shared, ...coderOptions, canUseTool: deny })
    expect(first.text).toContain('Not on a Friday')
    expect(first.text).toContain('```diff')
    expect(readFileSync(join(project, 'src/cart.js'), 'utf8')).toBe(before)
    const resume = first.result?.session_id
    if (!resume) throw new Error('no session id')
    const second = await runCli('ok, continue', { ...shared, ...coderOptions, resume })
    expect(second.calls).toEqual(['Edit', 'Bash'])
    expect(second.text).toContain('3 of 3 pass')
  })

  it.each(['Bash', 'Edit'])('resumes after its process died while %s waited for an approval', async (waiting) => {
    const { shared, project } = await openCliHarness()
    const dying = new AbortController()
    let open: { input: Record<string, unknown> } | null = null
    const wait: CanUseTool = async (tool, input, { signal }) => {
      if (tool !== waiting) return { behavior: 'allow', updatedInput: input }
      open = { input }
      dying.abort()
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('gone'))))
    }
    let sessionId = ''
    const running = query({
      prompt: fixPrompt,
      options: { ...shared, ...coderOptions, canUseTool: wait, abortController: dying },
    })
    try {
      for await (const message of running) sessionId = message.session_id ?? sessionId
    } catch {
      // Aborted, as intended.
    }
    const asked: [string, Record<string, unknown>][] = []
    const grant: CanUseTool = async (tool, input) => {
      asked.push([tool, input])
      return { behavior: 'allow', updatedInput: input }
    }
    const input = (open as { input: Record<string, unknown> } | null)?.input ?? {}
    const wake = `The server was restarted; a person decided meanwhile.\n${formatApprovedCall(waiting, input)}\nThen go on with the task.`
    const { calls, text } = await runCli(wake, { ...shared, ...coderOptions, canUseTool: grant, resume: sessionId })
    expect(calls[0]).toBe(waiting)
    expect(asked[0]).toEqual([waiting, input])
    expect(text).toContain('3 of 3 pass')
    expect(testsPass(project)).toMatch(/fail 0/)
  })
})
