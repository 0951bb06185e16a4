// Tests that cannot run or finish: unreadable files, turns that cannot end, sessions that cannot be closed.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Step } from '../backends/scripted/script.ts'
import type { TestFile } from '../config/agent-tests.ts'
import { textStep } from '../sessions/testing/lifecycle.fixture.ts'
import { conversation, single, tests, turn } from './agent-tests.fixture.ts'
import { exitCodeOfReport } from './report.ts'
import { reportJson } from './report-json.ts'
import { only, start } from './run-harness.fixture.ts'

describe('a session that cannot be closed', () => {
  const stuck = async () => {
    throw new Error('the disk is full')
  }

  it.each([
    ['one message', single('q')],
    ['a conversation', conversation('q', turn('q'))],
  ])('causes only a warning: the result of %s counts', async (_what, testCase) => {
    const { run } = await start(() => [textStep('Paris'), { type: 'limit', limit: 'turns' }], {
      overrides: { cancel: stuck },
    })
    const report = await run(tests({ cases: [testCase] }))
    const [result] = reportJson(report).results
    expect(result).toMatchObject({
      passed: false,
      response: 'Paris',
      error: expect.stringMatching(/max_turns limit reached$/),
      warnings: ['the session could not be closed: the disk is full'],
      session_id: expect.any(String),
    })
    expect(exitCodeOfReport(report)).toBe(1)
  })
})

describe('files of a test', () => {
  it('are refused all at once before anything runs when they cannot be sent', async () => {
    const { harness, run } = await start(() => [textStep('x')])
    const [gone, text, large] = ['gone.txt', 'not.png', 'large.png'].map((name) => join(harness.dataDir, name))
    await writeFile(text ?? '', 'hello')
    await writeFile(large ?? '', Buffer.concat([Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1'), Buffer.alloc(6e6)]))
    const of = (type: TestFile['type'], path = '') => ({ files: [{ type, path, description: null }] })
    const cases = [
      single('first'),
      single('second', of('text', gone)),
      conversation('third', turn('fine'), turn('bad', of('image', text)), turn('bad too', of('image', large))),
    ]
    await expect(run(tests({ cases }))).rejects.toMatchObject({
      code: 'config.invalid',
      message: [
        `case "second": the file ${gone} cannot be read`,
        `case "third": ${text} is not an image: use PNG, JPEG, GIF or WebP`,
        'case "third": images must be at most 5 MiB',
      ].join('\n'),
    })
    expect((await harness.sessions.listSessions({})).sessions).toEqual([])
  })
})

describe('a turn that cannot finish', () => {
  it('is stopped with a reason when it calls a client tool without a client', async () => {
    const chart: Step = { type: 'tool', name: 'mcp__client__chart', input: { rows: 3 }, result: 'never' }
    const declared = {
      type: 'client',
      name: 'chart',
      description: 'Draws.',
      isCritical: false,
      parameters: {},
    } as const
    const { harness, run } = await start([[chart, textStep('drawn')]], { agent: { tools: [declared] } })
    const report = await run(tests({ cases: [single('draw')] }))
    expect(reportJson(report).results).toMatchObject([
      { passed: false, error: 'the session waits for a client tool, and a test has no client' },
    ])
    expect(exitCodeOfReport(report)).toBe(1)
    expect((await harness.sessions.listSessions({})).sessions).toMatchObject([{ status: 'cancelled' }])
  })

  it('skips the rest of the conversation when the budget is used up', async () => {
    const { result, code } = await only(
      () => [{ type: 'limit', limit: 'budget' }],
      tests({ cases: [conversation('talk', turn('one'), turn('two'))] }),
    )
    expect(result.turns).toMatchObject([
      { error: 'budget limit reached', skipped: false },
      { error: null, skipped: true, passed: false },
    ])
    expect(code).toBe(1)
  })
})
