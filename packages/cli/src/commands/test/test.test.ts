import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLog } from '@quarterdeck/engine'
import { describe, expect, it } from 'vitest'
import { bash, type Script, say, scripted, writeAgent } from '../../connect/scripted-agent.fixture.ts'
import { errorText } from '../../terminal/error-text.ts'
import { exitCodeOfError } from '../../terminal/exit-codes.ts'
import { openTestTerminal } from '../../terminal/terminal.fixture.ts'
import type { TestFlags } from './plan-tests.ts'
import { test as testAgents } from './test.ts'

const agent = (cases: string, provider = 'simulator') => `name: tester
model: { provider: ${provider}, name: high }
instructions: { inline: Be brief. }
${cases}`

const two = `test_cases:
  - { name: knows France, input: France, ground_truth: Paris }
  - { name: knows Spain, input: Spain, ground_truth: Madrid }
`

const knowsFrance: Script = (input) => [say(input === 'France' ? 'It is paris.' : 'No idea.')]

interface Setting {
  readonly text?: string
  readonly flags?: TestFlags
  readonly script?: Script
}

async function start({ text = agent(two), flags = {}, script = knowsFrance }: Setting = {}) {
  const screen = await openTestTerminal({ piped: '' })
  await writeAgent(screen.terminal.cwd, text)
  return { ...screen, code: testAgents(screen.terminal, { files: [], flags }, scripted(script)) }
}

async function openWithDocuments() {
  const screen = await openTestTerminal({ piped: '' })
  const text = agent(`embedding_provider: { provider: local, name: local }
tools:
  - { type: hierarchical_document, name: faq, description: Answers., source: faq.md, search_mode: keyword }
${two}`)
  await writeAgent(screen.terminal.cwd, text)
  await writeFile(join(screen.terminal.cwd, 'faq.md'), '# Paris\n\nIs the capital of France.\n')
  return screen
}

async function refusal(setting: Setting) {
  const { code, stdout } = await start(setting)
  const error = await code.catch((thrown: unknown) => thrown)
  return { text: errorText(error), code: exitCodeOfError(error), stdout: stdout() }
}

