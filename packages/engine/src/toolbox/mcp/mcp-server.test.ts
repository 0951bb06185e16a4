import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { McpTool } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { probeIsolation } from '../../isolation/probe-isolation.ts'
import { markerVariable } from '../../isolation/process-tree.ts'
import { findSystemTools } from '../../isolation/system-tools.ts'
import { silentLogger } from '../../ports/logger.ts'
import type { AskedQuestion } from '../../ports/question-asker.ts'
import { mcpTwinName } from '../../tool-names/host-tool-names.ts'
import { openToolboxHarness, serverFile, stdioServer } from '../testing/toolbox-harness.fixture.ts'

const oddFile = fileURLToPath(new URL('../testing/odd-server.mjs', import.meta.url))
const odd = (change: Partial<McpTool> = {}) => stdioServer('odd', [oddFile], change)
const everything = serverFile('server-everything')

describe('an MCP server over stdio', () => {
  it('offers its tools under its name and returns text, images, links, resources and structured content', async () => {
    const { toolbox, states, call } = await openToolboxHarness({
      tools: () => [stdioServer('everything', [everything])],
    })
    expect(toolbox.list().map(({ name }) => name)).toContain('mcp__everything__echo')
    expect(states).toEqual([{ name: 'everything', status: 'connected', error: null }])
    expect(await call('mcp__everything__echo', { message: 'hello' })).toEqual({ output: 'Echo: hello', isError: false })
    expect((await call('mcp__everything__get-tiny-image')).images).toMatchObject([{ mediaType: 'image/png' }])
    const structured = await call('mcp__everything__get-structured-content', { location: 'Chicago' })
    expect(JSON.parse(structured.output)).toHaveProperty('temperature')
    const links = await call('mcp__everything__get-resource-links', { count: 2 })
    expect(links.output).toMatch(/\[.+\]\(demo:\/\/.+\)/)
    const resource = await call('mcp__everything__get-resource-reference', { resourceType: 'Text', resourceId: 1 })
    expect(resource.output).toContain('demo://')
    const wrong = await call('mcp__everything__get-sum', { a: 'one' })
    expect(wrong.isError).toBe(true)
    expect(wrong.output).not.toContain('-32602: MCP error')
  })

  it('works with files and keeps state, like the servers from npm', async () => {
    const { call, project } = await openToolboxHarness({
      files: { 'notes.txt': 'remember the milk' },
      tools: (at) => [
        stdioServer('files', [serverFile('server-filesystem'), at]),
        stdioServer('memory', [serverFile('server-memory')]),
      ],
      toolSecrets: async () => ({ memory: { env: { MEMORY_FILE_PATH: '/no/such/file' }, headers: {} } }),
    })
    expect((await call('mcp__files__read_text_file', { path: join(project, 'notes.txt') })).output).toContain(
      'the milk',
    )
    const outside = await call('mcp__files__read_text_file', { path: '/etc/hostname' })
    expect(outside).toEqual({ output: expect.stringContaining('Access denied'), isError: true })
    expect((await call('mcp__memory__read_graph')).output).toContain('entities')
  })

  it('sees only its own variables, PATH and HOME', async () => {
    const { call } = await openToolboxHarness({
      tools: () => [odd()],
      toolSecrets: async () => ({ odd: { env: { ODD_TOKEN: 'made-up-token' }, headers: {} } }),
    })
    const env: Record<string, string> = JSON.parse((await call('mcp__odd__env')).output)
    expect(Object.keys(env).toSorted()).toEqual(['HOME', 'ODD_TOKEN', 'PATH', markerVariable])
    expect(env.HOME).toContain('tool-homes')
  })

  it('does not see the .env of the project, only the variables that the agent file names', async (test) => {
    if (!(await probeIsolation()).hidesFiles) return test.skip()
    const { call, project } = await openToolboxHarness({
      files: { '.env': 'MADE_UP=1', 'notes.txt': 'a note' },
      tools: () => [odd()],
    })
    expect((await call('mcp__odd__peek', { file: join(project, 'notes.txt') })).output).toBe('a note')
    expect((await call('mcp__odd__peek', { file: join(project, '.env') })).output).not.toContain('MADE_UP')
  })

  it('does not see the data folder, and all its processes end with it', async () => {
    const { call, dataDir, toolbox } = await openToolboxHarness({ tools: () => [odd()] })
    mkdirSync(dataDir, { recursive: true })
    const token = join(dataDir, 'tool-homes', 'token')
    writeFileSync(token, 'made-up')
    const peeked = await call('mcp__odd__peek', { file: token })
    expect(peeked).toEqual({ output: expect.stringContaining('ENOENT'), isError: true })
    const mark = `mark${Math.random()}`
    await call('mcp__odd__multiply', { mark })
    await expect.poll(() => running(mark)).toBeGreaterThan(0)
    await toolbox.close()
    expect(running(mark)).toBe(0)
    expect(readdirSync(join(dataDir, 'processes'))).toEqual([])
  })

  it('leaves no process behind even without namespaces', async () => {
    const isolation = () => probeIsolation({ ...findSystemTools(), unshare: null })
    const { call, toolbox } = await openToolboxHarness({ tools: () => [odd()], isolation })
    const mark = `mark${Math.random()}`
    await call('mcp__odd__multiply', { mark })
    await expect.poll(() => running(mark)).toBeGreaterThan(0)
    await toolbox.close()
    expect(running(mark)).toBe(0)
  })

  it('has only the tools that its lists and those of the agent allow', async () => {
    const disallowed = { disallowedTools: ['mcp__odd__grow'] }
    const { toolbox, call } = await openToolboxHarness({
      tools: () => [odd({ allowedTools: ['env', 'grow', 'fall', 'odd name!'], disallowedTools: ['fall'] })],
      claude: disallowed,
    })
    expect(toolbox.list().map(({ name }) => name)).toEqual(['mcp__odd__env', 'mcp__odd__odd_name_'])
    expect((await call('mcp__odd__odd_name_')).output).toBe('called by an odd name')
    expect((await call('mcp__odd__fall')).isError).toBe(true)
  })

  it('may offer several pages of tools, and change them later', async () => {
    const { toolbox, call } = await openToolboxHarness({ tools: () => [odd()] })
    expect(toolbox.list()).toHaveLength(16)
    let changes = 0
    toolbox.onChange(() => (changes += 1))
    await call('mcp__odd__grow')
    await expect.poll(() => changes).toBe(1)
    expect(toolbox.list().map(({ name }) => name)).toContain('mcp__odd__grown')
  })
})

