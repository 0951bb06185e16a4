// Users copy the examples first, so each must be valid and do what its description says.
import { spawnSync } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCommand } from '../support/server/run-command.ts'
import { cleanEnvironment, examples, newFolder, serve } from '../support/server/serve.ts'
import { allowAll, wholeLog } from '../support/server/watched-session.ts'

const patience = { timeout: 60_000 }

async function exampleFolders(): Promise<readonly string[]> {
  const entries = await readdir(examples, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
}

/** Programs whose agents are not offered to users. */
const isProgram = (name: string): boolean => /^(?:client|sidecar)-/.test(name)

describe('the examples', () => {
  it('are all valid and have a README', async () => {
    const names = await exampleFolders()
    expect(names).toEqual(expect.arrayContaining(['coder', 'hello']))
    const own = names.filter((name) => name.startsWith('sidecar-')).map((name) => join(examples, name, 'helper.yaml'))
    const { code, stdout } = await runCommand(['validate', examples, ...own, '--json'])
    expect({ code, stdout }).toMatchObject({ code: 0 })
    const agents = names.filter((name) => !isProgram(name)).map((name) => join(examples, name, 'agent.yaml'))
    expect(JSON.parse(stdout).files).toMatchObject([...agents, ...own].map((file) => ({ file, ok: true, errors: [] })))
    for (const name of names) expect((await stat(join(examples, name, 'README.md'))).size).toBeGreaterThan(0)
    const listed = await readFile(join(examples, 'README.md'), 'utf8')
    for (const name of names) expect(listed).toContain(`[${name}](${name}/README.md)`)
  })

  it('hello: run --json prints every field of the result from the real CLI', async () => {
    const dataDir = join(await newFolder('data'), 'data')
    const file = join(examples, 'hello', 'agent.yaml')
    const { code, stdout } = await runCommand(['run', file, 'hi', '--json', '--data', dataDir])
    expect(code).toBe(0)
    const result = JSON.parse(stdout)
    expect(Object.keys(result).sort()).toEqual(
      [
        'response',
        'tool_calls',
        'tool_results',
        'token_usage',
        'structured_output',
        'num_turns',
        'is_error',
        'error_reason',
      ].sort(),
    )
    expect(result).toMatchObject({ tool_calls: [], tool_results: [], structured_output: null, num_turns: 1 })
    expect(result).toMatchObject({ is_error: false, error_reason: null })
    expect(result.response).toMatch(/hello/i)
    const usage = result.token_usage
    expect(Object.keys(usage)).toHaveLength(7)
    expect(usage.prompt_tokens).toBeGreaterThan(0)
    expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens)
    expect(usage.completion_tokens).toBe(usage.output_tokens)
  })

  it('coder: fixes its own copy of the project with a subagent, asks three times and ends with passing tests', async () => {
    const original = join(examples, 'coder', 'project', 'src', 'cart.js')
    const before = await readFile(original, 'utf8')
    const served = await serve({ args: ['--model-source', 'simulator'] })
    try {
      const { sessionId } = await served.client.createSession({
        agent: 'coder',
        message: 'Find and fix the failing test.',
      })
      await allowAll(served, sessionId)
      const log = await wholeLog(served, sessionId)
      const asked = log.filter((event) => event.type === 'ApprovalRequested')
      expect(asked.map((event) => event.data.toolName)).toEqual(['Bash', 'Edit', 'Bash'])
      expect(log.some((event) => event.type === 'SubagentStarted' && event.data.agentType === 'explorer')).toBe(true)
      expect(log.some((event) => event.type === 'SubagentStopped')).toBe(true)
      const { session } = await served.client.getSession(sessionId)
      await expect.poll(async () => (await served.client.getSession(sessionId)).session.status, patience).toBe('idle')
      expect(session.costUsd).toBeGreaterThan(0)

      expect(session.cwd.startsWith(served.dataDir)).toBe(true)
      expect(await readFile(join(session.cwd, 'src', 'cart.js'), 'utf8')).toContain('item.price * item.quantity')
      expect(await readFile(original, 'utf8')).toBe(before)
      const env = await cleanEnvironment(await newFolder('home'))
      const test = (cwd: string) => spawnSync(process.execPath, ['--test'], { cwd, env, encoding: 'utf8' })
      expect(test(session.cwd)).toMatchObject({ status: 0, stdout: expect.stringMatching(/pass 3\b/) })
      // The tests failed before: the example has something to fix.
      expect(test(join(examples, 'coder', 'project')).status).not.toBe(0)
    } finally {
      await served.stop()
    }
  })
})
