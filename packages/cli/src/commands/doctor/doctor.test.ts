import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { dataFolders } from '@quarterdeck/engine'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openTestServer } from '../../connect/test-server.fixture.ts'
import { portRule } from '../../flags/port.ts'
import { exitCodeOfError } from '../../terminal/exit-codes.ts'
import { openTestTerminal } from '../../terminal/terminal.fixture.ts'
import { checkPort } from './check-port.ts'
import { doctor } from './doctor.ts'

const names = ['Node', 'Claude CLI', 'Provider key', 'Process tree', 'Keys', 'Token and log', 'Data folder', 'Port']

/** Occupies a port until the test ends. */
async function takePort(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return String(address.port)
}

async function examine(env: Readonly<Record<string, string>>, data?: string) {
  const { terminal, stdout } = await openTestTerminal({ piped: '', env })
  const code = await doctor(terminal, { json: true, ...(data === undefined ? {} : { data }) })
  const checks: { name: string; verdict: string; finding: string; fix: string | null }[] = JSON.parse(stdout()).checks
  return { code, checks, check: (name: string) => checks.find((one) => one.name === name) }
}

describe('quarterdeck doctor', () => {
  it('checks everything and prints a fix for each problem', async () => {
    const { checks } = await examine({ QUARTERDECK_PORT: await takePort() })
    expect(checks.map(({ name }) => name)).toEqual(names)
    for (const { verdict, fix } of checks) expect(fix === null).toBe(verdict === 'ok')
  })

  it('warns about a missing key and a taken port without failing', async () => {
    const port = await takePort()
    const { code, checks, check } = await examine({ QUARTERDECK_PORT: port })
    expect(check('Provider key')).toMatchObject({ verdict: 'warn', fix: expect.stringContaining('simulator') })
    expect(check('Port')).toMatchObject({ verdict: 'warn', finding: `${port} is taken` })
    expect(code).toBe(checks.some(({ verdict }) => verdict === 'fail') ? 3 : 0)
  })

  it('recognizes the port of the server on this folder', async () => {
    const testServer = await openTestServer([])
    const { port } = new URL(testServer.url)
    const { terminal, stdout } = await testServer.openTerminal({ QUARTERDECK_PORT: port })
    await doctor(terminal, {})
    expect(stdout()).toContain(`ok    Port: ${port} is taken by the server of this data folder`)
    const elsewhere = await examine({ QUARTERDECK_PORT: port })
    expect(elsewhere.check('Port')).toMatchObject({ verdict: 'warn', finding: `${port} is taken` })
  })

  it('lists the compatibility listeners of the server on this folder, each with a warning', async () => {
    const testServer = await openTestServer([], undefined, [
      { wire: 'chat', port: 0 },
      { wire: 'analyze', port: 0 },
    ])
    const { terminal, stdout } = await testServer.openTerminal()
    await doctor(terminal, {})
    expect(stdout()).toMatch(
      /warn {2}Compatibility listener chat: http:\/\/127\.0\.0\.1:\d+ lets every program .* without a token; its clients cannot decide: .* wait for an admin, in the workbench, with "node .*quarterdeck\.mjs sessions approve" or "answer", or over the API\n +If this is not intended/,
    )
    expect(stdout()).toMatch(/warn {2}Compatibility listener analyze: .* without a token\n +If this is not intended/)
    await testServer.close()
    const later = await testServer.openTerminal()
    await doctor(later.terminal, {})
    expect(later.stdout()).not.toContain('Compatibility listener')
  })

  it.each(['abc', '70000', '-1', '', '80.5'])('exits with 2 for the invalid port "%s"', async (port) => {
    const { terminal } = await openTestTerminal({ piped: '', env: { QUARTERDECK_PORT: port } })
    const failure = await doctor(terminal, {}).catch((error: unknown) => error)
    expect(failure).toMatchObject({ message: `QUARTERDECK_PORT is "${port}": it ${portRule}` })
    expect(exitCodeOfError(failure)).toBe(2)
  })

  it('distinguishes an unusable port from a taken one', async () => {
    // An address reserved for documentation: no machine has it.
    expect(await checkPort(4300, { host: '192.0.2.1' })).toMatchObject({
      verdict: 'warn',
      finding: expect.stringMatching(/^4300 cannot be used: .*EADDRNOTAVAIL/),
      fix: expect.stringContaining('--port'),
    })
  })

  it('never prints the key it found', async () => {
    const { terminal, stdout } = await openTestTerminal({ env: { ANTHROPIC_API_KEY: 'made-up-key-for-tests-only' } })
    await doctor(terminal, {})
    expect(stdout()).toContain('ok    Provider key: ANTHROPIC_API_KEY is set')
    expect(stdout()).not.toContain('made-up')
  })

  it('does not change the data folder and reports problems with it', async () => {
    const { terminal, stdout } = await openTestTerminal({ piped: '' })
    await doctor(terminal, { data: 'fresh' })
    expect(stdout()).toContain(`${join(terminal.cwd, 'fresh')} will be created`)
    expect(existsSync(join(terminal.cwd, 'fresh'))).toBe(false)
    const { database, databaseFolder } = dataFolders(join(terminal.cwd, 'bad'))
    await mkdir(databaseFolder, { recursive: true })
    await writeFile(database, 'not a database, but long enough to look like one'.repeat(100))
    expect(await doctor(terminal, { data: 'bad' })).toBe(3)
    expect(stdout()).toMatch(/fail {2}Data folder: .*\n.*--data/)
  })

  it('fails when the data folder cannot be created, as run and serve do', async () => {
    const { terminal, stdout } = await openTestTerminal({ piped: '' })
    await writeFile(join(terminal.cwd, 'a-file'), '')
    expect(await doctor(terminal, { data: join('a-file', 'data') })).toBe(3)
    expect(stdout()).toContain(`fail  Data folder: ${join(terminal.cwd, 'a-file')} is not a folder`)
  })

  it.skipIf(process.getuid?.() === 0)('fails in a folder without write permission', async () => {
    const { terminal, stdout } = await openTestTerminal({ piped: '' })
    await mkdir(join(terminal.cwd, 'closed'), { mode: 0o500 })
    expect(await doctor(terminal, { data: join('closed', 'data') })).toBe(3)
    expect(stdout()).toMatch(/fail {2}Data folder: EACCES/)
  })
})