describe('the offer of an MCP server', () => {
  const warningLogger = () => {
    const warned: object[] = []
    return { warned, logger: { ...silentLogger, warn: (facts: object) => void warned.push(facts) } }
  }

  it('has unique names, even if only a dot distinguishes them, and rules of the file match them', async () => {
    const { toolbox, call } = await openToolboxHarness({ tools: () => [odd()] })
    const twins = [mcpTwinName('odd', 'a.twin'), mcpTwinName('odd', 'a twin')]
    expect(toolbox.list().map(({ name }) => name)).toEqual(expect.arrayContaining(twins))
    expect((await call(twins[0] ?? '')).output).toBe('the first twin')
    expect((await call(twins[1] ?? '')).output).toBe('the second twin')
    const { toolbox: other } = await openToolboxHarness({
      tools: () => [odd()],
      claude: { disallowedTools: ['mcp__odd__a.twin'] },
    })
    expect(other.list().map(({ name }) => name)).not.toContain(twins[0])
    expect(other.list().map(({ name }) => name)).toContain(twins[1])
  })

  it('cannot impersonate the tool of another server', async () => {
    const { toolbox, call } = await openToolboxHarness({ tools: () => [odd(), stdioServer('odd__eu', [oddFile])] })
    expect(toolbox.list().filter(({ name }) => name === 'mcp__odd__eu__env')).toHaveLength(1)
    expect((await call('mcp__odd__eu__env')).output).not.toBe('nothing of eu')
  })

  it('is reported if it is not valid or if a listed tool is missing', async () => {
    const { warned, logger } = warningLogger()
    const { toolbox } = await openToolboxHarness({ tools: () => [odd({ allowedTools: ['env', 'nosuch'] })], logger })
    expect(toolbox.list()).toHaveLength(1)
    expect(warned).toMatchObject([
      { why: 'the tool "no tool" is left out: its name or its inputSchema is not valid' },
      { why: 'it has no nosuch, which allowed_tools names' },
    ])
  })
})