describe('quarterdeck test', () => {
  it('prints one line per case with the reasons of a failure below, and a summary; exits with 1 if a case failed', async () => {
    const { code, stdout, stderr, handlers } = await start()
    expect(await code).toBe(1)
    expect(stdout()).toMatch(
      /^✓ knows France \(\d.*\)\n✗ knows Spain \(\d.*\)\n {4}contains: "Madrid" is not in the answer: "No idea\."\n2 cases: 1 passed, 1 failed · /,
    )
    expect(stderr()).toBe('')
    expect(handlers()).toBe(0)
  })

  it('exits with 0 when all cases pass and when there are none, which it reports', async () => {
    const passing = await start({ flags: { filter: 'France' } })
    expect(await passing.code).toBe(0)
    expect(passing.stdout()).toMatch(/^✓ knows France .*\n1 case: 1 passed · /)
    const empty = await start({ text: agent('') })
    expect(await empty.code).toBe(0)
    expect(empty.stdout()).toMatch(/agent\.yaml has no test cases: nothing was tested\n$/)
  })

  it('refuses a filter that matches no case with 2, and lists the cases', async () => {
    expect(await refusal({ flags: { filter: 'Italy' } })).toEqual({
      text: 'no case has "Italy" in its name; available: knows France, knows Spain',
      code: 2,
      stdout: '',
    })
  })

  it('marks simulated answers, and names the agent of the following cases when there are several', async () => {
    const { terminal, stdout } = await openTestTerminal({ piped: '' })
    for (const name of ['one', 'two']) {
      await writeFile(join(terminal.cwd, `${name}.agent.yaml`), agent(two).replace('tester', name))
    }
    await testAgents(terminal, { files: ['.'], flags: {} }, scripted(knowsFrance))
    const output = stdout().replaceAll(/\(\d.*?\)|· [\d$].*? · /g, '')
    expect(output).toMatch(
      /^one \(one\.agent\.yaml\)\n✓[\s\S]*simulator\ntwo \(two\.agent\.yaml\)\n✓[\s\S]*simulator\n$/,
    )
  })

  it('explains in JSON output why there is no report', async () => {
    const { stdout, code } = await refusal({ text: `${agent(two)}colour: red\n`, flags: { format: 'json' } })
    expect(code).toBe(2)
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: 'config.invalid',
        message: expect.stringContaining('unknown key "colour"'),
        problems: [expect.objectContaining({ code: 'config.unknown-key', path: 'colour' })],
      },
    })
    expect((await refusal({ text: `${agent(two)}colour: red\n` })).stdout).toBe('')
  })

  it('prints only the report on stdout with --format json, and the lines on stderr', async () => {
    const { code, stdout, stderr } = await start({ flags: { format: 'json' } })
    expect(await code).toBe(1)
    const report = JSON.parse(stdout())
    expect(report).toMatchObject({
      agent: 'tester',
      summary: { total: 2, passed: 1, failed: 1, not_run: 0, interrupted: false },
      results: [
        { test_name: 'knows France', passed: true },
        { test_name: 'knows Spain', passed: false },
      ],
    })
    expect(stderr()).toContain('✓ knows France')
  })

  it('writes the report with --output, readable by its owner only, and prints the lines on stdout', async () => {
    const { code, stdout, terminal } = await start({ flags: { output: 'report.json' } })
    expect(await code).toBe(1)
    expect(JSON.parse(await readFile(join(terminal.cwd, 'report.json'), 'utf8')).results).toHaveLength(2)
    expect(stdout()).toContain('✗ knows Spain')
  })

  it('writes and prints the report with --output and --format json', async () => {
    const { code, stdout, terminal } = await start({ flags: { format: 'json', output: 'report.json' } })
    expect(await code).toBe(1)
    expect(stdout()).toBe(await readFile(join(terminal.cwd, 'report.json'), 'utf8'))
  })

  it('refuses an --output path that cannot be written before anything runs', async () => {
    expect(await refusal({ flags: { output: 'nowhere/report.json' } })).toMatchObject({
      text: expect.stringContaining('--output: the folder'),
      code: 2,
      stdout: '',
    })
  })

  it('prints only the summary with --quiet, and everything with --verbose', async () => {
    const quiet = await start({ flags: { quiet: true } })
    await quiet.code
    expect(quiet.stdout()).toMatch(/^2 cases: 1 passed, 1 failed · .*\n$/)
    const verbose = await start({ flags: { verbose: true }, script: () => [bash('ls'), say('Paris')] })
    await verbose.code
    expect(verbose.stdout()).toContain(
      '    asked: France\n    answered: Paris\n    called: Bash {"command":"ls"}\n    measured: contains 1\n',
    )
  })

  it('execution.quiet: and execution.verbose: in the file have the same effect as the flags, and the flags win', async () => {
    const inFile = (line: string) => agent(`execution: { ${line} }\n${two}`)
    const quiet = await start({ text: inFile('quiet: true') })
    await quiet.code
    expect(quiet.stdout()).toMatch(/^2 cases: 1 passed, 1 failed · .*\n$/)
    const verbose = await start({ text: inFile('verbose: true') })
    await verbose.code
    expect(verbose.stdout()).toContain('    asked: France\n    answered: It is paris.\n')
    const loud = await start({ text: inFile('quiet: true'), flags: { quiet: false } })
    await loud.code
    expect(loud.stdout()).toContain('✓ knows France')
  })

  it('runs the first cases with --limit', async () => {
    const { code, stdout } = await start({ flags: { limit: 1 } })
    expect(await code).toBe(0)
    expect(stdout()).toContain('1 case: 1 passed')
  })

  it('uses the time limit of --timeout instead of the one in the file', async () => {
    const text = agent(`execution: { llm_timeout: 3600 }\n${two}`)
    const script: Script = () => [{ type: 'stall', chunks: ['…'] }]
    const { code, stdout } = await start({ text, script, flags: { timeout: 1, limit: 1 } })
    expect(await code).toBe(1)
    expect(stdout()).toContain('    timeout exceeded\n')
  })

  it('deletes the log unless --data names a folder for it', async () => {
    const before = await readdir(tmpdir())
    const gone = await start()
    await gone.code
    const left = (await readdir(tmpdir())).filter(
      (name) => name.startsWith('quarterdeck-test-') && !before.includes(name),
    )
    expect(left).toEqual([])
    expect(await readdir(gone.terminal.cwd)).toEqual(['agent.yaml'])

    const kept = await start({ flags: { data: 'kept' } })
    await kept.code
    const log = await openLog(join(kept.terminal.cwd, 'kept'))
    const { sessions } = await log.listSessions({ tag: 'test' })
    await log.close()
    expect(sessions.map(({ title }) => title)).toEqual(['knows Spain', 'knows France'])
    const [{ sessionId } = { sessionId: '' }] = sessions
    expect(kept.stdout()).toContain(`session ${sessionId}`)
  })

  it('reads documents once with a persistent log, and again with --force-ingest', async () => {
    const screen = await openWithDocuments()
    const read = 'faq: 1/1 files, 1 passages'
    const reads = async (flags: TestFlags) => {
      const before = screen.stderr().split(read).length
      expect(
        await testAgents(
          screen.terminal,
          { files: [], flags: { data: 'kept', limit: 1, ...flags } },
          scripted(knowsFrance),
        ),
      ).toBe(0)
      return screen.stderr().split(read).length - before
    }
    expect(await reads({})).toBe(1)
    expect(await reads({})).toBe(0)
    expect(await reads({ forceIngest: true })).toBe(1)
  })

  it('runs several files and prints a report for each; the worst outcome decides the exit code', async () => {
    const { terminal, stdout } = await openTestTerminal({ piped: '' })
    await writeFile(join(terminal.cwd, 'a.yaml'), agent(two).replace('tester', 'one'))
    await writeFile(join(terminal.cwd, 'b.yaml'), agent('').replace('tester', 'two'))
    const input = { files: ['a.yaml', 'b.yaml'], flags: { format: 'json' } } as const
    expect(await testAgents(terminal, input, scripted(knowsFrance))).toBe(1)
    expect(JSON.parse(stdout())).toMatchObject({ reports: [{ agent: 'one' }, { agent: 'two', results: [] }] })
  })
})

