import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { AgentChangeCard } from './agent-change-card.tsx'

it('shows the agent, the additions of its file, and both decisions', () => {
  const change = { agentName: 'coder', version: 'v1', at: '2026-01-01T00:00:00.000Z', isNew: false }
  const added = ['the function pay (/shop/pay.ts, pay)', 'the allow rule Bash(rm:*)']
  const card = <AgentChangeCard change={{ ...change, added }} submission={undefined} onDecide={() => undefined} />
  const text = renderToStaticMarkup(card)
  for (const part of ['coder', ...added, 'Accept', 'Reject']) expect(text).toContain(part)
})
