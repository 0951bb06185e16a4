import { expect, it } from 'vitest'
import { askedInput, editableText, parseEdited } from './asked-input.ts'

it('shows a command whole, with every other field of the input beside it', () => {
  expect(askedInput('Bash', { command: 'rm -rf a\nrm -rf b', description: 'Clean', timeout: 5 })).toEqual({
    kind: 'command',
    command: 'rm -rf a\nrm -rf b',
    why: 'Clean',
    rest: { timeout: 5 },
  })
})

it('shows an edit as its diff and keeps what the diff does not say', () => {
  const asked = askedInput('Edit', { file_path: '/p/a.ts', old_string: 'a', new_string: 'b', replace_all: true })
  expect(asked).toMatchObject({
    kind: 'change',
    change: { path: '/p/a.ts', added: 1, removed: 1 },
    rest: { replace_all: true },
  })
})

it('shows any other input as JSON', () => {
  expect(askedInput('mcp__db__query', { sql: 'select 1' })).toEqual({ kind: 'json', json: '{\n  "sql": "select 1"\n}' })
})

it('edits a command as text and keeps the rest of its input', () => {
  const input = { command: 'npm test', timeout: 5 }
  expect(editableText('Bash', input)).toBe('npm test')
  expect(parseEdited('Bash', input, 'npm test -- one')).toEqual({ input: { command: 'npm test -- one', timeout: 5 } })
  expect(parseEdited('Bash', input, '  ')).toEqual({ problem: 'The command is empty.' })
})

it('edits any other input as a JSON object and refuses the rest in words', () => {
  expect(parseEdited('Write', {}, '{"file_path":"/a"}')).toEqual({ input: { file_path: '/a' } })
  expect(parseEdited('Write', {}, '[1]')).toEqual({ problem: 'The input must be a JSON object.' })
  expect(parseEdited('Write', {}, '{')).toMatchObject({ problem: expect.stringContaining('Not valid JSON') })
})