describe('quarterdeck test with a folder', () => {
  it('tests every agent file below it once', async () => {
    const { terminal, stdout } = await openTestTerminal({ piped: '' })
    for (const [folder, file] of [
      ['a', 'agent.yaml'],
      ['a/b', 'two.agent.yaml'],
      ['a/b', 'notes.yaml'],
    ] as const) {
      await mkdir(join(terminal.cwd, folder), { recursive: true })
      await writeFile(join(terminal.cwd, folder, file), agent(two).replace('tester', file.split('.')[0] ?? ''))
    }
    const input = { files: ['a', 'a/agent.yaml'], flags: { format: 'json', limit: 1 } } as const
    expect(await testAgents(terminal, input, scripted(knowsFrance))).toBe(0)
    expect(JSON.parse(stdout())).toMatchObject({ reports: [{ agent: 'agent' }, { agent: 'two' }] })
  })

  it('refuses a folder without agent files, and a missing path, with 2', async () => {
    const { terminal } = await openTestTerminal({ piped: '' })
    await mkdir(join(terminal.cwd, 'empty'))
    const tested = async (path: string) => {
      const error = await testAgents(terminal, { files: [path], flags: {} }).catch((thrown: unknown) => thrown)
      return [errorText(error), exitCodeOfError(error)]
    }
    expect(await tested('empty')).toEqual(['empty: no agent.yaml or *.agent.yaml in this folder', 2])
    expect(await tested('gone')).toEqual(['gone: the file does not exist. Give the path of an agent.yaml.', 2])
  })
})

