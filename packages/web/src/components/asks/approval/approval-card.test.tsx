import { foldSession } from '@quarterdeck/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { logOf } from '../../../stores/testing/logged-event.fixture.ts'
import { approvalRequested, sessionCreated } from '../../../stores/testing/sample-events.fixture.ts'
import { ApprovalCard } from './approval-card.tsx'

it('shows the server, tool and arguments of an MCP call, and offers a rule for the tool and for the server', () => {
  const asked = approvalRequested({ text: 'Buy milk', due: { day: 5 }, n: '7' })
  const data = {
    ...asked.data,
    toolName: 'mcp__notes__add_note',
    sessionRule: { tool: 'mcp__notes__add_note', pattern: '{}' },
    widerRules: ['mcp__notes__add_note', 'mcp__notes'].map((tool) => ({ tool, pattern: null })),
  }
  const approval = foldSession(null, logOf(sessionCreated, { ...asked, data }))?.approvals[0]
  if (approval === undefined) throw new Error('there is no open approval')
  const text = renderToStaticMarkup(
    <ApprovalCard
      approval={approval}
      who="coder"
      folder="/project"
      submission={undefined}
      onDecide={() => {}}
      onStop={() => {}}
    />,
  )
  expect(text).toContain('<b>add_note</b> <span class="muted">of MCP server</span> <b>notes</b>')
  expect(text).toContain('<th scope="row">text</th><td>Buy milk</td>')
  expect(text).toContain('<td>{&quot;day&quot;:5}</td>')
  // Quotes distinguish the text "7" from the number 7.
  expect(text).toContain('<td>&quot;7&quot;</td>')
  expect(text).toContain('Allow these arguments this session')
  expect(text).toContain('Allow this tool (mcp__notes__add_note) this session')
  expect(text).toContain('Allow every tool of this server (mcp__notes) this session')
})
