import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { probeIsolation } from '../isolation/probe-isolation.ts'
import { readRecords } from '../isolation/process-record.ts'
import { markerVariable } from '../isolation/process-tree.ts'
import { silentLogger } from '../ports/logger.ts'
import { functionTool, openFunction, openToolboxHarness, shellPath } from './testing/toolbox-harness.fixture.ts'

const name = 'mcp__tools__lookup'

/** One module with many functions, because starting a worker takes a while. */
const withFunctions = (source: string, functions: readonly string[], spinMs = 60_000) =>
  openToolboxHarness({
    memoryMb: 64,
    files: { 'lookup.ts': source },
    tools: (at) =>
      functions.map((one) => {
        const timeoutMs = one === 'spin' ? spinMs : 60_000
        return functionTool(join(at, 'lookup.ts'), { name: one, functionName: one, timeoutMs })
      }),
  })

describe('a function tool', () => {
  it('is a TypeScript module with a zod schema that can import its neighbours', async () => {
    const { toolbox, call } = await openFunction({
      'lookup.ts': `
        import { z } from 'zod'
        import { twice } from './twice.js'
        export const parameters = z.object({ count: z.number().default(2) })
        export async function lookup({ count }: { count: number }): Promise<object> { return { twice: twice(count) } }
      `,
      'twice.ts': 'export const twice = (count: number): number => count * 2',
    })
    expect(toolbox.list()).toMatchObject([
      { name, description: 'looks something up', inputSchema: { properties: { count: { type: 'number' } } } },
    ])
    expect(await call(name)).toEqual({ output: '{"twice":4}', isError: false })
    expect(await call(name, { count: 4 })).toEqual({ output: '{"twice":8}', isError: false })
    expect(await call(name, { count: 'four' })).toEqual({ output: expect.stringContaining('count'), isError: true })
  })

  it('may be JavaScript with a JSON Schema in the agent file, which takes precedence', async () => {
    const parameters = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] }
    const { call } = await openToolboxHarness({
      files: { 'lookup.mjs': "export const lookup = ({ id }) => 'order ' + id" },
      tools: (at) => [functionTool(join(at, 'lookup.mjs'), { parameters })],
    })
    expect(await call(name, { id: 7 })).toEqual({ output: 'order 7', isError: false })
    expect((await call(name, {})).output).toContain("must have required property 'id'")
  })

  it('may have its own JSON Schema and receives its session, its folder and an abort signal', async () => {
    const { toolbox, call, project } = await withFunctions(
      `
        export function where(_input: object, { sessionId, cwd }: { sessionId: string; cwd: string }) { return { sessionId, cwd } }
        where.parameters = { type: 'object', properties: { deep: { type: 'boolean' } } }
        export const wait = (_input: object, { signal }: { signal: AbortSignal }) =>
          new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('given up')))
      `,
      ['where', 'wait'],
    )
    expect(toolbox.list()[0]?.inputSchema).toMatchObject({ properties: { deep: { type: 'boolean' } } })
    const { output } = await call('mcp__tools__where')
    expect(JSON.parse(output)).toEqual({ sessionId: 'ses_toolboxtest', cwd: project })
    const stop = new AbortController()
    const waiting = call('mcp__tools__wait', {}, stop.signal)
    stop.abort()
    expect(await waiting).toEqual({ output: 'the call was interrupted', isError: true })
  })

  it('is not run if the call is cancelled before its module is loaded', async () => {
    const { call, project } = await withFunctions(
      `
        import { appendFileSync } from 'node:fs'
        await new Promise((resolve) => setTimeout(resolve, 200))
        export const note = ({ file }: { file: string }) => appendFileSync(file, 'ran')
        export const leave = () => process.exit(3)
        export const fine = () => 'fine'
      `,
      ['note', 'leave', 'fine'],
    )
    const file = join(project, 'note')
    expect((await call('mcp__tools__note', { file }, AbortSignal.abort())).isError).toBe(true)
    await call('mcp__tools__leave')
    const stop = new AbortController()
    const recording = call('mcp__tools__note', { file }, stop.signal)
    stop.abort()
    expect(await recording).toEqual({ output: 'the call was interrupted', isError: true })
    expect((await call('mcp__tools__fine')).output).toBe('fine')
    expect(existsSync(file)).toBe(false)
  })

  it('returns text, images or nothing, and truncates long results', async () => {
    const { call } = await withFunctions(
      `
        export const text = () => 'plain "text"'
        export const picture = () => ({ content: 'a dot', images: [{ mediaType: 'image/png', data: 'iVBORw0KGgoAAAAN' }] })
        export const nothing = () => undefined
        export const endless = () => 'x'.repeat(5_000_000)
      `,
      ['text', 'picture', 'nothing', 'endless'],
    )
    expect((await call('mcp__tools__text')).output).toBe('plain "text"')
    const image = { mediaType: 'image/png', data: 'iVBORw0KGgoAAAAN' }
    expect(await call('mcp__tools__picture')).toEqual({ output: 'a dot', isError: false, images: [image] })
    expect((await call('mcp__tools__nothing')).output).toBe('done')
    const { output } = await call('mcp__tools__endless')
    expect(output.length).toBeLessThan(210_000)
    expect(output).toContain('4800000 more characters')
  })

  it('sees only its declared variables, PATH and HOME, and their secrets do not reach a model', async () => {
    const { call } = await openFunction(
      { 'lookup.ts': 'export const lookup = () => process.env' },
      {
        toolSecrets: async () => ({ lookup: { env: { SHOP_TOKEN: 'made-up-token' }, headers: {} } }),
        secrets: ['made-up-token'],
      },
    )
    const env = JSON.parse((await call(name)).output)
    expect(env.SHOP_TOKEN).toBe('[redacted]')
    expect(Object.keys(env).toSorted()).toEqual(['HOME', 'PATH', markerVariable, 'SHOP_TOKEN'])
  })
})

