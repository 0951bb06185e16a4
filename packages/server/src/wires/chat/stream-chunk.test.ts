import { expect, it } from 'vitest'
import { greetingOf } from './stream-chunk.ts'

it.each(['netbox', 'my-NetBox-desk'])('greets for %s with the text of the original server', (agent) => {
  expect(greetingOf(agent)).toBe('Connected to Netbox chatbox. Ask me about your Netbox infrastructure!')
})

it('greets for any other agent with its name', () => {
  expect(greetingOf('hello')).toBe('Connected to hello. Ask me anything!')
})
