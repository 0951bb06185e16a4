// The command as users and scripts run it: each run is its own process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { cliProcesses } from '../support/server/process-tree.ts'
import { command, runCommand } from '../support/server/run-command.ts'
import { checkout, cleanEnvironment, newFolder } from '../support/server/serve.ts'
import { workerAgent, writeAgent } from '../support/server/write-agent.ts'

const scenario = (name: string): string => fileURLToPath(new URL(`../scenarios/${name}.yaml`, import.meta.url))
const dataFlags = async () => ['--data', join(await newFolder('data'), 'data')]
const played = async (name: string) => [
  '--model-source',
  'simulator',
  '--script',
  scenario(name),
  ...(await dataFlags()),
]
const hello = join(checkout, 'examples', 'hello', 'agent.yaml')
const coder = join(checkout, 'examples', 'coder', 'agent.yaml')

describe('quarterdeck without arguments', () => {
  it('shows where to start', async () => {
    const { code, stdout } = await runCommand([])
    expect(code).toBe(0)
    for (const start of [
      'quarterdeck init my-agent',
      'quarterdeck serve examples',
      'quarterdeck chat examples/hello',
      'quarterdeck run examples/hello',
    ]) {
      expect(stdout).toContain(start)
    }
  })

  it('exits with 2 for an unknown command and suggests the nearest one', async () => {
    const { code, stderr } = await runCommand(['serv'])
    expect(code).toBe(2)
    expect(stderr).toContain('serve')
  })
})

describe('quarterdeck run', () => {
  it('prints the answer and nothing else on stdout, and exits with 0', async () => {
    const { code, stdout, stderr } = await runCommand(['run', hello, 'What can you do?', ...(await dataFlags())])
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stdout).toMatch(/simulator/)
    expect(stdout).not.toContain('session ses_')
    expect(stderr).toContain('session ses_')
    expect(stderr).toMatch(/simulator \(as claude-.*\$0\.\d+/)
  })

  it('exits with 1 and the reason when the provider refuses permanently', async () => {
    const file = await writeAgent(workerAgent)
    const { code, stdout, stderr } = await runCommand(['run', file, 'go', '--json', ...(await played('refused'))])
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ is_error: true })
    expect(stderr).toContain('the made-up provider refuses')
  })

  it('exits with 1 when the turn limit is reached', async () => {
    const file = await writeAgent(workerAgent)
    const { code, stdout, stderr } = await runCommand(['run', file, 'go', '--json', ...(await played('never-done'))])
    expect({ code, stderr }).toMatchObject({ code: 1 })
    expect(JSON.parse(stdout)).toMatchObject({ is_error: true, error_reason: 'max_turns limit reached' })
  })

  it('exits with 3 when the agent’s process dies', async () => {
    const file = await writeAgent(workerAgent)
    const flags = await played('slow-words')
    const dataDir = flags.at(-1) ?? ''
    const env = await cleanEnvironment(await newFolder('home'))
    const child = spawn(process.execPath, [command, 'run', file, 'slowly', '--json', ...flags], { env })
    let stdout = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.resume()
    const closed = once(child, 'close')
    await expect.poll(() => cliProcesses(dataDir), { timeout: 60_000 }).not.toEqual([])
    for (const pid of await cliProcesses(dataDir)) process.kill(pid, 'SIGKILL')
    expect((await closed)[0]).toBe(3)
    expect(JSON.parse(stdout)).toMatchObject({ is_error: true, error_reason: 'subprocess terminated unexpectedly' })
  })

  it.each([
    ['malformed YAML', 'name: broken\n  model: [', /agent\.yaml:\d+/],
    ['an unknown field, with the nearest known one', `${workerAgent}instruction: x\n`, /agent\.yaml:8.*instructions/s],
    ['a model nobody knows', workerAgent.replace('name: high', 'name: hihg'), /hihg/],
  ])('exits with 2 and the position for %s', async (_what, text, expected) => {
    const file = await writeAgent(text)
    const { code, stdout, stderr } = await runCommand(['run', file, 'go', ...(await played('refused'))])
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toMatch(expected)
    expect(stderr).not.toMatch(/\n\s+at /)
  })

  it('exits with 2 for a missing file', async () => {
    const { code, stderr } = await runCommand(['run', 'nowhere/agent.yaml', 'go', ...(await dataFlags())])
    expect(code).toBe(2)
    expect(stderr).toContain('nowhere/agent.yaml')
  })
})