describe('a call of an MCP server', () => {
  it('does not affect the server if it answers with any error code or an invalid result', async () => {
    const { call, states } = await openToolboxHarness({ tools: () => [odd()] })
    expect(await call('mcp__odd__refuse')).toEqual({ output: 'the account is closed', isError: true })
    expect(await call('mcp__odd__ramble')).toEqual({
      output: 'The answer of the server is not a tool result.',
      isError: true,
    })
    expect(states).toEqual([{ name: 'odd', status: 'connected', error: null }])
  })

  it('reports an oversized result', async () => {
    const { call, states } = await openToolboxHarness({ tools: () => [odd()] })
    const { output } = await call('mcp__odd__overflow')
    expect(output).toBe(
      'The MCP server "odd" failed during this call: it sent more than 10 MiB at once. Ask it for less.',
    )
    expect((await call('mcp__odd__odd_name_')).output).toBe('called by an odd name')
    expect(states).toContainEqual({ name: 'odd', status: 'restarting', error: 'it sent more than 10 MiB at once' })
  })

  it('restarts a server that no longer responds', async () => {
    const { call, states } = await openToolboxHarness({ tools: () => [odd({ requestTimeoutMs: 1_000 })] })
    expect((await call('mcp__odd__freeze')).output).toContain('no answer within 1 s')
    await expect.poll(() => states.at(-1), { timeout: 20_000 }).toMatchObject({ status: 'connected' })
    await expect.poll(() => states.length, { timeout: 20_000 }).toBe(3)
    expect(states[1]).toEqual({ name: 'odd', status: 'restarting', error: 'it no longer responds' })
    expect((await call('mcp__odd__odd_name_')).output).toBe('called by an odd name')
  })

  it('can ask a limited number of questions at once, and further ones are declined', async () => {
    const { call } = await openToolboxHarness({
      tools: () => [odd()],
      questions: {
        ask: () =>
          new Promise((resolve) => setTimeout(() => resolve({ type: 'answered', answers: {}, note: null }), 300)),
      },
    })
    const actions = (await call('mcp__odd__pester')).output.split(' ')
    expect(actions.filter((action) => action === 'accept')).toHaveLength(5)
    expect(actions.filter((action) => action === 'decline')).toHaveLength(15)
  })

  it('may take long while it reports progress, and is otherwise cancelled at the server', async () => {
    const { call, project } = await openToolboxHarness({ tools: () => [odd({ requestTimeoutMs: 1_000 })] })
    expect(await call('mcp__odd__dawdle')).toEqual({ output: 'at last', isError: false })
    const file = join(project, 'told')
    const stayed = await call('mcp__odd__stay', { file })
    expect(stayed).toEqual({ output: 'stay: no answer within 1 s. The call was cancelled.', isError: true })
    await expect.poll(() => existsSync(file)).toBe(true)
  })

  it('that is interrupted is cancelled at the server', async () => {
    const { call, project } = await openToolboxHarness({ tools: () => [odd()] })
    const file = join(project, 'told')
    const stop = new AbortController()
    const staying = call('mcp__odd__stay', { file }, stop.signal)
    await call('mcp__odd__env')
    stop.abort()
    expect(await staying).toEqual({ output: 'The call was interrupted.', isError: true })
    await expect.poll(() => existsSync(file)).toBe(true)
  })

  it('returns an error result if the server crashes, which is restarted for the next call', async () => {
    const { call, states } = await openToolboxHarness({
      tools: () => [odd()],
      toolSecrets: async () => ({ odd: { env: { ODD_TOKEN: 'made-up-token' }, headers: {} } }),
    })
    const crashed = await call('mcp__odd__fall')
    expect(crashed.isError).toBe(true)
    expect(crashed.output).toContain('exit code 7: falling with [ODD_TOKEN]')
    expect((await call('mcp__odd__odd_name_')).output).toBe('called by an odd name')
    expect(states.map(({ status }) => status)).toEqual(['connected', 'restarting', 'connected'])
    expect(JSON.stringify(states)).not.toContain('made-up-token')
  })

  it('retries a server that was abandoned after repeated crashes', async () => {
    const { call, states } = await openToolboxHarness({ tools: () => [odd()], pausesMs: [1, 1] })
    for (let times = 0; times < 3; times += 1) expect((await call('mcp__odd__fall')).output).toContain('exit code 7')
    await expect.poll(() => states.at(-1)?.status).toBe('failed')
    expect((await call('mcp__odd__odd_name_')).output).toBe('called by an odd name')
    expect(states.at(-1)?.status).toBe('connected')
  })

  it('waits for a person without a time limit', async () => {
    const asked: AskedQuestion[] = []
    let answer = () => {}
    const { call, toolbox } = await openToolboxHarness({
      tools: () => [stdioServer('everything', [everything], { requestTimeoutMs: 1_000 })],
      questions: {
        ask: (question) =>
          new Promise((resolve) => {
            asked.push(question)
            answer = () => resolve({ type: 'answered', answers: { name: 'Ana', check: true }, note: null })
          }),
      },
    })
    const name = 'mcp__everything__trigger-elicitation-request'
    await expect.poll(() => toolbox.list().some((tool) => tool.name === name)).toBe(true)
    const calling = call(name)
    await expect.poll(() => asked.length).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    answer()
    expect((await calling).output).toContain('Ana')
    expect(asked).toMatchObject([{ source: 'mcp', server: 'everything', url: null, schema: { type: 'object' } }])
  })

  it('asks a person to visit a page if the server requires it, and is then repeated', async () => {
    const asked: AskedQuestion[] = []
    const { call, toolbox } = await openToolboxHarness({
      tools: () => [stdioServer('everything', [everything])],
      questions: {
        ask: async (question) => {
          asked.push(question)
          return { type: 'answered', answers: {}, note: null }
        },
      },
    })
    const name = 'mcp__everything__trigger-url-elicitation'
    await expect.poll(() => toolbox.list().some((tool) => tool.name === name)).toBe(true)
    const input = { url: 'https://example.test/login', elicitationId: 'one', errorPath: true }
    expect((await call(name, input)).isError).toBe(false)
    expect(asked.map(({ url }) => url)).toEqual([expect.stringContaining('https://'), input.url])
  })
})

