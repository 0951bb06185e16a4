import { foldSession, type InboxItem } from '@quarterdeck/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { logOf } from '../../stores/testing/logged-event.fixture.ts'
import { approvalRequested, questionAsked, sessionCreated } from '../../stores/testing/sample-events.fixture.ts'
import { InboxList } from './inbox-list.tsx'

const session = foldSession(null, logOf(sessionCreated, approvalRequested(), questionAsked))
const [approval] = session?.approvals ?? []
const [question] = session?.questions ?? []
if (approval === undefined || question === undefined) throw new Error('the fold opened nothing')
const { sessionId, at } = approval
const about = { at, sessionId, agentName: 'coder', title: '' }
const items: readonly InboxItem[] = [
  { type: 'approval', ...about, approval },
  { type: 'question', ...about, question },
  { type: 'budget', ...about, spentUsd: 5, limitUsd: 5, reason: 'used up', isOwnLimit: true },
]

it('opens the oldest item and summarizes the others', () => {
  const text = renderToStaticMarkup(<InboxList items={items} renderOpen={(item) => <p>open: {item.type}</p>} />)
  expect(text).toContain('open: approval')
  expect(text).not.toContain('open: question')
  expect(text).toContain('Which colour?')
  expect(text).toContain('Spent $5.00 of $5')
})
