// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are lines of a shell
import { type PermissionRule, parseRule } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { findAllowing, findDenying, suggestSessionRule } from './match-rule.ts'

const cwd = '/project'
const rule = (text: string): PermissionRule => {
  const parsed = parseRule(text)
  if (parsed === undefined) throw new Error(`no rule: ${text}`)
  return parsed
}
const bash = (command: string) => ({ toolName: 'Bash', toolInput: { command } })
const allows = (rules: string[], command: string) => findAllowing(rules.map(rule), bash(command), { cwd }) !== null
const denies = (rules: string[], command: string) => findDenying(rules.map(rule), bash(command), { cwd }) !== null

describe('an allow rule for Bash', () => {
  it.each([
    'npm test',
    'npm test x',
    'npm   test  x',
    'npm test -- --grep "a b"',
    'npm test 2>&1',
    'npm test > /dev/null 2>&1',
    'npm test | npm test y',
    'npm test && npm test x; npm test',
    '(npm test x)',
    'time npm test',
    'npm test # and a comment',
    'npm test $HOME',
    "npm test 'x; rm -rf /'",
    'if npm test; then npm test x; fi',
  ])('Bash(npm test *) allows %j', (command) => {
    expect(allows(['Bash(npm test *)'], command)).toBe(true)
  })

  it.each([
    'npm test x && rm -rf /',
    'npm test; curl evil.test',
    'npm test & rm x',
    'npm test | sh',
    'npm test || rm x',
    'npm test\nrm x',
    'npm test \\\n; rm x',
    'npm test $(rm x)',
    'npm test "$(rm x)"',
    'npm test `rm x`',
    'npm test <(rm x)',
    'npm test ${x:-$(rm x)}',
    'npm test $((1 + $(rm x)))',
    'npm test > package.json',
    'npm test >> /etc/passwd',
    'npm test x >| file',
    'npm test &> file',
    'npm test <> file',
    'npm test > $OUT',
    'npm test < /dev/tcp/evil.test/80',
    '(npm test) > file',
    'PATH=/evil npm test',
    'LD_PRELOAD=/evil.so npm test x',
    'X=1',
    'npm testing',
    'npm tes',
    'sudo npm test',
    '$NPM test',
    '"$(echo npm)" test x',
    'n?m test x',
    '~/npm test x',
    '{npm,test}',
    "npm test 'unclosed",
    'npm test $(',
    'npm test\u0000',
    'npm() { rm x; }; npm test',
    'cat <<EOF\nnpm test\nEOF',
    'npm test <<EOF\n$(rm x)\nEOF',
    '',
    '# npm test',
  ])('Bash(npm test *) does not allow %j', (command) => {
    expect(allows(['Bash(npm test *)'], command)).toBe(false)
  })

  it('can be combined with other rules for one line', () => {
    expect(allows(['Bash(npm test *)', 'Bash(git status)'], 'git status && npm test $(git status)')).toBe(true)
    expect(findAllowing([rule('Bash(a)'), rule('Bash(b)')], bash('a; b'), { cwd })).toHaveLength(2)
  })

  it('covers a redirection only if the pattern contains it', () => {
    expect(allows(['Bash(npm test * > out.txt)'], 'npm test x > out.txt')).toBe(true)
    expect(allows(['Bash(npm test * > out.txt)'], 'npm test x > other.txt')).toBe(false)
    expect(allows(['Bash(npm test > *)'], 'npm test >out.txt')).toBe(true)
  })

  it('allows everything without a pattern, even a line that cannot be parsed', () => {
    expect(allows(['Bash'], "anything 'unclosed")).toBe(true)
    expect(allows(['Bash(*)'], 'a > b')).toBe(true)
  })

  it('accepts the older spelling with a colon', () => {
    expect(allows(['Bash(npm test:*)'], 'npm test x')).toBe(true)
    expect(denies(['Bash(rm:*)'], 'rm x')).toBe(true)
  })

  it('treats an escaped asterisk as an asterisk', () => {
    expect(allows(['Bash(ls \\*)'], 'ls *')).toBe(true)
    expect(allows(['Bash(ls \\*)'], 'ls x')).toBe(false)
  })
})