describe('an MCP server that cannot start', () => {
  it.each([
    ['has no such program', { command: 'no-such-program' }, 'the command no-such-program was not found'],
    ['has no such folder', { cwd: '/no/such/folder' }, 'its folder /no/such/folder does not exist'],
    ['ends at once', { args: [oddFile] }, 'exit code 9: cannot start with [ODD_FAILS]'],
    ['is not a server', { command: 'cat', args: ['/dev/null'] }, 'exit code 0'],
  ])('because it %s is refused with a remedy', async (_, change, sentence) => {
    const usual = { command: process.execPath, args: [], cwd: '/' }
    const transport = { type: 'stdio' as const, env: [], ...usual, ...change }
    const opening = openToolboxHarness({
      tools: () => [odd({ transport })],
      toolSecrets: async () => ({ odd: { env: { ODD_FAILS: 'made-up-token' }, headers: {} } }),
    })
    await expect(opening).rejects.toMatchObject({
      code: 'tool.unavailable',
      message: expect.stringContaining(sentence),
    })
  })

  it('in time is refused', async () => {
    const transport = { type: 'stdio' as const, command: 'sleep', args: ['100'], env: [], cwd: '/' }
    const tool = odd({ connectTimeoutMs: 300, transport })
    await expect(openToolboxHarness({ tools: () => [tool] })).rejects.toThrow('it did not answer in time')
  })

  it('is left out with a report if the agent file says so', async () => {
    const transport = { type: 'http' as const, url: 'http://127.0.0.1:9/mcp', headers: [], terminateOnClose: true }
    const { toolbox, states } = await openToolboxHarness({ tools: () => [odd({ transport, onFailure: 'warn' })] })
    expect(toolbox.list()).toEqual([])
    expect(states).toMatchObject([
      { name: 'odd', status: 'failed', error: expect.stringContaining('cannot be reached') },
    ])
  })
})

describe('an MCP server inside this process', () => {
  const source = `
    import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
    import { z } from 'zod'
    export function createServer(): McpServer {
      const server = new McpServer({ name: 'made', version: '1' })
      server.registerTool('add', { inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }))
      server.registerTool('env', {}, () => ({ content: [{ type: 'text', text: JSON.stringify(process.env) }] }))
      server.registerTool('print', {}, () => { console.log(process.env.TOKEN); return { content: [] } })
      server.registerTool('leave', {}, () => process.exit(4))
      return server
    }
  `
  const made = (at: string, functionName = 'createServer') =>
    stdioServer('made', [], { transport: { type: 'in_process', file: join(at, 'made.ts'), functionName, env: [] } })

  it('is created by a module of the project, and is restarted like any other', async () => {
    const { call } = await openToolboxHarness({ files: { 'made.ts': source }, tools: (at) => [made(at)] })
    expect((await call('mcp__made__add', { a: 1, b: 2 })).output).toBe('3')
    const env = JSON.parse((await call('mcp__made__env')).output)
    expect(Object.keys(env).toSorted()).toEqual(['HOME', 'PATH', markerVariable])
    expect((await call('mcp__made__leave')).output).toContain('it ended itself with code 4')
    expect((await call('mcp__made__add', { a: 2, b: 2 })).output).toBe('4')
  })

  it('prints into the log, but not its secrets', async () => {
    const printed: object[] = []
    const logger = { ...silentLogger, info: (facts: object) => void printed.push(facts) }
    const { call } = await openToolboxHarness({
      files: { 'made.ts': source },
      tools: (at) => [made(at)],
      logger,
      toolSecrets: async () => ({ made: { env: { TOKEN: 'made-up-token' }, headers: {} } }),
    })
    await call('mcp__made__print')
    await expect.poll(() => printed).toEqual([{ server: 'made', text: '[TOKEN]' }])
  })

  it('is refused if it is not an MCP server', async () => {
    const files = { 'made.ts': 'export const createServer = () => 1' }
    await expect(openToolboxHarness({ files, tools: (at) => [made(at)] })).rejects.toThrow(
      'did not return an MCP server',
    )
    await expect(openToolboxHarness({ files, tools: (at) => [made(at, 'other')] })).rejects.toThrow('no function other')
  })
})

/** How many processes have this text on their command line. */
const running = (mark: string): number =>
  readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark)
    } catch {
      return false
    }
  }).length