describe('quarterdeck doctor on agents', () => {
  const head = 'model: { provider: anthropic, name: high }\ninstructions: { inline: x }\n'

  async function examineAgents(files: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) {
    const { terminal, stdout } = await openTestTerminal({ piped: '', env: { PATH: process.env.PATH ?? '', ...env } })
    await mkdir(join(terminal.cwd, 'agents'))
    for (const [name, text] of Object.entries(files)) await writeFile(join(terminal.cwd, 'agents', name), text)
    const code = await doctor(terminal, { json: true }, ['agents'])
    const checks: { name: string; verdict: string; finding: string }[] = JSON.parse(stdout()).checks
    return { code, checks: checks.filter(({ name }) => /^Agent|:/.test(name)), stdout: stdout() }
  }

  it('names the missing key of an agent, and passes when the key is set or not needed', async () => {
    const agents = {
      'one.agent.yaml': `name: one\n${head}`,
      'two.agent.yaml': `name: two\n${head}model_source: auto\n`,
    }
    const { checks } = await examineAgents(agents)
    expect(checks).toMatchObject([
      { name: 'Agent one', verdict: 'warn', finding: expect.stringContaining('ANTHROPIC_API_KEY') },
      { name: 'Agent two', verdict: 'ok', finding: 'valid; the local simulator answers' },
    ])
    const withKey = await examineAgents(agents, { ANTHROPIC_API_KEY: 'made-up-key-for-tests-only' })
    expect(withKey.checks.map(({ finding }) => finding)).toEqual([
      expect.stringMatching(/^valid; anthropic, claude-\S+ answers$/),
      expect.stringMatching(/^valid; anthropic, claude-\S+ answers$/),
    ])
    expect(withKey.stdout).not.toContain('made-up')
  })

  it('fails for an invalid file and reports the problem', async () => {
    const { code, checks } = await examineAgents({ 'agent.yaml': `name: one\n${head}colour: red\nshape: round\n` })
    expect(checks).toMatchObject([
      { verdict: 'fail', finding: expect.stringMatching(/agent\.yaml:4:1 .* and 1 more$/) },
    ])
    expect(code).toBe(3)
  })

  it('reports missing documents as validate does, and checks everything else', async () => {
    const tools = `embedding_provider: { provider: local }
tools:
  - { type: vectorstore, name: kb, description: x, source: docs }
  - { type: function, name: good, description: x, file: good.mjs, function: good }
`
    const { code, checks } = await examineAgents({
      'agent.yaml': `name: one\n${head}${tools}`,
      'good.mjs': 'export const good = () => "yes"',
    })
    expect(checks).toMatchObject([
      { name: 'Agent one', verdict: 'fail', finding: expect.stringContaining('cannot use docs') },
      { name: 'one: function good', verdict: 'ok' },
      { name: 'one: embedder local', verdict: 'ok' },
    ])
    expect(code).toBe(3)
  })

  it('starts servers and functions and lists their tools, or reports why they do not start', async () => {
    const tools = `tools:
  - { type: mcp, name: notes, command: node, args: [./notes-server.mjs] }
  - { type: mcp, name: gone, command: no-such-program-here, on_failure: warn }
  - { type: function, name: good, description: x, file: good.mjs, function: good }
  - { type: function, name: bad, description: x, file: bad.mjs, function: bad }
`
    const server = new URL('../../../../../examples/notes/notes-server.mjs', import.meta.url)
    const { code, checks } = await examineAgents({
      'agent.yaml': `name: one\n${head}${tools}`,
      'notes-server.mjs': await readFile(server, 'utf8'),
      'good.mjs': 'export const good = () => "yes"',
      'bad.mjs': 'throw new Error("out of order")',
    })
    expect(checks.slice(1)).toMatchObject([
      { name: 'one: MCP server notes', verdict: 'ok', finding: '3 tools: list_notes, search_notes, add_note' },
      { name: 'one: MCP server gone', verdict: 'fail', finding: expect.stringContaining('no-such-program-here') },
      { name: 'one: function good', verdict: 'ok', finding: 'loads' },
      { name: 'one: function bad', verdict: 'fail', finding: expect.stringContaining('out of order') },
    ])
    expect(code).toBe(3)
  })

  it('calls a shared embedder once', async () => {
    const tools =
      'embedding_provider: { provider: local }\ntools: [{ type: vectorstore, name: kb, description: x, source: . }]\n'
    const { checks } = await examineAgents({
      'one.agent.yaml': `name: one\n${head}${tools}`,
      'two.agent.yaml': `name: two\n${head}${tools}`,
    })
    expect(checks.filter(({ name }) => name.includes('embedder'))).toMatchObject([
      { name: 'one: embedder local', verdict: 'ok', finding: expect.stringMatching(/vectors of \d{2,} numbers/) },
    ])
  })
})
