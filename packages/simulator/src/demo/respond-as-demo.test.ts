import { readFileSync } from 'node:fs'
import {
  continueMessage,
  formatAnswer,
  formatApprovedCall,
  formatDeniedCall,
  formatResult,
} from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { readConversation } from '../replies/read-conversation.ts'
import { respondAsDemo } from './respond-as-demo.ts'

const Prompt = z.strictObject({
  prompt: z.string(),
  tools: z.array(z.string()).default([]),
  after: z.array(z.string()).default([]),
  contains: z.array(z.string()).default([]),
  calls: z.array(z.strictObject({ name: z.string(), input: z.record(z.string(), z.unknown()) })).optional(),
})
const fixture = readFileSync(new URL('./prompts.fixture.yaml', import.meta.url), 'utf8')
const prompts = z.array(Prompt).parse(parse(fixture))

const reminderText =
  "<system-reminder>\n - Primary working directory: /project\nToday's date is 2030-05-06.\n</system-reminder>"

interface Message {
  role: 'user' | 'assistant'
  content: string | Block[]
  [field: string]: unknown
}
interface Block {
  type: string
  [field: string]: unknown
}

function answer(messages: readonly Message[], tools: readonly string[] = [], more: object = {}) {
  const [first, ...rest] = messages
  const opening = { role: 'user' as const, content: [{ type: 'text', text: reminderText }, ...blocks(first)] }
  const request = {
    model: 'm',
    max_tokens: 999,
    messages: [opening, ...rest],
    tools: tools.map((name) => ({ name })),
    ...more,
  }
  const given = respondAsDemo(readConversation(request))
  if (given.type !== 'reply') throw new Error(given.message)
  return { by: given.by, text: '', ...given.reply }
}

const blocks = (message: Message | undefined): Block[] =>
  typeof message?.content === 'string' ? [{ type: 'text', text: message.content }] : (message?.content ?? [])
const user = (content: string | Block[]): Message => ({ role: 'user', content })
const call = (id: string, name: string, input: object): Message => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id, name, input }],
})
const result = (id: string, content: string, is_error = false): Message =>
  user([{ type: 'tool_result', tool_use_id: id, content, is_error }])

