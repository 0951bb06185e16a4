import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { silentLogger } from '../../../ports/logger.ts'
import type { HostTool } from '../../backend.ts'
import type { ClaudeProcess } from '../cli/claude-process.ts'
import { createToolServers } from './tool-servers.ts'

const tool = (name: string): HostTool => ({ name, description: name, inputSchema: { type: 'object' } })
const nothing = { call: async () => ({ output: '', isError: false }), servers: () => [], onServer: () => () => {} }

/** A process that takes no new server as long as `refusal` says why. */
function harness(refusal: string | null) {
  const told: (readonly string[])[] = []
  const sent: string[] = []
  const warnings: unknown[] = []
  const runtime = { refusal, tools: [] as HostTool[], onChange: () => {} }
  const process = {
    async setMcpServers(servers: object) {
      told.push(Object.keys(servers))
      if (runtime.refusal !== null) throw new Error(runtime.refusal)
    },
    send: ({ text }: { text: string }) => void sent.push(text),
    isAlive: () => true,
  } as unknown as ClaudeProcess // what it is asked here, and nothing else
  const box = {
    list: () => runtime.tools,
    onChange(listener: () => void) {
      runtime.onChange = listener
      return () => {}
    },
  }
  const clientTools = { ...nothing, list: () => [], onChange: () => () => {} }
  const letThrough = { takeAgentOf: () => null, takeEmptied: () => false }
  const logger = { ...silentLogger, warn: (facts: unknown) => void warnings.push(facts) }
  const followed = createToolServers({ clientTools, hostTools: { ...nothing, ...box }, logger }, letThrough).follow(
    process,
  )
  const say = (text: string) => followed.send({ text, images: [] }, '00000000-0000-4000-8000-000000000000')
  return { runtime, told, sent, warnings, say }
}

describe('a server that the CLI does not take', () => {
  it('is told in the log, and offered again with the next message', { timeout: 30_000 }, async () => {
    const { runtime, told, sent, warnings, say } = harness('not now')
    runtime.tools = [tool('mcp__tools__look')]
    runtime.onChange()
    say('one')
    while (sent.length < 1) await setImmediate()
    expect(warnings).toEqual([{ error: 'Error: not now' }])
    runtime.refusal = null
    say('two')
    while (sent.length < 2) await setImmediate()
    expect(told).toEqual([['tools'], ['tools']])
    say('three')
    expect({ told: told.length, sent }).toEqual({ told: 2, sent: ['one', 'two', 'three'] })
  })
})
