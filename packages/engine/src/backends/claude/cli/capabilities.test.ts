import { expect, it } from 'vitest'
import { capabilitiesOf } from './capabilities.ts'

it('shows the source of a key and never the key', () => {
  const account = { email: 'a@example.org', apiKeySource: 'ANTHROPIC_API_KEY', accessToken: 'hidden', organization: 5 }
  const capabilities = capabilitiesOf({ initialized: { account }, mcpServers: null, tools: ['Bash'] })
  expect(capabilities.account).toEqual({ email: 'a@example.org', apiKeySource: 'ANTHROPIC_API_KEY' })
})

it('lists only the commands that a prompt can run', () => {
  const commands = [
    { name: 'compact', description: 'shortens', argumentHint: '' },
    { name: 'review', description: 'reviews' },
  ]
  const capabilities = capabilitiesOf({ initialized: { commands }, mcpServers: null, tools: [] })
  expect(capabilities.commands).toEqual([{ name: 'compact', description: 'shortens' }])
})

it('returns empty capabilities for an answer it does not understand', () => {
  const nothing = { commands: [], models: [], tools: [], agents: [], mcpServers: [], account: null }
  expect(capabilitiesOf({ initialized: null, mcpServers: 'none', tools: [] })).toEqual(nothing)
  expect(capabilitiesOf({ initialized: { models: 5 }, mcpServers: [{ name: 5 }], tools: [] })).toEqual(nothing)
})
