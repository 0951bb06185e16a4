import { UserMessageId } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { messageUuid } from '../cli/message-uuid.ts'
import { cutTranscript, isConversation } from './cut-transcript.ts'
import { TranscriptLine } from './transcript-line.ts'

const one = UserMessageId.parse('umsg_first1')
const two = UserMessageId.parse('umsg_second')
const three = UserMessageId.parse('umsg_third1')

const user = (uuid: string, content: unknown, more = {}) =>
  TranscriptLine.parse({ type: 'user', uuid, parentUuid: null, message: { content }, ...more })
const assistant = (id: string, ...content: object[]) =>
  TranscriptLine.parse({ type: 'assistant', uuid: `uuid-${id}`, parentUuid: null, message: { id, content } })
const result = (id: string) => user(`result-${id}`, [{ type: 'tool_result', tool_use_id: id, content: 'fine' }])
const text = { type: 'text', text: 'words' }

const lines = [
  user(messageUuid(one), 'one'),
  assistant('msg_1', text, { type: 'tool_use', id: 'toolu_1' }),
  assistant('msg_1', { type: 'tool_use', id: 'toolu_2' }),
  result('toolu_2'),
  result('toolu_1'),
  assistant('msg_2', text),
  user(messageUuid(two, 1), 'two'),
  TranscriptLine.parse({
    type: 'attachment',
    uuid: 'steered',
    parentUuid: null,
    attachment: { type: 'queued_command', source_uuid: messageUuid(three) },
  }),
  assistant('msg_3', text),
]

const kept = (at: Parameters<typeof cutTranscript>[1], from = lines) => cutTranscript(from, at)?.length ?? null

it('keeps everything before a user message, whichever delivery attempt succeeded', () => {
  expect(kept({ type: 'before', messageId: one })).toBe(0)
  expect(kept({ type: 'before', messageId: two })).toBe(6)
})

it('finds a message that was added to a running turn', () => {
  expect(kept({ type: 'before', messageId: three })).toBe(7)
})

it('keeps a model message with the results of all its calls, in any order', () => {
  expect(kept({ type: 'after', messageId: 'msg_1' })).toBe(5)
  expect(kept({ type: 'after', messageId: 'msg_3' })).toBe(9)
})

it('returns null for a message that the conversation does not contain', () => {
  expect(kept({ type: 'before', messageId: UserMessageId.parse('umsg_unknown') })).toBeNull()
  expect(kept({ type: 'after', messageId: 'msg_9' })).toBeNull()
})

it('cuts before a compaction when its command is the point', () => {
  const boundary = TranscriptLine.parse({ type: 'system', subtype: 'compact_boundary', uuid: 'b', parentUuid: null })
  const compacted = [
    ...lines.slice(0, 6),
    boundary,
    user('summary', 'what was said', { isCompactSummary: true }),
    user('caveat', 'a command', { isMeta: true }),
    user(messageUuid(two), '/compact'),
    user(messageUuid(three), 'three'),
  ]
  expect(kept({ type: 'before', messageId: two }, compacted)).toBe(6)
  expect(kept({ type: 'before', messageId: three }, compacted)).toBe(10)
})

it('does not count bookkeeping lines as conversation', () => {
  expect(isConversation([TranscriptLine.parse({ type: 'file-history-snapshot' })])).toBe(false)
  expect(isConversation(lines.slice(0, 1))).toBe(true)
})
