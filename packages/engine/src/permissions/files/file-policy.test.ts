import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHostileProject, type Setting } from '../hostile-project.fixture.ts'

let project: Awaited<ReturnType<typeof createHostileProject>>
beforeAll(async () => {
  project = await createHostileProject()
})
afterAll(() => project.remove())

const check = (toolName: string, toolInput: Record<string, unknown>, setting: Setting = {}) =>
  project.check(toolName, toolInput, setting)

describe('files', () => {
  it.each([
    ['Read', { file_path: '/etc/passwd' }],
    ['Read', { file_path: '../outside/x' }],
    ['Read', { file_path: 'way-out/x' }],
    ['Read', { file_path: 'loop' }],
    ['Read', {}],
    ['Write', { file_path: 'way-out/new', content: '' }],
    ['Write', { file_path: 'dangling', content: '' }],
    ['Write', { file_path: 'src/../../outside/x', content: '' }],
    ['Edit', { file_path: '/etc/hosts' }],
    ['Glob', { pattern: '/etc/*' }],
    ['Glob', { pattern: '../*' }],
    ['Glob', { pattern: '{..,src}/*' }],
    ['Glob', { pattern: 'way-out/*' }],
    ['Glob', { pattern: '*', path: '/' }],
    ['Glob', { pattern: '~/x' }],
    ['Grep', { pattern: 'x', path: '/' }],
    ['Grep', { pattern: 'x', path: 'way-out' }],
    ['Read', { file_path: '.env' }],
    ['Read', { file_path: 'sub/.env.local' }],
    ['Read', { file_path: '.ENV' }],
    ['Read', { file_path: 'config.txt' }],
    ['Edit', { file_path: '.env', old_string: 'a', new_string: 'b' }],
    ['Grep', { pattern: 'x', path: '.env' }],
    ['Grep', { pattern: 'x', glob: '.env' }],
    ['Grep', { pattern: 'x', glob: '*.ts,.env.local' }],
    ['Grep', { pattern: 'x', glob: '{.env,a}' }],
    ['Read', { file_path: 'data/token' }],
    ['Read', { file_path: 'alias/token' }],
    ['Write', { file_path: 'data/token', content: '' }],
  ])('refuses %s %j in any mode and against any rule', async (toolName, input) => {
    const answer = await check(toolName, input, { allow: [toolName], session: [toolName] })
    expect(answer).toMatchObject({ type: 'deny', rule: 'file access' })
  })

  it.each([
    ['Read', { file_path: 'src/a.ts' }],
    ['Read', { file_path: '.env.example' }],
    ['Read', { file_path: 'src/not-there/yet' }],
    ['Write', { file_path: 'new/deep/file.ts', content: '' }],
    ['Write', { file_path: '..hidden', content: '' }],
    ['Glob', { pattern: 'src/**/*.{ts,tsx}' }],
    ['Glob', { pattern: '**/*', path: 'src' }],
  ])('allows %s %j unchanged', async (toolName, input) => {
    expect(await check(toolName, input)).toMatchObject({ type: 'allow', input })
  })

  it('excludes secret files from a search', async () => {
    const globs = async (input: Record<string, unknown>) => {
      const answer = await check('Grep', { pattern: 'x', ...input })
      return answer.type === 'allow' ? answer.input.glob : answer.type
    }
    expect(await globs({})).toBe('!.env !.env.* !.envrc !**/data/token')
    expect(await globs({ path: 'data' })).toBe('!.env !.env.* !.envrc !**/token')
    expect(await globs({ path: 'src' })).toBe('!.env !.env.* !.envrc')
    expect(await globs({ glob: '*.ts' })).toBe('*.ts !.env !.env.* !.envrc !**/data/token')
    expect(await globs({ glob: '*.ts !.env !.env.* !.envrc !**/data/token' })).toBe(
      '*.ts !.env !.env.* !.envrc !**/data/token',
    )
    expect(await check('Grep', { pattern: 'x' }, { mode: 'manual' })).toMatchObject({
      type: 'ask',
      input: { glob: expect.stringContaining('!.env') },
    })
  })
})

describe('CLI settings in the working directory', () => {
  const loaded = { claude: { settingSources: ['project' as const] } }

  it.each([
    ['Write', { file_path: '.claude/settings.json', content: '{}' }],
    ['Write', { file_path: '.claude/settings.local.json', content: '{}' }],
    ['Write', { file_path: 'src/../.CLAUDE/commands/x.md', content: '' }],
    ['Edit', { file_path: '.claude/settings.json', old_string: 'a', new_string: 'b' }],
    ['Bash', { command: 'echo {} > .claude/settings.json' }],
    ['Bash', { command: 'mkdir .claude' }],
    ['Bash', { command: 'cp src/a.ts .claude/hook.ts' }],
  ])('cannot be changed by %s %j while they are loaded', async (toolName, input) => {
    const answer = await check(toolName, input, { ...loaded, allow: ['Bash', 'Write', 'Edit'] })
    expect(answer.type === 'deny' && answer.message).toContain('claude.setting_sources')
  })

  it('can be read, and written if they are not loaded', async () => {
    expect(await check('Read', { file_path: '.claude/settings.json' }, loaded)).toMatchObject({ type: 'allow' })
    expect(await check('Write', { file_path: '.claude/x', content: '' })).toMatchObject({ type: 'allow' })
    expect(await check('Write', { file_path: 'src/claude.ts', content: '' }, loaded)).toMatchObject({ type: 'allow' })
  })
})
