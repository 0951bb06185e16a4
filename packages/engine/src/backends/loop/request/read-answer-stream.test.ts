import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { ModelWire, WireRequest } from '../wire/model-wire.ts'
import { defaultRetryPolicy } from './loop-retry-policy.ts'
import { readAnswerStream } from './read-answer-stream.ts'

const request: WireRequest = {
  model: 'm',
  system: '',
  tools: [],
  entries: [],
  maxTokens: null,
  temperature: null,
  topP: null,
  thinking: null,
  effort: null,
  responseFormat: null,
}
const tokens = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 }

/** Each chunk arrives after the previous one was consumed. */
const twoWords: ModelWire = {
  async ask(_, listener) {
    listener.alive()
    listener.begun({ messageId: 'msg_1', servedModel: 'm', tokens })
    for (const text of ['one ', 'two']) {
      listener.alive()
      await listener.streamed('text', text)
      listener.signal.throwIfAborted()
    }
    return { parts: [{ type: 'text', text: 'one two' }], stopReason: 'done', tokens }
  },
}

const never = new AbortController().signal
const retryPolicy = { ...defaultRetryPolicy, silenceMs: 100 }

it('does not count a provider as silent while its data waits for a slow reader', async () => {
  const emit = () => sleep(500)
  const outcome = await readAnswerStream({ wire: twoWords, retryPolicy }, request, {
    emit,
    signal: never,
    onBegun: () => {},
  })
  expect(outcome).toMatchObject({ type: 'answer', answer: { messageId: 'msg_1' } })
})
