import { existsSync } from 'node:fs'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { exitCodeOfError } from '../../terminal/exit-codes.ts'
import { openTestTerminal, type TestTerminal } from '../../terminal/terminal.fixture.ts'
import { init } from './init.ts'
import { templates } from './templates.ts'

const textOf = ({ terminal }: TestTerminal, path: string) => readFile(join(terminal.cwd, path), 'utf8')

async function refusalOf(init: Promise<number>): Promise<string> {
  const failure = await init.catch((error: unknown) => error)
  expect(exitCodeOfError(failure)).toBe(2)
  return failure instanceof Error ? failure.message : String(failure)
}

describe('quarterdeck init', () => {
  it('writes the template under the name of its folder, with schemas for editors and without files of the checkout', async () => {
    const test = await openTestTerminal({ piped: '' })
    expect(await init(test.terminal, { folder: 'desk', flags: { template: 'support' } })).toBe(0)
    const agent = await textOf(test, 'desk/agent.yaml')
    expect(agent).toMatch(/^# yaml-language-server: \$schema=\.schemas\/agent\.schema\.json\n/)
    expect(agent).toMatch(/^name: desk$/m)
    expect(JSON.parse(await textOf(test, 'desk/.schemas/agent.schema.json'))).toMatchObject({ type: 'object' })
    expect(JSON.parse(await textOf(test, 'desk/.schemas/config.schema.json'))).toMatchObject({ type: 'object' })
    expect(await textOf(test, 'desk/config.yaml')).toMatch(/config\.schema\.json\n(.*\n)*model_source: auto/)
    expect(await textOf(test, 'desk/.gitignore')).toContain('.env\n')
    expect(await textOf(test, 'desk/.env.example')).toContain('ANTHROPIC_API_KEY')
    expect(existsSync(join(test.terminal.cwd, 'desk/handbook/returns.md'))).toBe(true)
    expect((await textOf(test, 'desk/README.md')) + agent).not.toMatch(/examples\/|\.\.\//)
  })

  it('names the two variables that connect the netbox template to a real NetBox', async () => {
    const test = await openTestTerminal({ piped: '' })
    await init(test.terminal, { folder: 'desk', flags: { template: 'netbox' } })
    for (const file of ['desk/README.md', 'desk/.env.example', 'desk/agent.yaml'])
      expect(await textOf(test, file)).toMatch(/NETBOX_URL[\s\S]*NETBOX_TOKEN/)
    expect(test.stdout()).toMatch(/variables go into desk\/\.env/)
  })

  it('prints the next steps relative to the current folder', async () => {
    const test = await openTestTerminal({ piped: '', env: { npm_command: 'exec' } })
    await init(test.terminal, { folder: "it's here/desk", flags: { template: 'chat' } })
    expect(test.stdout()).toContain("\n  npx --no -- quarterdeck chat 'it'\\''s here/desk'\n")
    const unknown = await openTestTerminal({ piped: '' })
    await init(unknown.terminal, { flags: { template: 'chat' } })
    expect(unknown.stdout()).toMatch(/\n {2}node \/.*bin\/quarterdeck\.mjs chat chat\n/)
    await mkdir(join(test.terminal.cwd, 'bin'))
    await writeFile(join(test.terminal.cwd, 'bin', 'quarterdeck'), '')
    const installed = await openTestTerminal({ piped: '', env: { PATH: `/nowhere:${test.terminal.cwd}/bin` } })
    await init(installed.terminal, { flags: { template: 'chat' } })
    expect(installed.stdout()).toContain('\n  quarterdeck chat chat\n')
  })

  it('replaces existing files only with --force, names them, and writes nothing when it refuses', async () => {
    const test = await openTestTerminal({ piped: '' })
    await mkdir(join(test.terminal.cwd, 'chat'))
    await writeFile(join(test.terminal.cwd, 'chat/README.md'), 'mine')
    expect(await refusalOf(init(test.terminal, { flags: { template: 'chat' } }))).toMatch(
      /^chat already has README\.md\. Nothing was written.*--force/,
    )
    expect(existsSync(join(test.terminal.cwd, 'chat/agent.yaml'))).toBe(false)
    expect(await init(test.terminal, { flags: { template: 'chat', force: true } })).toBe(0)
    expect(await textOf(test, 'chat/README.md')).not.toBe('mine')
  })

  it('replaces a link instead of writing to its target', async () => {
    const test = await openTestTerminal({ piped: '' })
    await mkdir(join(test.terminal.cwd, 'chat'))
    await writeFile(join(test.terminal.cwd, 'elsewhere'), 'kept')
    await symlink('../elsewhere', join(test.terminal.cwd, 'chat/agent.yaml'))
    await symlink('../nowhere', join(test.terminal.cwd, 'chat/config.yaml'))
    expect(await refusalOf(init(test.terminal, { flags: { template: 'chat' } }))).toContain('agent.yaml, config.yaml')
    await init(test.terminal, { flags: { template: 'chat', force: true } })
    expect(await textOf(test, 'elsewhere')).toBe('kept')
    expect(await textOf(test, 'chat/agent.yaml')).toMatch(/^name: chat$/m)
  })

  it('refuses an invalid agent name, an unknown template and a folder that is a file', async () => {
    const { terminal } = await openTestTerminal({ piped: '' })
    await writeFile(join(terminal.cwd, 'file'), '')
    const flags = { template: 'chat' }
    expect(await refusalOf(init(terminal, { folder: '1st', flags }))).toMatch(/"1st" cannot be .*--name$/)
    expect(await refusalOf(init(terminal, { flags: { ...flags, name: 'a b' } }))).toMatch(
      /"a b" cannot be .* 64 characters$/,
    )
    expect(await refusalOf(init(terminal, { flags: { template: 'caht' } }))).toMatch(/no template "caht".*\n {2}chat/)
    expect(await refusalOf(init(terminal, { folder: 'file', flags }))).toBe('file is a file: give a folder')
    expect(await init(terminal, { folder: '1st', flags: { ...flags, name: 'first' } })).toBe(0)
  })

  it('reports why nothing can be written, without retrying forever', async () => {
    const { terminal } = await openTestTerminal({ piped: '' })
    await writeFile(join(terminal.cwd, 'file'), '')
    const flags = { template: 'chat' }
    const partIsFile = 'file/x cannot be written: a part of the path is a file'
    expect(await refusalOf(init(terminal, { folder: 'file/x', flags }))).toBe(partIsFile)
    expect(await refusalOf(init(terminal, { folder: 'file/x/y', flags }))).toContain('a part of the path is a file')
    const long = join('x'.repeat(300), 'x')
    expect(await refusalOf(init(terminal, { folder: long, flags }))).toContain('the path is too long')
    for (const folder of ['', ' '])
      expect(await refusalOf(init(terminal, { folder, flags: { ...flags, name: 'a' } }))).toContain('give a name, or .')
  })

  it.runIf(process.platform === 'linux')('gives up where the system cannot create folders', async () => {
    const { terminal } = await openTestTerminal({ piped: '' })
    const refusal = await refusalOf(init(terminal, { folder: '/proc/x', flags: { template: 'chat' } }))
    expect(refusal).toMatch(/cannot be written: (no folder can be created there|permission denied)$/)
  })

  it('uses the chat template when a script gives only a name', async () => {
    const test = await openTestTerminal({ piped: '' })
    expect(await init(test.terminal, { folder: 'desk', flags: {} })).toBe(0)
    expect(await textOf(test, 'desk/agent.yaml')).toMatch(/^name: desk$/m)
    expect(test.stdout()).toContain('from the template chat')
  })

  it('asks for a template in a terminal and requires --template or a name in a script', async () => {
    const test = await openTestTerminal()
    const done = init(test.terminal, { folder: 'desk', flags: {} })
    await test.asked('a number or a name')
    for (const answer of ['99', 'nonsense', '4']) test.type(answer)
    expect(await done).toBe(0)
    expect(existsSync(join(test.terminal.cwd, 'desk/notes-server.mjs'))).toBe(true)
    expect(test.stderr()).toMatch(/no template "99": enter a number from 1 to \d[\s\S]*no template "nonsense"/)
    const { terminal } = await openTestTerminal({ piped: '' })
    expect(await refusalOf(init(terminal, { flags: {} }))).toContain('--template')
  })

  it('writes nothing when the user leaves', async () => {
    const test = await openTestTerminal()
    const done = init(test.terminal, { folder: 'desk', flags: {} })
    await test.asked('a number or a name')
    test.terminal.stdin.push(null)
    expect(await done).toBe(1)
    expect(existsSync(join(test.terminal.cwd, 'desk'))).toBe(false)
  })

  it('lists the templates', async () => {
    const test = await openTestTerminal({ piped: '' })
    expect(await init(test.terminal, { flags: { list: true } })).toBe(0)
    expect(test.stdout().trim().split('\n')).toHaveLength(templates.length)
  })
})
