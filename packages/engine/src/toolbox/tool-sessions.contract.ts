// The guarantees of a session about the tools of its agent file, on either backend.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type AgentTool, type McpTool, parseRule } from '@quarterdeck/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHookPoints } from '../hooks/create-hook-points.ts'
import { silentLogger } from '../ports/logger.ts'
import { answersOf, eventsOf, rests } from '../sessions/testing/lifecycle.fixture.ts'
import { collectWarnings } from '../testing/warnings.fixture.ts'
import { serveRecording } from './testing/recording-server.fixture.ts'
import { serveEverything } from './testing/served-everything.fixture.ts'
import {
  finishWork,
  type OpenToolBackend,
  openToolHarness,
  resultsOf,
  startWork,
  type ToolHarnessOptions,
} from './testing/tool-harness.fixture.ts'
import { functionTool, serverFile, stdioServer } from './testing/toolbox-harness.fixture.ts'
import { toolsOfFile } from './testing/tools-of-file.fixture.ts'

const oddServer = (change: Partial<McpTool> = {}) =>
  stdioServer('odd', [fileURLToPath(new URL('testing/odd-server.mjs', import.meta.url))], change)

const rules = (...texts: readonly string[]) =>
  texts.flatMap((text) => {
    const rule = parseRule(text)
    return rule === undefined ? [] : [rule]
  })

const named = (name: string) => ({ name, description: `the ${name}`, isCritical: false })

