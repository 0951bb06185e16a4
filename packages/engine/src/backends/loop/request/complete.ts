// A single model request without a conversation, for tools that make one.
import type { Complete } from '../../../ports/host-toolbox.ts'
import { type Entry, textOf } from '../conversation/entry.ts'
import { openWire } from '../wire/open-wire.ts'
import { retryPolicyFor } from './loop-retry-policy.ts'
import type { ModelRequester } from './model-requester.ts'
import { requestWithRetries } from './request-with-retries.ts'

/** Throws with a message if there is no answer: the request is refused, the provider fails or the signal aborts. */
export const complete: Complete = async (access, { model, prompt, maxTokens, temperature }, signal) => {
  const requester: ModelRequester = {
    wire: openWire(access),
    requests: access.type === 'in-process' ? access.requests : null,
    retryPolicy: retryPolicyFor(access),
    random: Math.random,
    keyVariable: 'the key of its provider',
    fallbackModel: null,
  }
  const settings = { system: '', tools: [], topP: null, thinking: null, effort: null, responseFormat: null }
  const asked: Entry = { type: 'prompt', messageId: null, text: prompt, images: [] }
  const request = { ...settings, model, maxTokens, temperature, entries: [asked] }
  const answer = await requestWithRetries(requester, request, { emit: () => null, signal })
  if (answer.stopReason === 'refusal') throw new Error('the model refused to answer')
  return textOf(answer.parts)
}
