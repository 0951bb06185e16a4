import { describe, expect, it } from 'vitest'
import { checkEditedInput, checkEmptied } from './approval.ts'

const bash = { command: 'rm -r build', timeout: 1000, run_in_background: false }
const edit = { file_path: '/a.txt', old_string: 'a', new_string: 'b', edits: [{ a: 1 }], options: { deep: true } }

describe('an edited input', () => {
  it.each([
    ['the same', bash, bash],
    ['another command', bash, { ...bash, command: 'ls' }],
    ['fields left out', bash, { command: 'ls' }],
    ['fields added', bash, { ...bash, description: 'list', limit: 3 }],
    ['an emptied text that may be empty', edit, { ...edit, new_string: '' }],
    ['a field that had no kind yet', { command: 'ls', cwd: null }, { command: 'ls', cwd: '/tmp' }],
    ['an empty command where none was asked for', { command: '' }, { command: '' }],
    ['nothing where nothing was', {}, {}],
    ['other contents of lists and objects', edit, { ...edit, edits: [], options: {} }],
  ])('may be %s', (_, original, edited) => {
    expect(checkEditedInput(original, edited)).toBeNull()
  })

  it.each([
    ['without its command', bash, {}, 'input.command'],
    ['with an empty command', bash, { command: '' }, 'input.command'],
    ['with a blank command', bash, { command: ' \n' }, 'input.command'],
    ['with a number for a command', bash, { command: 5 }, 'input.command'],
    ['with null for a command', bash, { command: null }, 'input.command'],
    ['without its file', edit, { old_string: 'a', new_string: 'b' }, 'input.file_path'],
    ['with a list for a text', edit, { ...edit, new_string: ['b'] }, 'input.new_string: must be a text'],
    ['with an object for a list', edit, { ...edit, edits: {} }, 'input.edits: must be a list'],
    ['with a list for an object', edit, { ...edit, options: [] }, 'not a list'],
    ['with a text for a number', bash, { ...bash, timeout: '1000' }, 'must be a number'],
    ['with null for a switch', bash, { ...bash, run_in_background: null }, 'not null'],
    ['with a command that is only inherited', bash, JSON.parse('{"__proto__":{"command":"ls"}}'), 'input.command'],
  ])('may not be %s', (...[, original, edited, problem]) => {
    expect(checkEditedInput(original, edited)).toContain(problem)
  })

  it('may be empty for tools of the engine and of clients, but not for tools of the backend', () => {
    const expected = 'input: Grep cannot be run with an empty input'
    expect(checkEmptied('Grep', { pattern: 'x' }, {})).toBe(expected)
    expect(checkEmptied('Grep', {}, {})).toBeNull()
    expect(checkEmptied('Grep', { pattern: 'x' }, { path: '/' })).toBeNull()
    expect(checkEmptied('mcp__tools__lookup', { id: 7 }, {})).toBeNull()
  })
})
