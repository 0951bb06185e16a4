// The prompts of a session, as the SDK wants them: one endless input to which each turn adds.
import type { UUID } from 'node:crypto'
import type { SDKUserMessage } from '@anthropic-ai/claude-agent-sdk'

export interface MessageQueue {
  readonly messages: AsyncIterable<SDKUserMessage>
  push(text: string, uuid: UUID): void
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
    push(text, uuid) {
      waiting.push(userMessage(text, uuid))
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
function userMessage(text: string, uuid: UUID): SDKUserMessage {
  const message: SDKUserMessage = {
    type: 'user',
    message: { role: 'user', content: text },
    parent_tool_use_id: null,
    uuid,
  }
  return isCompaction(text) ? message : { ...message, client_composed: true }
}

export const isCompaction = (text: string): boolean => /^\/compact(\s[^@]*)?$/.test(text)
