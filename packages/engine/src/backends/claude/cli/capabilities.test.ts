import { expect, it } from 'vitest'
import { capabilitiesOf } from './capabilities.ts'

it('shows where a key comes from and never the key', () => {
  const account = { email: 'a@example.org', apiKeySource: 'ANTHROPIC_API_KEY', accessToken: 'hidden', organization: 5 }
  const told = capabilitiesOf({ initialized: { account }, mcpServers: null, tools: ['Bash'] })
  expect(told.account).toEqual({ email: 'a@example.org', apiKeySource: 'ANTHROPIC_API_KEY' })
})

it('offers only the commands that a prompt can run', () => {
  const commands = [
    { name: 'compact', description: 'shortens', argumentHint: '' },
    { name: 'review', description: 'reviews' },
  ]
  const told = capabilitiesOf({ initialized: { commands }, mcpServers: null, tools: [] })
  expect(told.commands).toEqual([{ name: 'compact', description: 'shortens' }])
})

it('shows nothing of an answer it does not understand', () => {
  const nothing = { commands: [], models: [], tools: [], agents: [], mcpServers: [], account: null }
  expect(capabilitiesOf({ initialized: null, mcpServers: 'none', tools: [] })).toEqual(nothing)
  expect(capabilitiesOf({ initialized: { models: 5 }, mcpServers: [{ name: 5 }], tools: [] })).toEqual(nothing)
})