describe('a secret', () => {
  const secret = 'made "up"\ntoken'

  it('is redacted even inside nested JSON', async () => {
    const { call } = await openFunction(
      { 'lookup.ts': 'export const lookup = () => ({ text: JSON.stringify({ token: process.env.SHOP_TOKEN }) })' },
      { toolSecrets: async () => ({ lookup: { env: { SHOP_TOKEN: secret }, headers: {} } }), secrets: [secret] },
    )
    expect(JSON.parse(JSON.parse((await call(name)).output).text)).toEqual({ token: '[redacted]' })
  })

  it('is redacted in the log if a function prints it', async () => {
    const printed: object[] = []
    const logger = { ...silentLogger, info: (facts: object) => void printed.push(facts) }
    const { call } = await openFunction(
      { 'lookup.ts': "export const lookup = () => console.log('with ' + process.env.SHOP_TOKEN)" },
      {
        logger,
        toolSecrets: async () => ({ lookup: { env: { SHOP_TOKEN: secret }, headers: {} } }),
        secrets: [secret],
      },
    )
    await call(name)
    await expect.poll(() => printed).toEqual([{ agent: 'tester', text: 'with [redacted]' }])
  })
})

describe('a misbehaving function', () => {
  it('returns an error result with its position in the project, and no path outside it, if it throws', async () => {
    const { call, project } = await withFunctions(
      `
        export const lookup = () => {
          throw new TypeError('no such order')
        }
        export const strange = () => {
          throw { reason: 'odd' }
        }
      `,
      ['lookup', 'strange'],
    )
    const { output, isError } = await call(name)
    expect(isError).toBe(true)
    expect(output).toBe('TypeError: no such order (lookup.ts:3)')
    expect(output).not.toContain(project)
    expect((await call('mcp__tools__strange')).output).toBe('it threw {"reason":"odd"}')
  })

  it('is stopped if it never ends, exits its process or uses too much memory, and the next call gets a new worker', async () => {
    const { call } = await withFunctions(
      `
        export const spin = () => { for (;;); }
        export const leave = () => process.exit(3)
        export const later = () => { setTimeout(() => { throw new Error('too late') }, 5); return new Promise(() => {}) }
        export const eat = () => { const all: unknown[] = []; for (;;) all.push(new Array(1e6).fill(Math.random())) }
        export const fine = () => 'fine'
      `,
      ['spin', 'leave', 'later', 'eat', 'fine'],
      1_000,
    )
    expect((await call('mcp__tools__spin')).output).toBe('spin was stopped: it took longer than 1 s.')
    expect((await call('mcp__tools__leave')).output).toBe('leave was stopped: it ended itself with code 3.')
    expect((await call('mcp__tools__later')).output).toBe('later was stopped: too late.')
    expect((await call('mcp__tools__eat')).output).toMatch(/eat was stopped: .*memory/)
    expect(await call('mcp__tools__fine')).toEqual({ output: 'fine', isError: false })
  })

  it('is stopped alone if it takes too long: running calls keep their own time', async () => {
    const { call } = await openToolboxHarness({
      files: {
        'lookup.ts': `
          export const stay = () => new Promise(() => {})
          export const steady = () => new Promise((resolve) => setTimeout(() => resolve('steady'), 1_500))
        `,
      },
      tools: (at) =>
        ['stay', 'steady'].map((one) => {
          const timeoutMs = one === 'stay' ? 500 : 60_000
          return functionTool(join(at, 'lookup.ts'), { name: one, functionName: one, timeoutMs })
        }),
    })
    const steady = call('mcp__tools__steady')
    expect((await call('mcp__tools__stay')).output).toBe('stay was stopped: it took longer than 0.5 s.')
    const another = call('mcp__tools__steady')
    expect(await steady).toEqual({ output: 'steady', isError: false })
    expect(await another).toEqual({ output: 'steady', isError: false })
  })

  it('delays others if it blocks, which then fail with the reason when their time is over', async () => {
    const { call } = await openToolboxHarness({
      files: { 'lookup.ts': "export const spin = () => { for (;;); }\nexport const fine = () => 'fine'" },
      tools: (at) =>
        ['spin', 'fine'].map((one) => {
          const timeoutMs = one === 'spin' ? 1_000 : 2_000
          return functionTool(join(at, 'lookup.ts'), { name: one, functionName: one, timeoutMs })
        }),
    })
    const spinning = call('mcp__tools__spin')
    const heldUp = call('mcp__tools__fine')
    expect((await spinning).output).toBe('spin was stopped: it took longer than 1 s.')
    const why = 'it took longer than 2 s, after another function of this agent was stopped'
    expect((await heldUp).output).toBe(`fine was stopped: ${why}.`)
  })

  it('returns an error without a server path if its module is missing', async () => {
    const { call, project } = await openFunction({ 'lookup.ts': 'export const lookup = () => 1' }, { isWatching: true })
    rmSync(join(project, 'lookup.ts'))
    expect(await call(name)).toEqual({ output: "Cannot find module 'lookup.ts'", isError: true })
  })

  it('is refused at the start if its module or its export is missing', async () => {
    const refused = (source: string) => expect(openFunction({ 'lookup.ts': source })).rejects
    await refused('export const find = () => 1').toMatchObject({
      code: 'tool.unavailable',
      message: expect.stringMatching(/"lookup" cannot be loaded.*exports no function lookup. It exports find\./),
    })
    await refused('export const lookup = (\n  a: = 1').toMatchObject({
      message: expect.stringContaining('lookup.ts:2:'),
    })
    await refused(`import { x } from './gone.ts'\nexport const lookup = () => x`).toMatchObject({
      message: expect.stringContaining('gone.ts'),
    })
  })
})