describe('the demo', () => {
  it.each(prompts)('answers usefully: $prompt (tools: $tools)', ({ prompt, tools, after, contains, calls }) => {
    const history = after.map(
      (text, index): Message => ({ role: index % 2 === 0 ? 'user' : 'assistant', content: text }),
    )
    const reply = answer([...history, user(prompt)], tools)
    for (const part of contains) expect(reply.text).toContain(part)
    expect(reply.tools ?? []).toMatchObject(calls ?? [])
    expect((reply.tools ?? []).length).toBe(calls?.length ?? 0)
  })

  it('continues the previous task, and ignores text that the CLI adds', () => {
    const stopped = [user('What is 6 times 7?'), { role: 'assistant', content: 'Hm.' } as Message]
    expect(answer([...stopped, user(continueMessage.stopped)]).text).toContain('42')
    const fix = [user('Find and fix the failing test.'), { role: 'assistant', content: 'I look.' } as Message]
    const tools = ['Bash', 'Read', 'Edit']
    expect(answer([...fix, user(continueMessage.stopped)], tools).by).toBe('coder')
    const marker = { type: 'text', text: '[Request interrupted by user for tool use]' }
    expect(answer([...fix, user([marker, { type: 'text', text: 'try again' }])], tools).by).toBe('coder')
    expect(answer([user([marker, { type: 'text', text: 'What is 6 times 7?' }])]).text).toContain('42')
    const added = '<local-command-caveat>Caveat: local commands.</local-command-caveat>'
    expect(answer([user(`${added}What is 6 times 7?`)]).text).toContain('42')
  })

  it('reports the result of a tool, and whether it was denied or failed', () => {
    const asked = user('run `ls`')
    const ran = call('a', 'Bash', { command: 'ls' })
    expect(answer([asked, ran, result('a', 'src\ntest')], ['Bash']).text).toContain('src\ntest')
    expect(answer([asked, ran, result('a', 'Not today', true)], ['Bash']).text).toMatch(/not allowed: Not today/)
    expect(answer([asked, ran, result('a', 'Exit code 2\nls: no', true)], ['Bash']).text).toMatch(/failed: Exit code 2/)
  })

  it('omits what a denial tells the CLI and the model', () => {
    const asked = user('run `ls`')
    const ran = call('a', 'Bash', { command: 'ls' })
    const denial =
      'PreToolUse:Bash hook error: Denied: Bash needs an approval and no person can be asked here. ' +
      "To allow it, put `approvals: {allow: ['Bash(ls)']}` into the agent file. Continue without it or say what is missing."
    expect(answer([asked, ran, result('a', denial, true)], ['Bash']).text).toBe(
      'The Bash call was not allowed: Bash needs an approval and no person can be asked here. I leave it at that.',
    )
  })

  it.each([
    ['Your questions have been answered: "Which colour?"="purple". You can now continue.', 'You chose purple.'],
    ['The user answered: "Which colour?"="red", "Which size?"="large". Read the answers.', 'You chose red and large.'],
    ['The person has answered:\n"Which colour?" = "purple"', 'You chose purple.'],
    ['The user did not answer the questions.', 'AskUserQuestion returned: The user did not answer the questions.'],
  ])('reports the answer %j in its own words', (text, reply) => {
    const asked = [user('Ask me which colour: red or purple'), call('a', 'AskUserQuestion', {}), result('a', text)]
    expect(answer(asked, ['AskUserQuestion']).text).toBe(reply)
  })

  it('treats a tool that was refused elsewhere as failed, and ends a sentence once', () => {
    const ran = [user('use sites {}'), call('a', 'mcp__netbox__sites', {})]
    const reportOf = (text: string) => answer([...ran, result('a', text, true)], ['mcp__netbox__sites']).text
    const refused = 'NetBox refused the token (403 Forbidden): it may not read.'
    expect(reportOf(refused)).toBe(`The mcp__netbox__sites call failed: ${refused}`)
    expect(reportOf('EACCES: permission denied, open x')).toMatch(/ call failed: /)
    for (const denial of ['Denied by operator.', 'No person answered in time.', 'Permission to use x has been denied'])
      expect(reportOf(denial)).toMatch(/ was not allowed: \w[^.]+\. I leave it at that\.$/)
    expect(reportOf("The user doesn't want to proceed with this tool use.")).toMatch(/not allowed/)
  })

  it('issues approved calls again exactly, all at once and only once', () => {
    const edit = { file_path: '/project/a.js', old_string: 'x\n"y"', new_string: 'z' }
    const wake = user(
      `The server restarted.\n${formatApprovedCall('Edit', edit)}\n${formatApprovedCall('Bash', { command: 'ls' })}`,
    )
    const before = [user('do it'), call('a', 'Edit', edit), result('a', 'Tool call interrupted', true)]
    const reply = answer([...before, wake], ['Edit', 'Bash'])
    expect(reply.tools).toEqual([
      { name: 'Edit', input: edit },
      { name: 'Bash', input: { command: 'ls' } },
    ])
    const issued: Message[] = [
      call('b', 'Edit', edit),
      result('b', 'ok'),
      call('c', 'Bash', { command: 'ls' }),
      result('c', 'a.js'),
    ]
    expect(answer([...before, wake, ...issued], ['Edit', 'Bash']).tools ?? []).toEqual([])
  })

  it('continues its task, or reports it, when an approved tool is not offered', () => {
    const wake = user(formatApprovedCall('Glob', { pattern: '*' }))
    expect(answer([user('hi'), wake]).text).toContain('Glob, but that tool is not offered')
    const coding = answer([user('fix the failing test'), wake], ['Bash', 'Read', 'Edit'])
    expect(coding.tools).toMatchObject([{ name: 'Bash' }])
  })

  it('does not issue a denied call again', () => {
    const wake = user(formatDeniedCall('Bash', { command: 'rm -r x' }, 'too risky'))
    const reply = answer([user('fix the failing test'), wake], ['Bash', 'Read', 'Edit'])
    expect(reply.tools ?? []).toEqual([])
    expect(reply.text).toContain('too risky')
  })

  it('uses answers and results that arrived meanwhile, and continues its task', () => {
    const answered = formatAnswer({ questions: ['Which colour?'], answers: { 'Which colour?': 'red' }, note: null })
    const finished = formatResult({ tool: 'mcp__client__chart', input: {}, output: 'drawn', isError: false })
    const reply = answer([user('hi'), user(`${answered}\n${finished}`)], ['AskUserQuestion', 'mcp__client__chart'])
    expect(reply.tools ?? []).toEqual([])
    expect(reply.text).toContain('Which colour? red')
    expect(reply.text).toContain('mcp__client__chart returned: drawn')
    const declined = formatAnswer({ questions: ['Which colour?'], answers: null, note: 'no time' })
    expect(answer([user('hi'), user(declined)]).text).toContain('did not answer Which colour? ("no time")')
    const coding = answer([user('fix the failing test'), user(answered)], ['Bash', 'Read', 'Edit'])
    expect(coding.tools).toMatchObject([{ name: 'Bash' }])
  })

  it('ends a turn with an object if the agent has a response format', () => {
    const schema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] }
    const given = readConversation({
      model: 'm',
      max_tokens: 99,
      messages: [{ role: 'user', content: 'hi' }],
      tools: [{ name: 'StructuredOutput', input_schema: schema }],
    })
    expect(respondAsDemo(given)).toMatchObject({
      reply: { structured: { answer: expect.stringContaining('simulator') } },
    })
  })

  it('puts the message into an object, and for an unknown question the answer', () => {
    const schema = { type: 'object', properties: { summary: { type: 'string' } }, required: ['summary'] }
    const format = { output_config: { format: { type: 'json_schema', schema } } }
    const statement = 'The harbour was quiet all night'
    expect(answer([user(statement)], [], format).structured).toEqual({ summary: statement })
    const asked = answer([user('Was the harbour quiet?')], [], format)
    expect(asked).toMatchObject({ structured: { summary: expect.stringContaining('local simulator') } })
  })

  it('follows a schema that only the instructions contain, and treats no other text as one', () => {
    const schema = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] }
    const answerWith = (words: string) =>
      answer([user('hi')], [], { system: `Be brief.\n\nIt keeps this JSON Schema:\n${words}` })
    expect(answerWith(JSON.stringify(schema))).toMatchObject({ structured: { total: expect.any(Number) } })
    expect(answerWith('{ no JSON }').structured).toBeUndefined()
  })

  it('summarizes when the client compacts', () => {
    const reply = answer([
      user('list the files'),
      user('Your task is to create a detailed summary of the conversation so far'),
    ])
    expect(reply.by).toBe('compaction')
    expect(reply.text).toContain('list the files')
  })

  it('stops by itself when a turn calls tools endlessly', () => {
    const many = Array.from({ length: 30 }, (_, n) => [call(`t${n}`, 'Bash', {}), result(`t${n}`, 'x')]).flat()
    expect(answer([user('fix the failing test'), ...many], ['Bash', 'Read', 'Edit']).tools).toBeUndefined()
  })
})