describe('quarterdeck chat in a pipe', () => {
  it('answers line by line, and continues later with --resume', async () => {
    const flags = await dataFlags()
    const first = await runCommand(['chat', hello, ...flags], { input: 'My name is Ada.\nWhat can you do?\n' })
    expect({ code: first.code, stderr: first.stderr }).toMatchObject({ code: 0 })
    const id = /session (ses_\w+)/.exec(first.stderr)?.[1] ?? ''
    expect(first.stdout.match(/\$0\.\d+/g)).toHaveLength(2)

    const second = await runCommand(['chat', hello, '--resume', id, ...flags], { input: 'What is my name?\n/cost\n' })
    expect(second.code).toBe(0)
    expect(second.stderr).toContain(id)
    expect(second.stdout).toContain('Ada')
    expect(second.stderr).toMatch(/\d+ in, .* of \$0\.50/)

    const wrong = await runCommand(['chat', coder, '--resume', id, ...flags], { input: 'hi\n' })
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain('hello')
  })

  it('denies a tool and explains how to allow it, because no user can be asked', async () => {
    const flags = await dataFlags()
    const { code, stdout, stderr } = await runCommand(['chat', coder, ...flags], {
      input: 'Find and fix the failing test.\n',
    })
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stdout).toMatch(/not allowed to run `node --test`/)
    expect(stdout).toMatch(/approvals/i)
    expect(await readFile(join(checkout, 'examples', 'coder', 'project', 'src', 'cart.js'), 'utf8')).not.toContain(
      '* item.quantity',
    )
  })
})

describe('quarterdeck sessions', () => {
  it('lists sessions and shows every event of one', async () => {
    const flags = await dataFlags()
    const empty = await runCommand(['sessions', ...flags])
    expect(empty.code).toBe(2)
    expect(empty.stderr).toMatch(/contains no sessions: pass --data FOLDER/)
    await runCommand(['run', hello, 'What can you do?', ...flags])
    const { code, stdout } = await runCommand(['sessions', ...flags])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ses_\w+ {2}completed +hello +\$0\.\d+ .*What can you do\?\n$/)
    const id = stdout.split(' ')[0] ?? ''
    const shown = await runCommand(['sessions', 'show', id, ...flags])
    expect(shown.stdout).toMatch(/: {2}umsg_\w+, event \d+\n {2}What can you do\?\n/)
    expect(shown.stdout).toMatch(/\nhello: {2}event \d+\n/)
    const lines = (await runCommand(['sessions', 'show', id, '--json', ...flags])).stdout.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).seq)).toEqual(lines.map((_, index) => index + 1))
    const listed = JSON.parse((await runCommand(['sessions', '--json', ...flags])).stdout)
    expect(listed).toMatchObject([{ sessionId: id, status: 'completed', agentName: 'hello' }])
  })

  it('exits with 2 and a message for an unknown id', async () => {
    const flags = await dataFlags()
    for (const id of ['nonsense', 'ses_00000000000000000000000aa']) {
      const { code, stderr } = await runCommand(['sessions', 'show', id, ...flags])
      expect({ id, code }).toEqual({ id, code: 2 })
      expect(stderr).toMatch(/session/)
    }
  })
})

describe('quarterdeck validate', () => {
  it('reports every problem of every file, as text and as JSON', async () => {
    const broken = await writeAgent(`${workerAgent.replace('max_turns: 3', 'max_turns: many')}colour: red\n`)
    const forPeople = await runCommand(['validate', hello, broken])
    expect(forPeople.code).toBe(2)
    expect(forPeople.stdout).toMatch(/hello\/agent\.yaml: valid/)
    expect(forPeople.stdout).toMatch(/max_turns/)
    expect(forPeople.stdout).toMatch(/colour/)
    const forPrograms = await runCommand(['validate', hello, broken, '--json'])
    expect(forPrograms.code).toBe(2)
    const { files } = JSON.parse(forPrograms.stdout)
    expect(files).toMatchObject([
      { file: hello, ok: true, errors: [] },
      { file: broken, ok: false },
    ])
    expect(files[1].errors).toHaveLength(2)
    for (const error of files[1].errors) expect(error.line).toBeGreaterThan(0)
  })
})

describe('quarterdeck doctor', () => {
  it('checks this machine and reports what is missing', async () => {
    const { code, stdout } = await runCommand(['doctor', ...(await dataFlags())])
    expect({ code, stdout }).toMatchObject({ code: 0 })
    expect(stdout).toMatch(/ok {4}Node: v/)
    expect(stdout).toMatch(/ok {4}Claude CLI: \d/)
    expect(stdout).toMatch(/warn {2}Provider key: ANTHROPIC_API_KEY is not set/)
    const { checks } = JSON.parse((await runCommand(['doctor', '--json', ...(await dataFlags())])).stdout)
    expect(checks.map((check: { name: string }) => check.name)).toContain('Data folder')
  })
})
