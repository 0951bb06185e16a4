import type { JsonObject } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { askedInput, editableText, parseEdited } from './asked-input.ts'

it('shows a command in full, with every other field of the input beside it', () => {
  expect(askedInput('Bash', { command: 'rm -rf a\nrm -rf b', description: 'Clean', timeout: 5 })).toEqual({
    kind: 'command',
    command: 'rm -rf a\nrm -rf b',
    why: 'Clean',
    otherInput: { timeout: 5 },
  })
})

it('shows an edit as a diff, with the fields that the diff does not show beside it', () => {
  const asked = askedInput('Edit', { file_path: '/p/a.ts', old_string: 'a', new_string: 'b', replace_all: true })
  expect(asked).toMatchObject({
    kind: 'change',
    change: { path: '/p/a.ts', added: 1, removed: 1 },
    otherInput: { replace_all: true },
  })
})

const otherInputOf = (toolName: string, input: JsonObject) => {
  const asked = askedInput(toolName, input)
  return 'otherInput' in asked ? asked.otherInput : 'all of it'
}

it.each([
  ['Bash', { command: 'deploy', dry_run: false }, { dry_run: false }],
  ['Bash', { command: 'deploy', timeout: 0, env: null, tag: '' }, { timeout: 0, env: null, tag: '' }],
  ['Edit', { file_path: '/a', old_string: 'a', new_string: 'b', replace_all: false }, { replace_all: false }],
])('shows false, empty and zero values of a %s call: %j', (toolName, input, otherInput) => {
  expect(otherInputOf(toolName, input)).toEqual(otherInput)
})

it.each([
  ['Bash', { command: 'ls', description: ['rm', '-rf', '/'] }, { description: ['rm', '-rf', '/'] }],
  ['Edit', { file_path: '/a', old_string: 7, new_string: { a: 1 } }, { old_string: 7, new_string: { a: 1 } }],
  ['Edit', { file_path: '/a', old_string: 'a', new_string: [] }, { new_string: [] }],
  ['Write', { file_path: '/a', content: ['x'] }, { content: ['x'] }],
])('shows values of unexpected types in a %s call: %j', (toolName, input, otherInput) => {
  expect(otherInputOf(toolName, input)).toEqual(otherInput)
})

it.each([
  ['Write', { file_path: '/a', content: 'x', old_string: 'y' }, { old_string: 'y' }],
  ['Edit', { file_path: '/a', old_string: 'a', new_string: 'b', content: 'x' }, { content: 'x' }],
])('shows fields of other tools in a %s call: %j', (toolName, input, otherInput) => {
  expect(otherInputOf(toolName, input)).toEqual(otherInput)
})

it('shows edits as diffs only, unless one of them has more fields than a diff can show', () => {
  const plain = { old_string: 'a', new_string: 'b' }
  expect(otherInputOf('MultiEdit', { file_path: '/a', edits: [plain, plain] })).toBeNull()
  for (const odd of [{ ...plain, replace_all: true }, { ...plain, old_string: 7 }, 'rm', ['x'], null]) {
    expect(otherInputOf('MultiEdit', { file_path: '/a', edits: [plain, odd] })).toEqual({ edits: [plain, odd] })
  }
})

it('shows a command that is not a string as JSON', () => {
  expect(otherInputOf('Bash', { command: ['rm', '-rf', '/'] })).toBe('all of it')
})

it('shows the arguments of an MCP call one by one, and other input as JSON', () => {
  expect(askedInput('mcp__db__query', { sql: 'select 1', limit: 5, id: '7', offset: '-5', mode: 'a b' })).toEqual({
    kind: 'arguments',
    rows: [
      ['sql', 'select 1'],
      ['limit', '5'],
      ['id', '"7"'],
      ['offset', '"-5"'],
      ['mode', 'a b'],
    ],
  })
  expect(askedInput('Other', { sql: 'select 1' })).toEqual({ kind: 'json', json: '{\n  "sql": "select 1"\n}' })
})

it('edits a command as text and keeps its other input', () => {
  const input = { command: 'npm test', timeout: 5 }
  expect(editableText('Bash', input)).toBe('npm test')
  expect(parseEdited('Bash', input, 'npm test -- one')).toEqual({ input: { command: 'npm test -- one', timeout: 5 } })
  expect(parseEdited('Bash', input, '  ')).toEqual({ problem: 'The command is empty.' })
})

it('edits other input as a JSON object and rejects anything else with a message', () => {
  expect(parseEdited('Write', {}, '{"file_path":"/a"}')).toEqual({ input: { file_path: '/a' } })
  expect(parseEdited('Write', {}, '[1]')).toEqual({ problem: 'The input must be a JSON object.' })
  expect(parseEdited('Write', {}, '{')).toMatchObject({ problem: expect.stringContaining('Not valid JSON') })
})
