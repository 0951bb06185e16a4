import { describe, expect, it } from 'vitest'
import { shortSubject, wholeCall } from './tool-line.ts'

describe('a tool call on one line', () => {
  it('names the file from the working directory and a file outside by its whole path', () => {
    expect(shortSubject({ file_path: '/project/src/a.ts' }, '/project')).toBe('src/a.ts')
    expect(shortSubject({ file_path: '/etc/passwd' }, '/project')).toBe('/etc/passwd')
  })

  it('folds lines and cuts what is too long', () => {
    expect(shortSubject({ command: 'a\n  b' }, '/')).toBe('a b')
    expect(shortSubject({ command: 'x'.repeat(300) }, '/')).toHaveLength(100)
  })
})

describe('a tool call somebody decides on', () => {
  it('shows a command whole, with every other argument', () => {
    const command = `echo ${'x'.repeat(500)}`
    expect(wholeCall({ command, timeout: 5, description: 'says x' }, '/')).toEqual([
      command,
      '{',
      '  "timeout": 5',
      '}',
      'why: says x',
    ])
  })

  it('shows an edit as a diff', () => {
    const lines = wholeCall(
      { file_path: '/p/a.ts', old_string: 'one\ntwo', new_string: 'three', replace_all: true },
      '/p',
    )
    expect(lines).toEqual(['a.ts', '- one', '- two', '+ three', '{', '  "replace_all": true', '}'])
  })

  it('makes escape sequences and direction changes visible instead of obeying them', () => {
    const [line] = wholeCall({ command: 'rm -rf x \u001b[2K\u001b[1Gls \u202e' }, '/')
    expect(line).toBe('rm -rf x \\u001b[2K\\u001b[1Gls \\u202e')
  })
})
