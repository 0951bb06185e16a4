import { draft, emptyTranscript, foldTranscript } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { logOf } from './logged-event.fixture.ts'
import { foldRewinds, forgottenKeys } from './rewinds.ts'
import { messageDelivered, messageId, messageQueued, sessionCreated, thought } from './sample-events.fixture.ts'

it('forgets from the message on to the rewind, and nothing before or after', () => {
  const rewound = draft('AgentSessionRewound', { messageId, backendSessionId: null, by: 'ana' })
  const log = logOf(
    sessionCreated,
    thought('Before'),
    messageQueued,
    messageDelivered,
    thought('Forgotten', 'msg_2'),
    rewound,
    thought('After', 'msg_3'),
  )
  const { items } = foldTranscript(emptyTranscript, log)
  const forgotten = forgottenKeys(items, foldRewinds([], log))
  const texts = items.flatMap((item) =>
    item.type === 'text' || item.type === 'user'
      ? [['text' in item ? item.text : item.content, forgotten.has(item.key)]]
      : [],
  )
  expect(texts).toEqual([
    ['Before', false],
    ['Fix it', true],
    ['Forgotten', true],
    ['After', false],
  ])
})
