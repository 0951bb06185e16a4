// Tested with a real server.
import type { QuestionList } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { say } from '../../connect/scripted-agent.fixture.ts'
import { openTestServer } from '../../connect/test-server.fixture.ts'
import { commandLine } from '../../terminal/command-line.ts'
import { type AnswerFlags, answer, answerInWords } from './answer.ts'
import { exportSession } from './export-session.ts'

const wait = { timeout: 60_000 }

/** A session that waits for the answers to these questions. */
async function openAsking(...questions: readonly string[]) {
  const options = ['red', 'blue'].map((label) => ({ label, description: '' }))
  const items = questions.map((question) => ({ question, header: 'Colour', options, multiSelect: false }))
  const asks = { type: 'tool', name: 'AskUserQuestion', input: { questions: items }, result: '' } as const
  const testServer = await openTestServer([[asks, say('done')]])
  const { sessionId } = await testServer.sessions.createSession({ agent: 'tester', message: 'go' }, 'operator')
  const open = async () => (await testServer.sessions.listQuestions({ session: sessionId })).questions
  await expect.poll(async () => (await open()).length, wait).toBe(1)
  const { terminal, stdout, stderr } = await testServer.openTerminal()
  return {
    sessionId,
    terminal,
    stdout,
    stderr,
    open,
    questionId: (await open())[0]?.questionId ?? '',
    answer: (what: string, words: readonly string[], flags: AnswerFlags = {}) =>
      answer(terminal, { what, words, flags }),
    markdown: async () => {
      const page = await testServer.openTerminal()
      await exportSession(page.terminal, { id: sessionId, flags: { format: 'markdown' } })
      return page.stdout()
    },
    /** The answers in the log, once the turn is over. */
    answered: async () => {
      await expect.poll(async () => (await testServer.sessions.getSession(sessionId)).session.status, wait).toBe('idle')
      const { events } = await testServer.sessions.readEvents(sessionId, { limit: 1000 })
      return events.flatMap((event) => (event.type === 'QuestionAnswered' ? [event.data] : []))
    },
  }
}

describe('quarterdeck sessions answer', () => {
  it('answers the only question of a session with words', async () => {
    const { answer, answered, markdown, sessionId, questionId, stdout, stderr } = await openAsking('Which colour?')
    expect(await answer(sessionId, ['dark', 'green'], { note: 'please' })).toBe(0)
    expect(stdout()).toBe(`answered ${questionId}\n`)
    expect(await answered()).toMatchObject([{ answers: { 'Which colour?': 'dark green' }, note: 'please' }])
    expect(await markdown()).toContain('— by operator {"Which colour?":"dark green"}: please\n')
    expect(await answer(sessionId, ['red'])).toBe(1)
    expect(stderr()).toBe(`error: ${sessionId} has no open question\n`)
    await expect(answer(questionId, ['red'])).rejects.toThrow(/is not open/)
  })

  it('lists the options and the command without words', async () => {
    const { answer, terminal, sessionId, questionId } = await openAsking('Which colour?')
    const how = `answer with an option or your own words (${commandLine(terminal)} sessions answer ${questionId} ANSWER):`
    await expect(answer(sessionId, [])).rejects.toThrow(`${how}\n  Which colour? (red, blue)`)
  })

  it('lists the questions when words are not enough, and accepts an object', async () => {
    const { answer, answered, questionId } = await openAsking('Which colour?', '__proto__')
    await expect(answer(questionId, ['red'])).rejects.toThrow(
      /--answers .*\n {2}Which colour\? \(red, blue\)\n {2}__proto__ \(red, blue\)$/,
    )
    const object = '{"Which colour?": "red", "__proto__": "blue"}'
    expect(await answer(questionId, [], { answers: object })).toBe(0)
    expect((await answered()).map(({ answers }) => Object.entries(answers ?? {}))).toEqual([
      [
        ['Which colour?', 'red'],
        ['__proto__', 'blue'],
      ],
    ])
  })

  it('declines with a note for the agent', async () => {
    const { answer, answered, markdown, questionId, stdout } = await openAsking('Which colour?')
    expect(await answer(questionId, [], { decline: true, note: 'not today' })).toBe(0)
    expect(stdout()).toBe(`declined ${questionId}\n`)
    expect(await answered()).toMatchObject([{ answers: null, note: 'not today' }])
    expect(await markdown()).toContain('\n> Question: Which colour? — declined by operator: not today\n')
  })

  it('refuses two kinds of answer at once and leaves the question open', async () => {
    const { answer, open, questionId } = await openAsking('Which colour?')
    for (const [words, flags] of [
      [['red'], { decline: true }],
      [['red'], { answers: '{}' }],
      [[], { answers: '{}', decline: true }],
    ] as const)
      await expect(answer(questionId, words, flags)).rejects.toThrow('use only one of: words, --answers, --decline')
    await expect(answer(questionId, [], { answers: '[]' })).rejects.toThrow('--answers must be a JSON object')
    expect(await open()).toHaveLength(1)
  })
})

describe('the form of an MCP server', () => {
  const form = (change: Partial<QuestionList['questions'][number]>) =>
    ({ source: 'mcp', server: 'crm', message: 'Who?', items: [], schema: null, url: null, ...change }) as Parameters<
      typeof answerInWords
    >[0] // no other operation is used

  it('refuses words, and lists its fields and the address to open', () => {
    const schema = { properties: { name: { type: 'string', description: 'yours' }, age: { type: 'integer' } } }
    const filled = () =>
      answerInWords(form({ schema, url: 'https://crm.example/\u001B[2J' }), { text: 'Ada', command: 'quarterdeck' })
    expect(filled).toThrow(
      `use --answers '{"field": "value"}' or --decline, for:\n  Who?\n` +
        '  open this address: https://crm.example/\\u001b[2J\n  name (yours)\n  age',
    )
  })

  it('says how to agree when it has no fields', () => {
    expect(() => answerInWords(form({}), { text: '', command: 'quarterdeck' })).toThrow(
      `use --answers '{}' to agree, or --decline:\n  Who?`,
    )
  })
})
