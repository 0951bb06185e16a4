import { tmpdir } from 'node:os'
import { parseUnsavedMessages } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { createScriptedBackend } from '../backends/scripted/create-scripted-backend.ts'
import type { Script, Step } from '../backends/scripted/script.ts'
import { textStep } from '../sessions/testing/lifecycle.fixture.ts'
import { testAgent } from '../testing/agent-definition.fixture.ts'
import { collectWarnings } from '../testing/warnings.fixture.ts'
import { conversation, metric, single, tests, tool, turn } from './agent-tests.fixture.ts'
import { exitCodeOfReport } from './report.ts'
import { reportJson } from './report-json.ts'
import { only, start } from './run-harness.fixture.ts'

const lookup: Step = { type: 'tool', name: 'Read', input: { file_path: 'a.txt' }, result: 'found it' }

describe('a test case', () => {
  it('runs in its own task session, which has the name of the case and is closed', async () => {
    const { harness, run } = await start(() => [textStep('Paris, of course.')])
    const report = await run(tests({ cases: [single('capital of France?', { groundTruth: 'paris' })] }))
    expect(report.results).toMatchObject([{ passed: true }])
    expect(exitCodeOfReport(report)).toBe(0)
    const { sessions } = await harness.sessions.listSessions({ tag: 'test' })
    expect(sessions).toMatchObject([
      {
        title: 'capital of France?',
        mode: 'task',
        status: 'completed',
        owner: 'ana',
        sessionId: report.results[0]?.sessionId,
      },
    ])
  })

  it('fails the default comparison when its ground truth is not in the answer', async () => {
    const { result, code } = await only(
      [[textStep('London')]],
      tests({ cases: [single('q', { groundTruth: 'Paris' })] }),
    )
    expect(result).toMatchObject({
      passed: false,
      response: 'London',
      metrics: [{ name: 'contains', score: 0, passed: false, reason: '"Paris" is not in the answer: "London"' }],
      error: null,
    })
    expect(code).toBe(1)
  })

  it.each([
    [{ type: 'limit', limit: 'turns' }, 'max_turns limit reached'],
    [{ type: 'limit', limit: 'budget' }, 'budget limit reached'],
    [{ type: 'limit', limit: 'time' }, 'timeout exceeded'],
    [{ type: 'crash' }, 'subprocess terminated unexpectedly'],
    [{ type: 'fail', reason: 'the provider said no' }, 'the provider said no'],
  ] as const)('that ends by %j fails with exactly that error, and its session is closed', async (step, error) => {
    const { harness, run } = await start([[textStep('Paris'), step]])
    const report = await run(tests({ cases: [single('q', { groundTruth: 'Paris' })] }))
    const json = reportJson(report)
    expect(json.results).toMatchObject([{ passed: false, error, response: 'Paris', metrics: [] }])
    expect(exitCodeOfReport(report)).toBe(1)
    expect((await harness.sessions.listSessions({})).sessions).toMatchObject([{ status: 'cancelled' }])
  })

  it('is an execution error when its agent cannot start', async () => {
    const { run } = await start([], {
      openToolbox: async () => {
        throw new Error('the server "docs" could not be started')
      },
    })
    const report = await run(tests({ cases: [single('q')] }))
    expect(reportJson(report).results).toMatchObject([
      { passed: false, error: 'the server "docs" could not be started' },
    ])
    expect(exitCodeOfReport(report)).toBe(3)
  })

  it('is stopped at its time limit', async () => {
    const { run } = await start(() => [{ type: 'stall', chunks: ['Well'] }], { agent: { turnTimeoutMs: 50 } })
    const { results } = reportJson(await run(tests({ cases: [single('q')] })))
    expect(results).toMatchObject([{ passed: false, error: 'timeout exceeded' }])
  })

  it('fails when an expected tool was not called, and passes when it was', async () => {
    const path = { type: 'regex', text: '/?a.txt', pattern: /^(?:\/?a.txt)$/ } as const
    const expectedTools = [tool('Read', { args: { file_path: path } })]
    const script: Script = (input) => (input === 'with' ? [lookup, textStep('done')] : [textStep('done')])
    const { run } = await start(script, {
      agent: { claude: { ...testAgent(tmpdir()).claude, permissionMode: 'acceptAll' } },
    })
    const report = await run(
      tests({ cases: [single('with', { expectedTools }), single('without', { expectedTools })] }),
    )
    expect(reportJson(report).results).toMatchObject([
      {
        passed: true,
        tools_matched: true,
        tool_calls: [{ name: 'Read', arguments: { file_path: 'a.txt' }, result: 'found it', is_error: false }],
        expected_tools: [{ name: 'Read', args: { file_path: { regex: '/?a.txt' } }, count: 1, matched: true }],
      },
      { passed: false, tools_matched: false, tool_calls: [] },
    ])
  })

  it('follows the rules of the agent, without anyone to approve calls', async () => {
    const bash: Step = { type: 'tool', name: 'Bash', input: { command: 'rm -rf x' }, result: 'gone' }
    const { result } = await only([[bash, textStep('done')]], tests({ cases: [single('q')] }))
    expect(result.tool_calls).toMatchObject([{ name: 'Bash', is_error: true }])
  })

  it('does not count a denied call as expected, and names the rule that would allow it', async () => {
    const bash: Step = { type: 'tool', name: 'Bash', input: { command: 'rm -rf x' }, result: 'gone' }
    const cases = [single('q', { expectedTools: [tool('Bash')] })]
    const { result, code } = await only([[bash, textStep('done')]], tests({ cases }))
    expect(code).toBe(1)
    const reason = expect.stringContaining(
      'one was denied or stopped: a test has no person to approve it, so add a rule',
    )
    expect(result.expected_tools).toMatchObject([{ matched: false, reason }])
  })
})

