import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { HostTool } from '../../../ports/host-toolbox.ts'
import { silentLogger } from '../../../ports/logger.ts'
import type { ClaudeProcess } from '../cli/claude-process.ts'
import { createToolServers } from './tool-servers.ts'

const tool = (name: string): HostTool => ({ name, description: name, inputSchema: { type: 'object' } })
const nothing = { call: async () => ({ output: '', isError: false }), servers: () => [], onServer: () => () => {} }

/** A process that refuses new servers while `refusal` is set. */
function harness(refusal: string | null) {
  const announced: (readonly string[])[] = []
  const sent: string[] = []
  const warnings: unknown[] = []
  const state = { refusal, tools: [] as HostTool[], onChange: () => {} }
  const process = {
    async setMcpServers(servers: object) {
      announced.push(Object.keys(servers))
      if (state.refusal !== null) throw new Error(state.refusal)
    },
    send: ({ text }: { text: string }) => void sent.push(text),
    isAlive: () => true,
  } as unknown as ClaudeProcess // the only method this test uses
  const box = {
    list: () => state.tools,
    onChange(listener: () => void) {
      state.onChange = listener
      return () => {}
    },
  }
  const clientTools = { ...nothing, list: () => [], onChange: () => () => {} }
  const allowedCalls = { takeAgentOf: () => null, takeEmptied: () => false }
  const logger = { ...silentLogger, warn: (facts: unknown) => void warnings.push(facts) }
  const followed = createToolServers({ clientTools, hostTools: { ...nothing, ...box }, logger }, allowedCalls).follow(
    process,
  )
  const send = (text: string) => followed.send({ text, images: [] }, '00000000-0000-4000-8000-000000000000')
  return { state, announced, sent, warnings, send }
}

describe('a server that the CLI refuses', () => {
  it('is logged and offered again with the next message', { timeout: 30_000 }, async () => {
    const { state, announced, sent, warnings, send } = harness('not now')
    state.tools = [tool('mcp__tools__look')]
    state.onChange()
    send('one')
    while (sent.length < 1) await setImmediate()
    expect(warnings).toEqual([{ error: 'Error: not now' }])
    state.refusal = null
    send('two')
    while (sent.length < 2) await setImmediate()
    expect(announced).toEqual([['tools'], ['tools']])
    send('three')
    expect({ announced: announced.length, sent }).toEqual({ announced: 2, sent: ['one', 'two', 'three'] })
  })
})