describe('the process of a function', () => {
  const reading = (path: string) => `
    import { readdirSync, readFileSync } from 'node:fs'
    const read = (file: string): string => { try { return readFileSync(file, 'utf8') } catch { return '' } }
    export const lookup = () => [
      read('${path}'),
      ...readdirSync('/proc').filter((pid) => /^[0-9]+$/.test(pid)).map((pid) => read('/proc/' + pid + '/environ')),
    ].join()
  `

  it('sees neither the access token nor the environment of the server', async (test) => {
    if (!(await probeIsolation()).hidesFiles) return test.skip()
    const root = mkdtempSync(join(tmpdir(), 'quarterdeck-function-'))
    onTestFinished(() => rmSync(root, { recursive: true, force: true }))
    // A process with a key in its environment, like the server.
    const holder = spawn('sleep', ['1000'], { env: { PATH: shellPath, KEY: 'environment of the server' } })
    onTestFinished(() => void holder.kill())
    const token = join(root, 'token')
    writeFileSync(token, 'access token')
    const { call } = await openFunction({ 'lookup.ts': reading(token) }, { dataDir: root })
    const seen = (await call(name)).output
    expect(seen).toContain(markerVariable)
    expect(seen).not.toContain('access token')
    expect(seen).not.toContain('environment of the server')
  })

  it('is recorded on disk as long as it runs', async () => {
    const { call, dataDir } = await openFunction({ 'lookup.ts': 'export const lookup = () => process.exit(0)' })
    expect(readRecords(dataDir)).toMatchObject([{ owner: { pid: process.pid } }])
    expect((await call(name)).output).toContain('it ended itself with code 0')
    expect(readRecords(dataDir)).toEqual([])
  })

  it('works in the folder of its session, even if that is a copy in the data folder', async () => {
    const source = `import { readFileSync } from 'node:fs'\nexport const lookup = () => readFileSync('note.txt', 'utf8')`
    const { call } = await openFunction(
      { 'lookup.ts': source },
      {
        cwd(dataDir) {
          const copy = join(dataDir, 'workspaces', 'one')
          mkdirSync(copy, { recursive: true })
          writeFileSync(join(copy, 'note.txt'), 'of the session')
          return copy
        },
      },
    )
    expect(await call(name)).toEqual({ output: 'of the session', isError: false })
  })

  it('returns its result even if it and its subprocesses print to standard output', async () => {
    const printed: string[] = []
    const logger = { ...silentLogger, info: (facts: object) => void printed.push(JSON.stringify(facts)) }
    const source = `
      import { spawnSync } from 'node:child_process'
      import { readFileSync, writeSync } from 'node:fs'
      export const lookup = () => {
        console.log('from the console')
        writeSync(1, 'from the handle')
        spawnSync('echo', ['from a program'], { stdio: 'inherit' })
        return 'read ' + readFileSync(0, 'utf8').length
      }
    `
    const { call } = await openFunction({ 'lookup.ts': source }, { logger })
    expect(await call(name)).toEqual({ output: 'read 0', isError: false })
    for (const from of ['console', 'handle', 'a program']) await expect.poll(() => printed.join()).toContain(from)
  })

  it.each([
    ['invalid text', `'rubbish\\n'`, 'it wrote an invalid message to the result channel'],
    ['a null', `'null\\n'`, 'it wrote an invalid message to the result channel'],
    [
      'a result of an unknown call',
      `'{"type":"loaded","id":77,"parameters":null}\\n'`,
      'it wrote an invalid message to the result channel',
    ],
    [
      'a message of an MCP server',
      `'{"type":"mcp","message":{}}\\n'`,
      'it wrote an invalid message to the result channel',
    ],
    ['an endless line', `'x'.repeat(33 * 1024 * 1024)`, 'it sent a message larger than 32 MiB'],
  ])('is ended if it writes %s to the channel, and the next call starts a new one', async (_, text, why) => {
    const source = `
      import { writeSync } from 'node:fs'
      const write = (text: Buffer) => { try { return writeSync(4, text) } catch { return 0 } }
      export const flood = () => {
        for (let left = Buffer.from(${text}); left.length > 0; left = left.subarray(write(left)));
        return new Promise(() => {})
      }
      export const fine = () => 'fine'
    `
    const { call } = await withFunctions(source, ['flood', 'fine'])
    expect((await call('mcp__tools__flood')).output).toContain(`flood was stopped: ${why}`)
    expect((await call('mcp__tools__fine')).output).toBe('fine')
  })

  it('returns an error for a result that is too large for the channel', async () => {
    const source = `export const lookup = () => ({ images: [{ mediaType: 'image/png', data: 'A'.repeat(40_000_000) }] })`
    const { call } = await openFunction({ 'lookup.ts': source })
    expect(await call(name)).toEqual({ output: 'the result is larger than 32 MiB: return less', isError: true })
  })
})