describe('quarterdeck test refuses with 2 before anything runs:', () => {
  it('an invalid file, with its position', async () => {
    const { text, code } = await refusal({ text: agent('test_cases: [{ inptu: hi }]') })
    expect(text).toContain('agent.yaml:4')
    expect(code).toBe(2)
  })

  it('unsupported metrics, by name', async () => {
    const text = agent(`evaluations: { metrics: [{ metric: rouge }, { metric: bleu, enabled: false }] }\n${two}`)
    const refused = await refusal({ text })
    expect(refused.text).toBe('not supported yet: metric rouge (cases "knows France", "knows Spain")')
    expect(refused).toMatchObject({ code: 2, stdout: '' })
  })

  it('a missing file of a test case, by name', async () => {
    const text = agent(`test_cases:
  - { name: fine, input: France }
  - { name: lost, input: What is this?, files: [{ path: gone.png, type: image }] }
`)
    const refused = await refusal({ text })
    expect(refused.text).toMatch(/^case "lost": the file .*gone\.png cannot be read$/)
    expect(refused).toMatchObject({ code: 2, stdout: '' })
  })

  it.each([
    ['in the file', agent(`model_source: auto\n${two}`, 'anthropic'), {}],
    ['on the command line', agent(two, 'anthropic'), { modelSource: 'auto' as const }],
  ])('a missing key, where `auto` %s would fall back to the simulator', async (_where, text, flags) => {
    const refused = await refusal({ text, flags })
    expect(refused.text).toContain('ANTHROPIC_API_KEY')
    expect(refused.code).toBe(2)
  })

  it('but runs the same file with --model-source simulator', async () => {
    const text = agent(`model_source: auto\n${two}`, 'anthropic')
    const { code } = await start({ text, flags: { modelSource: 'simulator', limit: 1 } })
    expect(await code).toBe(0)
  })
})

describe('quarterdeck test exits', () => {
  it('with 3 when the agent could not run at all', async () => {
    const screen = await openTestTerminal({ piped: '' })
    await writeAgent(screen.terminal.cwd, agent(two))
    const createBackend = () => {
      throw new Error('no runtime on this machine')
    }
    const code = await testAgents(screen.terminal, { files: [], flags: {} }, { createBackend })
    expect(code).toBe(3)
    expect(screen.stdout().match(/ {4}no runtime on this machine\n/g)).toHaveLength(1)
    expect(screen.stdout()).toContain('    could not run either: see above\n')
  })

  it('with 4 when a required metric could not be measured', async () => {
    const text = agent(
      `evaluations: { metrics: [{ metric: equality, response_path: city, fail_on_error: true }] }\n${two}`,
    )
    const { code, stdout } = await start({ text })
    expect(await code).toBe(4)
    expect(stdout()).toContain('equality: response_path "city": the answer is not JSON')
  })

  it('with 130 and the results so far when it is interrupted', async () => {
    const script: Script = (input) => (input === 'France' ? [say('Paris')] : [{ type: 'stall', chunks: ['…'] }])
    const { code, signal, stdout, stderr } = await start({ script, flags: { format: 'json' } })
    await expect.poll(stderr, { timeout: 20_000 }).toContain('✓ knows France')
    signal()
    expect(await code).toBe(130)
    expect(JSON.parse(stdout())).toMatchObject({
      summary: { total: 2, passed: 1, failed: 0, not_run: 1, interrupted: true },
      results: [{ test_name: 'knows France' }],
    })
  })

  it('with 130 when it is interrupted while it reads documents', async () => {
    const { terminal, stdout } = await openWithDocuments()
    const impatient = (_signal: string, handler: () => void) => {
      queueMicrotask(handler)
      return () => undefined
    }
    const flags = { forceIngest: true } as const
    const code = testAgents(
      { ...terminal, onSignal: impatient },
      { files: [], flags },
      scripted(() => [say('Paris')]),
    )
    expect(await code).toBe(130)
    expect(stdout()).toBe('')
  })
})
