import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { hearOut } from './hear-out.ts'
import { usualPatience } from './retry-plan.ts'
import type { ModelWire, WireRequest } from './wire/model-wire.ts'

const request: WireRequest = {
  ...{ model: 'm', system: '', tools: [], entries: [], maxTokens: null, temperature: null, topP: null },
  ...{ thinking: null, effort: null, responseFormat: null },
}
const tokens = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 }

/** Each word comes when the one before was taken. */
const twoWords: ModelWire = {
  async ask(_, ear) {
    ear.alive()
    ear.begun({ messageId: 'msg_1', servedModel: 'm', tokens })
    for (const text of ['one ', 'two']) {
      ear.alive()
      await ear.said('text', text)
      ear.signal.throwIfAborted()
    }
    return { parts: [{ type: 'text', text: 'one two' }], stopReason: 'done', tokens }
  },
}

const never = new AbortController().signal
const patience = { ...usualPatience, silenceMs: 100 }

it('does not take a provider for silent while its words wait for a slow reader', async () => {
  const tell = () => sleep(500)
  const heard = await hearOut({ wire: twoWords, patience }, request, { tell, signal: never, onBegun: () => {} })
  expect(heard).toMatchObject({ type: 'answer', answer: { messageId: 'msg_1' } })
})