describe('metrics', () => {
  const wrong = metric({ type: 'equality', name: 'agent' })

  it('of the message override those of the case, which override those of the agent', async () => {
    const cases = [
      {
        ...single('turn', { groundTruth: 'x', metrics: [metric({ name: 'turn' })] }),
        metrics: [metric({ name: 'case' })],
      },
      { ...single('case', { groundTruth: 'x' }), metrics: [metric({ name: 'case' })] },
      single('agent', { groundTruth: 'x' }),
      { ...single('none', { groundTruth: 'x' }), metrics: [] },
    ]
    const { run } = await start(() => [textStep('x')])
    const { results } = reportJson(await run(tests({ cases, metrics: [wrong] })))
    expect(results.map(({ metrics }) => metrics.map(({ name }) => name))).toEqual([['turn'], ['case'], ['agent'], []])
  })

  it('are skipped when they are disabled or when there is no ground truth', async () => {
    const off = metric({ type: 'equality', isEnabled: false })
    const cases = [single('off', { groundTruth: 'y', metrics: [off] }), single('no truth', { metrics: [wrong] })]
    const { run } = await start(() => [textStep('x')])
    expect(reportJson(await run(tests({ cases }))).results).toMatchObject([
      { passed: true, metrics: [] },
      { passed: true, metrics: [] },
    ])
  })

  it('that cannot be measured fail the case, or are an evaluation error with fail_on_error', async () => {
    const broken = (failsOnError: boolean) =>
      tests({ cases: [single('q', { groundTruth: '5', metrics: [metric({ responsePath: 'total', failsOnError })] })] })
    const lenient = await only([[textStep('no JSON')]], broken(false))
    expect(lenient.result).toMatchObject({
      passed: false,
      metrics: [{ score: null, error: expect.stringContaining('not JSON') }],
    })
    expect(lenient.code).toBe(1)
    expect((await only([[textStep('no JSON')]], broken(true))).code).toBe(4)
  })

  it('that are not supported yet are refused by name before anything runs, unless they are disabled', async () => {
    const rouge = { type: 'other', name: 'rouge', isEnabled: true } as const
    const { harness, run } = await start(() => [textStep('x')])
    const cases = [single('one', { groundTruth: 'x' }), single('two', { groundTruth: 'x' })]
    await expect(run(tests({ cases, metrics: [rouge] }))).rejects.toMatchObject({
      code: 'config.unsupported',
      message: 'not supported yet: metric rouge (cases "one", "two")',
    })
    expect((await harness.sessions.listSessions({})).sessions).toEqual([])
    const report = await run(tests({ cases, metrics: [{ ...rouge, isEnabled: false }] }))
    expect(exitCodeOfReport(report)).toBe(0)
  })
})

describe('a conversation', () => {
  it('runs in one session in order, and is reported as a whole and by turn', async () => {
    const script: Script = (input, _turn, earlier) => [textStep(`${input} after ${earlier.join(' and ')}`)]
    const { harness, run } = await start(script)
    const dialogCase = conversation(
      'talk',
      turn('one'),
      turn('two', { groundTruth: 'two after one' }),
      turn('three', { groundTruth: 'nothing' }),
    )
    const [result] = reportJson(await run(tests({ cases: [dialogCase] }))).results
    expect(result).toMatchObject({
      test_name: 'talk',
      passed: false,
      input: 'one\n---\ntwo\n---\nthree',
      response: 'three after one and two',
      metrics: [{ name: 'contains', score: 0.5, passed: false, reason: expect.stringContaining('[turn 3]') }],
      turns: [
        { input: 'one', passed: true, metrics: [] },
        { input: 'two', passed: true, response: 'two after one' },
        { input: 'three', passed: false },
      ],
    })
    expect((await harness.sessions.listSessions({})).sessions).toMatchObject([{ status: 'completed', mode: 'chat' }])
  })

  it('continues after an error, and skips the rest after two crashes in a row', async () => {
    const { report, result, code } = await only(
      // The prompt after a crash repeats the message that the dead process may not have saved.
      (input) => (parseUnsavedMessages(input).at(-1) === 'ok' ? [textStep('ok')] : [{ type: 'crash' }]),
      tests({ cases: [conversation('talk', turn('bad'), turn('ok'), turn('bad'), turn('bad'), turn('ok'))] }),
    )
    const crashed = 'subprocess terminated unexpectedly'
    expect(result.turns.map(({ error, skipped }) => [error, skipped])).toEqual([
      [crashed, false],
      [null, false],
      [crashed, false],
      [crashed, false],
      [null, true],
    ])
    expect(result.error).toBe(`[turn 1] ${crashed}\n[turn 3] ${crashed}\n[turn 4] ${crashed}`)
    expect(report.results[0]?.passed).toBe(false)
    expect(code).toBe(1)
  })

  it('does not count a tool call of one turn for another', async () => {
    const expectedTools = [tool('Read')]
    const { run } = await start((input) => (input === 'look' ? [lookup, textStep('x')] : [textStep('x')]), {
      agent: { claude: { ...testAgent(tmpdir()).claude, permissionMode: 'acceptAll' } },
    })
    const report = await run(
      tests({ cases: [conversation('talk', turn('look', { expectedTools }), turn('again', { expectedTools }))] }),
    )
    expect(reportJson(report).results[0]?.turns.map((each) => each.tools_matched)).toEqual([true, false])
  })
})

