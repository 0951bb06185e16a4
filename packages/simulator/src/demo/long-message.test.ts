// A message takes time in proportion to its length, whatever characters it has: quadratic work on 50,000 characters would
// block the event loop of a server for seconds.
import { expect, it } from 'vitest'
import { readConversation } from '../replies/read-conversation.ts'
import { respondAsDemo } from './respond-as-demo.ts'

const tools = [
  ...['Bash', 'Read', 'Edit', 'Write', 'Glob', 'Grep', 'Agent', 'AskUserQuestion'].map((name) => ({ name })),
  {
    name: 'mcp__notes__search_notes',
    description: 'Lists the notes that contain a word.',
    input_schema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  },
  {
    name: 'mcp__math__calculate',
    description: 'Evaluates an arithmetic expression.',
    input_schema: { type: 'object', properties: { expression: { type: 'string' } }, required: ['expression'] },
  },
]

function answer(content: string) {
  const request = { model: 'm', max_tokens: 999, messages: [{ role: 'user' as const, content }], tools }
  return respondAsDemo(readConversation(request))
}

/** The least CPU time of several runs: garbage collection slows down some of them. */
function timeOf(text: string): number {
  const runs = Array.from({ length: 5 }, () => {
    const start = process.cpuUsage()
    expect(answer(text).type).toBe('reply')
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000
  })
  return Math.min(...runs)
}

const kinds = {
  'one word': 'a',
  words: 'word ',
  spaces: ' ',
  newlines: '\n',
  digits: '7',
  'numbers in a row': '7 ',
  punctuation: '.,;!?',
  dashes: '-',
  underscores: '_',
  slashes: '/',
  brackets: '(',
  umlauts: 'ä',
  emoji: '😀',
  backticks: '`',
  quotes: '"',
  capitals: 'A',
  'verbs of the rules': 'read-',
  'fixes without a test': 'fix ',
  'tags that stay open': '<command-a>',
}

it.each(Object.entries(kinds))('takes time in proportion to its length: %s', (_, unit) => {
  const textOf = (length: number) => `read ${unit.repeat(length / unit.length)} x`
  timeOf(textOf(1000))
  // Eight times the characters: quadratic work would take 64 times as long. The constant allows for other load.
  expect(timeOf(textOf(64_000))).toBeLessThan(24 * timeOf(textOf(8_000)) + 500)
})

it('finds reminders and treats a tag that is never closed as text', () => {
  const { prompt, reminders } = readConversation({
    model: 'm',
    max_tokens: 9,
    messages: [
      {
        role: 'user',
        content:
          'a <command-x>b <system-reminder>one <command-y>two</system-reminder> c <command-z>d</command-z></command-y>',
      },
    ],
  })
  expect(prompt).toBe('a <command-x>b  c </command-y>')
  expect(reminders).toBe('<system-reminder>one <command-y>two</system-reminder>\n<command-z>d</command-z>\n')
})

it('finds the arguments of a named tool anywhere in a long message', () => {
  const query = 'x'.repeat(50_000)
  const given = answer(`use search_notes with {"query": "${query}"}`)
  expect(given).toMatchObject({ type: 'reply', reply: { tools: [{ input: { query } }] } })
})