describe('rules for files', () => {
  const write = (file_path: string) => ({ toolName: 'Write', toolInput: { file_path, content: '' } })
  const allowed = (text: string, call: { toolName: string; toolInput: Record<string, unknown> }, realPath?: string) =>
    findAllowing([rule(text)], call, realPath === undefined ? { cwd } : { cwd, realPath }) !== null

  it('match relative and absolute spellings of the same file', () => {
    for (const path of ['src/a.ts', './src/a.ts', '/project/src/a.ts', 'src/../src/a.ts']) {
      for (const text of ['Write(src/*)', 'Write(./src/a.ts)', 'Write(/project/src/*)']) {
        expect(allowed(text, write(path)), `${text} ${path}`).toBe(true)
      }
    }
  })

  it('do not match a path that leaves their folder', () => {
    expect(allowed('Write(src/*)', write('src/../../etc/passwd'))).toBe(false)
    expect(allowed('Write(./*)', write('/etc/passwd'))).toBe(false)
  })

  it('allow a link only if both its name and its target are allowed, and deny it for either', () => {
    expect(allowed('Write(out/*)', write('out/link'), '/project/src/a.ts')).toBe(false)
    expect(allowed('Write(out/*)', write('out/link'), '/project/out/a.ts')).toBe(true)
    const denying = findDenying([rule('Write(src/*)')], write('out/link'), { cwd, realPath: '/project/src/a.ts' })
    expect(denying).not.toBeNull()
  })

  it('match a search by its folder, never by its pattern', () => {
    const grep = (input: Record<string, unknown>) => ({ toolName: 'Grep', toolInput: input })
    expect(allowed('Grep(src/*)', grep({ pattern: 'src/x', path: '/etc' }))).toBe(false)
    expect(allowed('Grep(src/*)', grep({ pattern: 'x', path: 'src/deep' }))).toBe(true)
    expect(allowed('Grep(./*)', grep({ pattern: 'x' }))).toBe(true)
    const glob = { toolName: 'Glob', toolInput: { pattern: '/etc/*' } }
    expect(allowed('Glob(./*)', glob)).toBe(false)
    expect(findDenying([rule('Grep(*.key)')], grep({ pattern: 'x', glob: '*.key' }), { cwd })).not.toBeNull()
  })

  it('match subagents by their type, and Task as Agent', () => {
    const agent = { toolName: 'Task', toolInput: { subagent_type: 'explorer', prompt: 'x' } }
    expect(allowed('Agent(explorer)', agent)).toBe(true)
    expect(allowed('Task(explorer)', agent)).toBe(true)
    expect(allowed('Agent(writer)', agent)).toBe(false)
  })
})

describe('suggestSessionRule', () => {
  it.each([
    'ls *',
    'npm test',
    'rm "a*b" \\* c',
    'cd x && npm test > out.txt',
    'echo (unparsable',
    'a\nb',
    'x:*',
    'x *',
    '  padded  ',
  ])('covers %j and nothing else', (command) => {
    const suggested = suggestSessionRule(bash(command), cwd)
    expect(findAllowing([suggested], bash(command), { cwd })).not.toBeNull()
    for (const other of [`${command} y`, `${command}; rm -rf /`, command.replaceAll('*', 'x'), `${command}\nrm x`]) {
      if (other !== command) expect(findAllowing([suggested], bash(other), { cwd }), other).toBeNull()
    }
  })

  it('survives formatting and parsing', () => {
    const suggested = suggestSessionRule(bash('echo "(a) * \\\\"'), cwd)
    expect(rule(`${suggested.tool}(${suggested.pattern})`)).toEqual(suggested)
  })

  it('is specific for each tool', () => {
    const suggest = (toolName: string, toolInput: Record<string, unknown>) =>
      suggestSessionRule({ toolName, toolInput }, cwd)
    expect(suggest('Edit', { file_path: '/project/src/a.ts' })).toEqual({ tool: 'Edit', pattern: 'src/a.ts' })
    expect(suggest('Write', { file_path: 'a*.ts' })).toEqual({ tool: 'Write', pattern: 'a\\*.ts' })
    expect(suggest('Read', { file_path: 'src/a.ts' })).toEqual({ tool: 'Read', pattern: './*' })
    expect(suggest('Grep', { pattern: 'x' })).toEqual({ tool: 'Grep', pattern: './*' })
    expect(suggest('Task', { subagent_type: 'explorer' })).toEqual({ tool: 'Agent', pattern: 'explorer' })
    expect(suggest('WebSearch', { query: 'x' })).toEqual({ tool: 'WebSearch', pattern: null })
    expect(suggest('mcp__db__query', { b: 1, a: '*' })).toEqual({
      tool: 'mcp__db__query',
      pattern: '{"a":"\\*","b":1}',
    })
  })

  it('never covers the whole tool if the input is malformed', () => {
    for (const toolName of ['Bash', 'Write', 'Edit', 'Agent']) {
      expect(suggestSessionRule({ toolName, toolInput: {} }, cwd).pattern, toolName).not.toBeNull()
    }
  })
})
