// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in files are what is tested here
import { execFileSync } from 'node:child_process'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agentText, writeAgent } from '../../connect/scripted-agent.fixture.ts'
import { exitCodeOfError } from '../../terminal/exit-codes.ts'
import { openTestTerminal } from '../../terminal/terminal.fixture.ts'
import { addMcpServer, listMcpServers, removeMcpServer } from './mcp.ts'

const commented = `# Mine.\n${agentText}# The end.\n`

async function openFolder(text = commented) {
  const { terminal, stdout, stderr } = await openTestTerminal({ piped: '' })
  const file = await writeAgent(terminal.cwd, text)
  return {
    terminal,
    stdout,
    stderr,
    file,
    text: () => readFile(file, 'utf8'),
    add: (name: string, command: readonly string[], flags: object = {}) =>
      addMcpServer(terminal, { name, command, flags }),
  }
}

const isRefusal = (failure: unknown): boolean => exitCodeOfError(failure) === 2

describe('quarterdeck mcp', () => {
  it('adds a server, lists it and removes it, and preserves the rest of the file', async () => {
    const { terminal, stdout, add, text } = await openFolder()
    expect(await add('files', ['npx', '-y', 'server-files', '.'], { env: ['PLACE'] })).toBe(0)
    expect(await text()).toMatch(/^# Mine\.\n[\s\S]*# The end\.\ntools:\n {2}- type: mcp\n {4}name: files\n/)
    expect(stdout()).toContain('mcp__files__TOOL')
    expect(await removeMcpServer(terminal, { name: 'files', flags: {} })).toBe(0)
    expect(await text()).toBe(commented)
    expect(await readdir(terminal.cwd)).toEqual(['agent.yaml'])
  })

  it('names the variable of a new server that is not set, and writes a valid file', async () => {
    const { terminal, stdout, stderr, add } = await openFolder()
    expect(await add('files', ['x'], { env: ['NOBODY_SET_THIS'] })).toBe(0)
    expect(stderr()).toContain('warning: the environment has no NOBODY_SET_THIS')
    expect(await listMcpServers(terminal, {})).toBe(0)
    expect(stdout()).toMatch(/^files {2}stdio/m)
  })

  it('lists servers as text and as JSON, with the names of variables and no values', async () => {
    const { terminal, stdout, add } = await openFolder()
    expect(await listMcpServers(terminal, {})).toBe(0)
    expect(stdout()).toContain('tester has no MCP servers')
    await add('files', ['node', 'server.mjs'])
    await add('docs', [], { url: 'https://docs.example.org/mcp' })
    await listMcpServers(terminal, {})
    expect(stdout()).toMatch(/^files {2}stdio {2}node server\.mjs$/m)
    expect(stdout()).toMatch(/^docs {3}http {3}https:\/\/docs\.example\.org\/mcp$/m)
    const json = await openTestTerminal({ piped: '', cwd: terminal.cwd })
    await listMcpServers(json.terminal, { json: true })
    expect(JSON.parse(json.stdout()).servers.map(({ name }: { name: string }) => name)).toEqual(['files', 'docs'])
  })

  it.each([
    { what: 'a name that is taken', name: 'files', command: ['x'], sentence: 'a tool named "files" already exists' },
    { what: 'a name no tool can have', name: 'my-files', command: ['x'], sentence: 'letters, digits and _' },
    { what: 'neither a command nor an address', sentence: 'either the command after --, or --url' },
    { what: 'both', command: ['x'], flags: { url: 'https://x.example' }, sentence: 'either the command after --' },
    {
      what: 'a transport for a command',
      command: ['x'],
      flags: { transport: 'sse' },
      sentence: '--transport needs --url',
    },
    { what: 'the value of a variable', command: ['x'], flags: { env: ['KEY=made-up'] }, sentence: 'not "KEY"' },
    { what: 'an address as a command', command: ['https://docs.example.org/mcp'], sentence: 'did you mean --url?' },
    { what: 'a place that is not set', flags: { url: 'https://${NOBODYS_HOST}/mcp' }, sentence: 'no NOBODYS_HOST' },
    { what: 'an address in the clear', flags: { url: 'http://docs.example.org' }, sentence: 'agent.yaml:' },
  ])('refuses $what and writes nothing', async ({ name = 'more', command = [], flags = {}, sentence }) => {
    const { add, text } = await openFolder()
    await add('files', ['x'])
    const before = await text()
    const failure = await add(name, command, flags).catch((error: unknown) => error)
    expect(isRefusal(failure)).toBe(true)
    expect(String(failure)).toContain(sentence)
    expect(String(failure)).not.toContain('made-up')
    expect(await text()).toBe(before)
  })

  it('keeps a server whose tools are still named in rules, and says where', async () => {
    const rules = 'approvals:\n  allow: [mcp__files__read]\n'
    const { terminal, text } = await openFolder(`${commented}tools: [{ type: mcp, name: files, command: x }]\n${rules}`)
    const before = await text()
    const failure = await removeMcpServer(terminal, { name: 'files', flags: {} }).catch((error: unknown) => error)
    expect(String(failure)).toMatch(/agent\.yaml:10:11 error: .*mcp__files__read[\s\S]*Nothing was written/)
    expect(String(failure)).toContain('"approvals.allow[0]" still names it')
    expect(isRefusal(failure)).toBe(true)
    expect(await text()).toBe(before)
  })

  it('preserves file permissions, and edits a file that has other problems', async () => {
    const { file, add, text } = await openFolder(`${commented}colour: red\n`)
    const { mode } = await stat(file)
    expect(await add('files', ['x'])).toBe(0)
    expect((await stat(file)).mode).toBe(mode)
    expect(await text()).toContain('colour: red')
  })

  it('does not replace tools that an agent inherits from another file', async () => {
    const { terminal, add, text } = await openFolder(`extends: base.yaml\n${agentText}`)
    await writeFile(join(terminal.cwd, 'base.yaml'), 'tools: [{ type: mcp, name: notes, command: x }]\n')
    const before = await text()
    const failure = await add('files', ['x']).catch((error: unknown) => error)
    expect(isRefusal(failure)).toBe(true)
    expect(String(failure)).toMatch(
      /tools \(notes\) from base\.yaml, .*would replace them: add the server there with --agent base/,
    )
    expect(await text()).toBe(before)
    expect(await add('files', ['x'], { agent: 'base.yaml' })).toBe(0)
    await writeFile(join(terminal.cwd, 'base.yaml'), 'description: Without tools.\n')
    expect(await add('files', ['x'])).toBe(0)
  })

  it('does not block on a pipe with the name of an agent file', async () => {
    const { terminal, add } = await openFolder()
    execFileSync('mkfifo', [join(terminal.cwd, 'pipe.yaml')])
    const failure = await add('files', ['x'], { agent: 'pipe.yaml' }).catch((error: unknown) => error)
    expect(isRefusal(failure)).toBe(true)
    expect(String(failure)).toContain('pipe.yaml cannot be read: it is not a file')
  })
})
