// The prompts of a session, as the SDK wants them: one endless input to which each turn adds.
import type { UUID } from 'node:crypto'
import type { SDKUserMessage } from '@anthropic-ai/claude-agent-sdk'
import type { InputImage } from '@quarterdeck/protocol'

/** What a person says, with the pictures that go with it. */
export interface Prompt {
  readonly text: string
  readonly images: readonly InputImage[]
}

export interface MessageQueue {
  readonly messages: AsyncIterable<SDKUserMessage>
  push(prompt: Prompt, uuid: UUID): void
  end(): void
}

export function createMessageQueue(): MessageQueue {
  const waiting: SDKUserMessage[] = []
  let hasEnded = false
  let wake = () => {}

  async function* read(): AsyncGenerator<SDKUserMessage> {
    for (;;) {
      const message = waiting.shift()
      if (message !== undefined) yield message
      else if (hasEnded) return
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  }

  return {
    messages: read(),
    push(prompt, uuid) {
      waiting.push(userMessage(prompt, uuid))
      wake()
    },
    end() {
      hasEnded = true
      wake()
    },
  }
}

/**
 * As written: the CLI would otherwise read every file named with `@` into the prompt, past the gate and outside the
 * working directory (measured), and run any slash command. Compaction is the one command a session needs.
 */
function userMessage({ text, images }: Prompt, uuid: UUID): SDKUserMessage {
  const message: SDKUserMessage = {
    type: 'user',
    message: {
      role: 'user',
      content: images.length === 0 ? text : [...images.map(imageBlock), { type: 'text', text }],
    },
    parent_tool_use_id: null,
    uuid,
  }
  return isCompaction(text) && images.length === 0 ? message : { ...message, client_composed: true }
}

/** Pictures before the words about them, as providers advise. */
const imageBlock = ({ mediaType, data }: InputImage) =>
  ({ type: 'image', source: { type: 'base64', media_type: mediaType, data } }) as const

export const isCompaction = (text: string): boolean => /^\/compact(\s[^@]*)?$/.test(text)