describe('a run', () => {
  it('runs several cases at once, and reports them in file order', async () => {
    let working = 0
    let most = 0
    const script: Script = (input) => {
      working += 1
      most = Math.max(most, working)
      return [{ type: 'delay', ms: input === 'a' ? 200 : 20 }, textStep(input)]
    }
    const backend = createScriptedBackend({
      script,
      sleep: async (ms) => {
        await new Promise((resolve) => setTimeout(resolve, ms))
        working -= 1
      },
    })
    const { run, reportedNames } = await start(script, { backend })
    const cases = ['a', 'b', 'c', 'd'].map((name) => single(name))
    const report = await run(tests({ cases, execution: { parallel: 2 } }))
    expect(report.results.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd'])
    expect(reportedNames.toSorted()).toEqual(['a', 'b', 'c', 'd'])
    expect(reportedNames[0]).toBe('b')
    expect(most).toBe(2)
  })

  it('causes no listener warnings with many cases at a time', async () => {
    const warnings = collectWarnings()
    const { run } = await start((input) => [{ type: 'delay', ms: 200 }, textStep(input)])
    await run(tests({ cases: Array.from({ length: 20 }, (_, at) => single(`c${at}`)), execution: { parallel: 20 } }))
    expect(warnings).toEqual([])
  })

  it('that is interrupted stops running cases and reports the finished ones', async () => {
    const { harness, run, stop } = await start((input) =>
      input === 'a' ? [textStep('a')] : [{ type: 'stall', chunks: ['…'] }],
    )
    const cases = [single('a'), single('b'), single('c')]
    const running = run(tests({ cases }))
    const working = async () => (await harness.sessions.listSessions({ status: 'running' })).sessions[0]?.title
    await expect.poll(working, { timeout: 20_000 }).toBe('b')
    stop.abort()
    const report = await running
    expect(reportJson(report).summary).toMatchObject({ total: 3, passed: 1, failed: 0, not_run: 2, interrupted: true })
    const statuses = async () => (await harness.sessions.listSessions({})).sessions.map(({ status }) => status)
    await expect.poll(statuses, { timeout: 20_000 }).toEqual(['cancelled', 'completed'])
  })

  it('adds up the costs and the usage of the cases', async () => {
    const usage: Step = { type: 'usage', input: 100, output: 10, costUsd: 0.25 }
    const { run } = await start(() => [usage, textStep('x')], { isUnmetered: true })
    const json = reportJson(await run(tests({ cases: [single('a'), single('b')] })))
    expect(json.summary.cost_usd).toBeGreaterThan(0)
    expect(json.results[0]?.cost_usd).toBeCloseTo((json.summary.cost_usd ?? 0) / 2)
  })

  it('test_cases[].retrieval_context: and test_cases[].turns[].retrieval_context: replace the retrieved context', async () => {
    const given = turn('q', { retrievalContext: ['given'] })
    const { result } = await only(() => [textStep('x')], tests({ cases: [conversation('c', given, turn('r'))] }))
    expect(result.retrieval_context).toEqual(['given'])
    expect(result.turns).toMatchObject([{ retrieval_context: ['given'] }, { retrieval_context: [] }])
  })

  it('has the report format that other programs rely on', async () => {
    const { result, report } = await only(() => [textStep('x')], tests({ cases: [single('a')] }))
    expect(Object.keys(reportJson(report))).toEqual(['agent', 'started_at', 'summary', 'results'])
    expect(Object.keys(result).toSorted()).toEqual(
      [
        ...['test_name', 'passed', 'session_id', 'input', 'response', 'ground_truth', 'tool_calls', 'metrics'],
        ...['expected_tools', 'tools_matched', 'error', 'duration_ms', 'token_usage', 'cost_usd', 'num_turns'],
        ...['retrieval_context', 'structured_output', 'turns', 'warnings'],
      ].toSorted(),
    )
  })
})
