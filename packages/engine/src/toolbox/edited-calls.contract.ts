// Calls that a person or a hook has changed, on either backend.
import { join } from 'node:path'
import { type AgentTool, type JsonObject, parseRule } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { createHookPoints } from '../hooks/create-hook-points.ts'
import { silentLogger } from '../ports/logger.ts'
import { rests } from '../sessions/testing/lifecycle.fixture.ts'
import {
  type OpenToolBackend,
  openToolHarness,
  resultsOf,
  startWork,
  type ToolHarnessOptions,
} from './testing/tool-harness.fixture.ts'
import { functionTool, serverFile, stdioServer } from './testing/toolbox-harness.fixture.ts'

export function describeEditedCalls(backendName: string, backend: OpenToolBackend): void {
  const open = (options: ToolHarnessOptions) => openToolHarness(backend, options)

  describe(`edited tool calls on ${backendName}`, () => {
    it('run with an empty input if a person or a hook emptied it', async () => {
      const hooks = createHookPoints({ logger: silentLogger })
      hooks.on('PreToolUse', ({ tool_input }) =>
        JSON.stringify(tool_input).includes('hooked')
          ? { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: {} } }
          : undefined,
      )
      const { runtime } = await open({
        files: {
          'lookup.mjs': "export const lookup = (input) => 'asked for ' + JSON.stringify(input)",
          'other.mjs': "export const other = (input) => 'other ' + JSON.stringify(input)",
        },
        tools: (at) => [
          functionTool(join(at, 'lookup.mjs')),
          functionTool(join(at, 'other.mjs'), { name: 'other', functionName: 'other' }),
        ],
        claude: { permissionMode: 'manual' },
        approvals: { allow: [parseRule('other')].filter((rule) => rule !== undefined) },
        hooks,
        steps: [
          {
            then: {
              tools: [
                { name: 'mcp__tools__lookup', input: { path: 'original' } },
                { name: 'mcp__tools__other', input: { path: 'hooked' } },
              ],
            },
          },
          { then: { text: 'done' } },
        ],
      })
      const sessionId = await startWork(runtime)
      await rests(runtime, sessionId, 'waiting_approval')
      const { approvals } = await runtime.sessions.listApprovals({ session: sessionId })
      for (const { approvalId } of approvals) {
        await runtime.sessions.decideApproval(approvalId, { decision: 'allow', input: {} }, 'ben')
      }
      await rests(runtime, sessionId, 'idle')
      const executed = await resultsOf(runtime, sessionId)
      expect(executed.map(({ output }) => output).toSorted()).toEqual(['asked for {}', 'other {}'])
      expect(executed.map(({ changedInput }) => changedInput)).toEqual([{}, {}])
    })

    it('are refused if the edit is not valid, and can be edited again', async () => {
      const parameters = { type: 'object', properties: { id: { type: 'number', minimum: 1 } }, required: ['id'] }
      const hooks = createHookPoints({ logger: silentLogger })
      hooks.on('PreToolUse', () => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' } }))
      const { runtime } = await open({
        files: { 'lookup.mjs': 'export const lookup = ({ id }) => id' },
        tools: (at): readonly AgentTool[] => [
          functionTool(join(at, 'lookup.mjs'), { parameters }),
          stdioServer('everything', [serverFile('server-everything')]),
          { type: 'client', name: 'show', description: '', isCritical: false, parameters },
        ],
        hooks,
        steps: [
          {
            then: {
              tools: [
                { name: 'mcp__tools__lookup', input: { id: 7 } },
                { name: 'mcp__everything__get-sum', input: { a: 2, b: 3 } },
                { name: 'mcp__client__show', input: { id: 7 } },
              ],
            },
          },
          { then: { text: 'done' } },
        ],
      })
      const sessionId = await startWork(runtime)
      const approvals = async () => (await runtime.sessions.listApprovals({ session: sessionId })).approvals
      await expect.poll(approvals, { timeout: 30_000 }).toHaveLength(3)
      const edits: Readonly<Record<string, readonly [JsonObject, string]>> = {
        mcp__tools__lookup: [{ id: 0 }, 'input: id must be >= 1'],
        'mcp__everything__get-sum': [{ a: 2 }, "input: the input must have required property 'b'"],
        mcp__client__show: [{}, "input: the input must have required property 'id'"],
      }
      for (const { approvalId, toolName } of await approvals()) {
        const [input, message] = edits[toolName] ?? [{}, '']
        const decided = runtime.sessions.decideApproval(approvalId, { decision: 'allow', input }, 'ben')
        await expect(decided).rejects.toMatchObject({ code: 'request.invalid', message })
      }
      expect(await approvals()).toHaveLength(3)
      const lookup = (await approvals()).find(({ toolName }) => toolName === 'mcp__tools__lookup')
      if (lookup === undefined) throw new Error('the approval is gone')
      await runtime.sessions.decideApproval(lookup.approvalId, { decision: 'allow', input: { id: 9 } }, 'ben')
      await expect.poll(async () => (await resultsOf(runtime, sessionId)).map(({ output }) => output)).toEqual(['9'])
      await runtime.sessions.interrupt(sessionId, 'ana')
    })
  })
}
