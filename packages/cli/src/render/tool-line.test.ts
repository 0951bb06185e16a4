import { describe, expect, it } from 'vitest'
import { shortSubject, wholeCall } from './tool-line.ts'

describe('a tool call on one line', () => {
  it('names a file relative to the working directory, and a file outside by its whole path', () => {
    expect(shortSubject({ file_path: '/project/src/a.ts' }, '/project')).toBe('src/a.ts')
    expect(shortSubject({ file_path: '/etc/passwd' }, '/project')).toBe('/etc/passwd')
  })

  it('shows the text of questions instead of their JSON', () => {
    const options = [{ label: 'red', description: 'red' }]
    const item = (question: string) => ({ question, header: 'Colour', options, multiSelect: false })
    expect(shortSubject({ questions: [item('Which colour?'), item('Which size?')] }, '/')).toBe(
      'Which colour? / Which size?',
    )
    expect(shortSubject({ questions: ['why'] }, '/')).toBe('{"questions":["why"]}')
  })

  it('joins lines and shortens long text', () => {
    expect(shortSubject({ command: 'a\n  b' }, '/')).toBe('a b')
    expect(shortSubject({ command: 'x'.repeat(300) }, '/')).toHaveLength(100)
  })
})

describe('a tool call in an approval', () => {
  it('shows a command whole, with every other argument', () => {
    const command = `echo ${'x'.repeat(500)}`
    expect(wholeCall({ command, timeout: 5, description: 'says x' }, '/')).toEqual([
      command,
      '{"timeout":5}',
      'why: says x',
    ])
  })

  it('shows an edit as a diff', () => {
    const lines = wholeCall(
      { file_path: '/p/a.ts', old_string: 'one\ntwo', new_string: 'three', replace_all: true },
      '/p',
    )
    expect(lines).toEqual(['a.ts', '- one', '- two', '+ three', '{"replace_all":true}'])
  })

  it('omits the field that says an edit is made once', () => {
    const once = { file_path: '/p/a.ts', old_string: 'one', new_string: 'two', replace_all: false }
    expect(wholeCall(once, '/p')).toEqual(['a.ts', '- one', '+ two'])
    expect(wholeCall({ replace_all: false }, '/p')).toEqual(['{"replace_all":false}'])
  })

  it.each([
    { dry_run: false, id: 7 },
    { command: ['rm', '-rf', '/'] },
    { command: null, file_path: false, old_string: 0, new_string: {}, description: [''] },
    { command: '', file_path: '', old_string: '', new_string: '', description: '' },
    { deep: { off: false, none: null, zero: 0, empty: '', list: [[], [false]] } },
    { description: { text: 'not a text' }, force: true },
  ])('shows every argument of %j, whatever its type', (input) => {
    expect(JSON.parse(wholeCall(input, '/').join('\n'))).toEqual(input)
  })

  it('shows values that are not text beside text', () => {
    expect(wholeCall({ command: 'rm x', force: false, file_path: null }, '/')).toEqual([
      'rm x',
      '{"force":false,"file_path":null}',
    ])
  })

  it('puts arguments that do not fit on one line on several lines', () => {
    const input = { mode: 'x'.repeat(60), where: 'y'.repeat(60) }
    expect(wholeCall(input, '/')).toEqual(['{', `  "mode": "${input.mode}",`, `  "where": "${input.where}"`, '}'])
  })

  it('escapes control sequences and direction changes', () => {
    const [line] = wholeCall({ command: 'rm -rf x \u001b[2K\u001b[1Gls \u202e' }, '/')
    expect(line).toBe('rm -rf x \\u001b[2K\\u001b[1Gls \\u202e')
  })
})