export function describeToolSessions(backendName: string, backend: OpenToolBackend): void {
  const open = (options: ToolHarnessOptions) => openToolHarness(backend, options)

  describe(`tools of an agent file in a session on ${backendName}`, () => {
    it('run in parallel: a function, and the servers from npm over stdio', async () => {
      const { runtime, asked } = await open({
        files: {
          'notes.txt': 'remember the milk',
          'lookup.ts': `
            import { z } from 'zod'
            export const parameters = z.object({ id: z.number() })
            export const lookup = ({ id }: { id: number }, { sessionId }: { sessionId: string }) => ({ id, sessionId })
          `,
        },
        tools: (at) => [
          functionTool(join(at, 'lookup.ts')),
          stdioServer('everything', [serverFile('server-everything')]),
          stdioServer('files', [serverFile('server-filesystem'), at]),
          stdioServer('memory', [serverFile('server-memory')]),
        ],
        toolSecrets: async () => ({
          everything: { env: { SHOP_TOKEN: 'made-up-shop-token' }, headers: {} },
          memory: { env: { MEMORY_FILE_PATH: '/no/such/file' }, headers: {} },
        }),
        secrets: ['made-up-shop-token'],
        steps: [
          {
            when: { tools_offered: ['mcp__tools__lookup', 'mcp__everything__get-sum', 'mcp__files__read_text_file'] },
            then: {
              tools: [
                { name: 'mcp__tools__lookup', input: { id: 7 } },
                { name: 'mcp__everything__get-sum', input: { a: 2, b: 3 } },
                { name: 'mcp__everything__get-env' },
                { name: 'mcp__everything__get-tiny-image' },
                { name: 'mcp__files__list_allowed_directories' },
                { name: 'mcp__memory__read_graph' },
              ],
            },
          },
          { then: { text: 'done' } },
        ],
      })
      const { sessionId, results, outputs: all } = await finishWork(runtime)
      expect(results.map(({ isError }) => isError)).toEqual([false, false, false, false, false, false])
      const outputs = all.join('\n')
      expect(outputs).toContain(JSON.stringify({ id: 7, sessionId }))
      expect(outputs).toContain('sum of 2 and 3 is 5')
      expect(outputs).toContain('entities')
      expect(asked().at(-1)).toMatch(/image\/png/)
      expect(await answersOf(runtime, sessionId)).toEqual(['done'])
      const states = (await eventsOf(runtime, sessionId, 'McpServerStatusChanged')).map(({ data }) => data)
      expect(states).toContainEqual({ name: 'everything', status: 'connected', error: null })
      expect(outputs).toContain('SHOP_TOKEN')
      expect(JSON.stringify(await runtime.log(sessionId))).not.toContain('made-up-shop-token')
    })

    it('run many at a time without a warning of Node', async () => {
      const warnings = collectWarnings()
      const { runtime } = await open({
        files: { 'lookup.mjs': 'export const lookup = ({ id }) => new Promise((go) => setTimeout(go, 200, id))' },
        tools: (at) => [functionTool(join(at, 'lookup.mjs'))],
        steps: [
          { then: { tools: Array.from({ length: 15 }, (_, id) => ({ name: 'mcp__tools__lookup', input: { id } })) } },
          { then: { text: 'done' } },
        ],
      })
      expect((await finishWork(runtime)).results).toHaveLength(15)
      expect(warnings).toEqual([])
    })

    it('are logged with their input if a hook changed the call, and only then', async () => {
      const hooks = createHookPoints({ logger: silentLogger })
      hooks.on('PreToolUse', ({ tool_input }) =>
        JSON.stringify(tool_input).includes('7')
          ? { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { id: 8 } } }
          : undefined,
      )
      const call = (id: number) => ({ then: { tools: [{ name: 'mcp__tools__lookup', input: { id } }] } })
      const { runtime } = await open({
        files: { 'lookup.ts': "export const lookup = ({ id }: { id: number }) => 'it is ' + id" },
        tools: (at) => [functionTool(join(at, 'lookup.ts'))],
        hooks,
        steps: [call(7), call(6), { then: { text: 'done' } }],
      })
      const { sessionId, results } = await finishWork(runtime)
      const [changed, plain] = results
      expect(changed).toMatchObject({ output: 'it is 8', changedInput: { id: 8 } })
      expect(plain).toMatchObject({ output: 'it is 6' })
      expect(plain).not.toHaveProperty('changedInput')
      const asked = (await eventsOf(runtime, sessionId, 'AgentInvokedTool')).map(({ data }) => data.toolInput)
      expect(asked).toEqual([{ id: 7 }, { id: 6 }])
    })

    it('may belong to servers over HTTP and SSE', async () => {
      const [http, sse] = await Promise.all([serveEverything('streamableHttp'), serveEverything('sse')])
      onTestFinished(http.kill)
      onTestFinished(sse.kill)
      const over = (type: 'http' | 'sse', url: string): McpTool =>
        stdioServer(type, [], { transport: { type, url, headers: [], terminateOnClose: true } })
      const sum = (a: number) => ({ input: { a, b: 1 } })
      const { runtime } = await open({
        tools: () => [over('http', http.url), over('sse', sse.url)],
        steps: [
          {
            then: {
              tools: [
                { name: 'mcp__http__get-sum', ...sum(1) },
                { name: 'mcp__sse__get-sum', ...sum(2) },
              ],
            },
          },
          { then: { text: 'done' } },
        ],
      })
      const { outputs } = await finishWork(runtime)
      expect(outputs.toSorted()).toEqual([expect.stringContaining('is 2.'), expect.stringContaining('is 3.')])
    })

    it('tools[mcp].headers: are sent to a server over HTTP with every request, and to nobody else', async () => {
      const { url, seen } = await serveRecording()
      const yaml = `- { name: noting, description: notes, type: mcp, transport: http, url: '${url}', headers: { authorization: 'Bearer \${SHOP_TOKEN}' } }`
      const { tools, toolSecrets } = await toolsOfFile(yaml, {}, { SHOP_TOKEN: 'made-up-shop-token' })
      const { runtime, asked } = await open({
        tools,
        toolSecrets,
        steps: [{ then: { tools: [{ name: 'mcp__noting__greet' }] } }, { then: { text: 'done' } }],
      })
      const { sessionId, results } = await finishWork(runtime)
      expect(results).toMatchObject([{ output: 'good day', isError: false }])
      expect(new Set(seen.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer made-up-shop-token']))
      expect(JSON.stringify([await runtime.log(sessionId), asked()])).not.toContain('made-up-shop-token')
    })

    it('survive a server that crashes during a call, and use its new offer afterwards', async () => {
      const { runtime } = await open({
        tools: () => [oddServer()],
        toolSecrets: async () => ({ odd: { env: { ODD_TOKEN: 'made-up-token' }, headers: {} } }),
        steps: [
          { then: { tools: [{ name: 'mcp__odd__fall' }] } },
          { when: { tool_result: { is_error: true } }, then: { tools: [{ name: 'mcp__odd__grow' }] } },
          { then: { text: 'grew' } },
          { when: { text: 'more', tools_offered: ['mcp__odd__grown'] }, then: { text: 'seen' } },
          { when: { text: 'more' }, repeat: true, then: { text: 'not yet' } },
        ],
      })
      const { sessionId, results } = await finishWork(runtime)
      const [crashed, grown] = results
      expect(crashed).toMatchObject({ isError: true, output: expect.stringContaining('failed during this call') })
      expect(grown).toMatchObject({ isError: false, output: 'grew' })
      const states = (await eventsOf(runtime, sessionId, 'McpServerStatusChanged')).map(({ data }) => data)
      const own = states.filter(({ name }) => name === 'odd').map(({ status }) => status)
      expect(own.slice(0, 3)).toEqual(['connected', 'restarting', 'connected'])
      // The tool list is requested again while the turn continues.
      const askedAgain = async () => {
        await runtime.sessions.sendMessage(sessionId, { content: 'more' }, 'ana')
        await rests(runtime, sessionId, 'idle')
        return (await answersOf(runtime, sessionId)).at(-1)
      }
      await expect.poll(askedAgain).toBe('seen')
      expect(JSON.stringify(await runtime.log(sessionId))).not.toContain('made-up-token')
    })

    it('need approval by default, match rules by every name, and skills need none', async () => {
      const lookup = { name: 'mcp__tools__lookup', input: { id: 7 } }
      const { runtime } = await open({
        files: {
          'lookup.mjs': 'export const lookup = ({ id }) => id',
          'style/SKILL.md': '---\nname: style\n---\nBe brief.',
        },
        tools: (at): readonly AgentTool[] => [
          functionTool(join(at, 'lookup.mjs')),
          functionTool(join(at, 'lookup.mjs'), { name: 'other' }),
          oddServer({ allowedTools: ['env', 'odd name!'] }),
          { type: 'skill', ...named('style'), folder: join(at, 'style') },
        ],
        claude: { permissionMode: 'manual' },
        approvals: { allow: rules('other', 'mcp__odd__*'), deny: rules('mcp__odd__env') },
        steps: [
          {
            then: {
              tools: [
                lookup,
                { name: 'mcp__tools__other', input: { id: 8 } },
                { name: 'mcp__odd__odd_name_' },
                { name: 'mcp__odd__env' },
                { name: 'mcp__tools__style' },
              ],
            },
          },
          { then: { text: 'done' } },
        ],
      })
      const sessionId = await startWork(runtime)
      await rests(runtime, sessionId, 'waiting_approval')
      const { approvals } = await runtime.sessions.listApprovals({ session: sessionId })
      expect(approvals).toMatchObject([
        {
          toolName: 'mcp__tools__lookup',
          effects: ['read', 'write', 'network'],
          sessionRule: { tool: 'mcp__tools__lookup' },
          rule: 'no rule allows this call',
        },
      ])
      for (const { approvalId } of approvals)
        await runtime.sessions.decideApproval(approvalId, { decision: 'allow' }, 'ben')
      await rests(runtime, sessionId, 'idle')
      const outputs = (await resultsOf(runtime, sessionId)).map(({ output }) => output)
      expect(outputs).toContain('7')
      expect(outputs).toContain('8')
      expect(outputs).toContain('called by an odd name')
      expect(outputs).toContain('Be brief.')
      expect(outputs).toContainEqual(expect.stringContaining('refused by the rule mcp__odd__env'))
    })

    it('may ask a person through their server, which receives the answer', async () => {
      const asker = fileURLToPath(new URL('../backends/claude/testing/asking-server.mjs', import.meta.url))
      const { runtime } = await open({
        tools: () => [stdioServer('asker', [asker])],
        steps: [{ then: { tools: [{ name: 'mcp__asker__form' }] } }, { then: { text: 'done' } }],
      })
      const sessionId = await startWork(runtime)
      await rests(runtime, sessionId, 'waiting_user')
      const { questions } = await runtime.sessions.listQuestions({ session: sessionId })
      expect(questions).toMatchObject([{ source: 'mcp', server: 'asker', message: 'Who are you?' }])
      for (const { questionId } of questions) {
        await runtime.sessions.answerQuestion(questionId, { answers: { name: 'Ana', age: 30 } }, 'ben')
      }
      await rests(runtime, sessionId, 'idle')
      expect((await resultsOf(runtime, sessionId))[0]?.output).toContain('"Ana"')
    })

    it('may be a model request, or wait for a client that is not connected yet', async () => {
      const parameters = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
      const prompts: string[] = []
      const { runtime } = await open({
        tools: (): readonly AgentTool[] => [
          { type: 'prompt', ...named('shorten'), template: 'Shorten: {{ text }}', parameters, ...usualModel },
          { type: 'client', ...named('show'), parameters },
        ],
        complete: async (_access, { prompt }) => {
          prompts.push(prompt)
          return 'short'
        },
        steps: [
          {
            when: { tools_offered: ['mcp__tools__shorten', 'mcp__client__show'] },
            then: {
              tools: [
                { name: 'mcp__tools__shorten', input: { text: 'a long {{text}}' } },
                { name: 'mcp__client__show', input: { text: 'hello' } },
              ],
            },
          },
          { then: { text: 'done' } },
        ],
      })
      const sessionId = await startWork(runtime)
      await rests(runtime, sessionId, 'waiting_client')
      const { calls } = await runtime.sessions.listClientCalls(sessionId)
      expect(calls).toMatchObject([{ toolName: 'show', toolInput: { text: 'hello' } }])
      for (const { callId } of calls) {
        await runtime.sessions.returnClientCall(callId, { output: 'shown', isError: false }, 'ben')
      }
      await rests(runtime, sessionId, 'idle')
      const outputs = (await resultsOf(runtime, sessionId)).map(({ output }) => output)
      expect(outputs.toSorted()).toEqual(['short', 'shown'])
      expect(prompts).toEqual(['Shorten: a long {{text}}'])
    })
  })
}

const usualModel = { model: null, maxTokens: null, temperature: null }
