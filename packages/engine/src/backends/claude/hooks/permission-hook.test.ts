import type { HookJSONOutput } from '@anthropic-ai/claude-agent-sdk'
import type { JsonObject } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import type { ToolCall } from '../../../ports/tool-call.ts'
import { unattendedOptions } from '../../contract/unattended-options.contract.ts'
import { createPermissionHook } from './permission-hook.ts'

const { signal } = new AbortController()

function open(verdict: 'allow' | 'ask') {
  const asked: ToolCall[] = []
  const permission = createPermissionHook(
    {
      gate: {
        check: async ({ toolInput }) => (verdict === 'ask' ? { type: 'ask' } : { type: 'allow', input: toolInput }),
        async ask(call) {
          asked.push(call)
          return { type: 'allow', input: call.toolInput }
        },
      },
      questions: { ask: async () => ({ type: 'declined', message: 'nobody is there' }) },
      clientTools: unattendedOptions.clientTools,
      hostTools: unattendedOptions.hostTools,
      hooks: { hasListener: () => false, run: async () => ({}) },
    },
    {
      pathOf: async (agentId) => (agentId === undefined ? null : [agentId]),
      reported: async () => undefined,
      started: () => undefined,
    },
  )
  const call = (id: string, name: string, input: JsonObject = {}): Promise<HookJSONOutput> | undefined =>
    permission.hook.hooks[0]?.(
      {
        hook_event_name: 'PreToolUse',
        session_id: 's',
        transcript_path: '',
        cwd: '/project',
        tool_name: name,
        tool_input: input,
        tool_use_id: id,
        agent_id: 'a1',
      },
      id,
      { signal },
    )
  return { permission, asked, call }
}

it('remembers the calling agent for client tools only, until it is taken or the next turn begins', async () => {
  const { permission, call } = open('allow')
  await call('toolu_1', 'Bash')
  await call('toolu_2', 'mcp__client__browse')
  await call('toolu_3', 'mcp__client__browse')
  expect(permission.takeAgentOf('toolu_1')).toBeNull()
  expect(permission.takeAgentOf('toolu_2')).toEqual(['a1'])
  expect(permission.takeAgentOf('toolu_2')).toBeNull()
  permission.beginTurn()
  expect(permission.takeAgentOf('toolu_3')).toBeNull()
})

it('drops the pending asks of an interrupted turn when the next turn begins', async () => {
  const { permission, asked, call } = open('ask')
  await call('toolu_1', 'Bash', { command: 'one' })
  permission.beginTurn()
  await permission.canUseTool('Bash', { command: 'two' }, { signal, toolUseID: 'toolu_1', requestId: 'r' })
  expect(asked).toMatchObject([{ toolInput: { command: 'two' } }])
})
