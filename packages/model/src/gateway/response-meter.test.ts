import { describe, expect, it } from 'vitest'
import { messageBody, messageEvents } from '../wire/anthropic/message.ts'
import { encodeSseFrame } from '../wire/sse-frame.ts'
import { createResponseMeter } from './response-meter.ts'

const usage = { inputTokens: 11, outputTokens: 22, cacheReadInputTokens: 33, cacheCreationInputTokens: 44 }
const message = {
  id: 'msg_1',
  model: 'claude-x',
  content: [{ type: 'text' as const, text: 'some words, ä' }],
  stopReason: 'end_turn' as const,
  stopSequence: null,
  usage,
}
const bytes = (text: string) => new TextEncoder().encode(text)

describe('the response meter', () => {
  it('reads the same from a stream, byte by byte, as from the whole message', () => {
    const stream = createResponseMeter('text/event-stream; charset=utf-8')
    const text = [...messageEvents(message)].map((event) => encodeSseFrame(event.type, event)).join('')
    for (const byte of bytes(text)) stream.push(Uint8Array.of(byte))
    const whole = createResponseMeter('application/json')
    whole.push(bytes(JSON.stringify(messageBody(message))))
    const expected = { messageId: 'msg_1', servedModel: 'claude-x', usage, isComplete: true }
    expect(stream.read()).toEqual(expected)
    expect(whole.read()).toEqual(expected)
  })

  it('takes the counts of message_delta as totals and keeps what it does not repeat', () => {
    const meter = createResponseMeter('text/event-stream')
    const start = {
      message: { id: 'm', model: 'c', usage: { input_tokens: 5, output_tokens: 1, cache_read_input_tokens: 9 } },
    }
    meter.push(bytes(encodeSseFrame('message_start', start)))
    meter.push(bytes(encodeSseFrame('message_delta', { usage: { output_tokens: 7, input_tokens: null } })))
    meter.push(bytes(encodeSseFrame('message_delta', { usage: { output_tokens: 12 } })))
    expect(meter.read()?.usage).toEqual({
      inputTokens: 5,
      outputTokens: 12,
      cacheReadInputTokens: 9,
      cacheCreationInputTokens: 0,
    })
  })

  it('knows no message in an error, in nothing, or in something else', () => {
    for (const body of ['', '{"type":"error","error":{}}', '{"input_tokens":3}', 'not json']) {
      const meter = createResponseMeter('application/json')
      meter.push(bytes(body))
      expect(meter.read()).toBeNull()
    }
    const stream = createResponseMeter('text/event-stream')
    stream.push(bytes('event: message_start\ndata: {broken\n\n'))
    expect(stream.read()).toBeNull()
  })
})
