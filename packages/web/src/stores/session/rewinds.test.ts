import { draft, emptyTranscript, foldTranscript } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { logOf } from '../testing/logged-event.fixture.ts'
import {
  executed,
  invoked,
  messageDelivered,
  messageId,
  messageQueued,
  sessionCreated,
  thought,
} from '../testing/sample-events.fixture.ts'
import { changedFiles } from '../transcript/file-change.ts'
import { callsNotUndone, foldRewinds, forgottenKeys } from './rewinds.ts'

it('forgets the items from the message up to the rewind, and no others', () => {
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

it('omits file changes that a rewind restored, and keeps all others', () => {
  const write = (path: string, toolUseId: string) => [
    invoked('Write', { file_path: path, content: 'text' }, toolUseId),
    executed('Write', toolUseId),
  ]
  const log = logOf(
    sessionCreated,
    ...write('/project/earlier.md', 't1'),
    messageQueued,
    messageDelivered,
    ...write('/project/earlier.md', 't2'),
    ...write('/project/restored.md', 't3'),
    ...write('relative.md', 't4'),
    ...write('/project/left.md', 't5'),
    draft('FilesRewound', {
      messageId,
      restored: ['earlier.md', 'restored.md', 'relative.md'],
      notRestored: [{ path: 'left.md', reason: 'changed by another program' }],
      by: 'ana',
    }),
    ...write('/project/after.md', 't6'),
  )
  const { items } = foldTranscript(emptyTranscript, log)
  const files = changedFiles(callsNotUndone(items, foldRewinds([], log), '/project'))
  expect(files.map(({ path, added }) => [path, added])).toEqual([
    ['/project/earlier.md', 1],
    ['/project/left.md', 1],
    ['/project/after.md', 1],
  ])
})
