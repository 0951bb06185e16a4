// The prompts of a session in the form the SDK expects: one endless input to which each turn adds.

import type { UUID } from 'node:crypto'
import type { SDKUserMessage } from '@anthropic-ai/claude-agent-sdk'
import type { InputImage } from '@quarterdeck/protocol'
import { createChannel } from '../../../async/channel.ts'

/** A user message with its images. */
export interface Prompt {
  readonly text: string
  readonly images: readonly InputImage[]
}

export function createMessageQueue() {
  const messages = createChannel<SDKUserMessage>(Number.POSITIVE_INFINITY)
  return {
    messages,
    push: (prompt: Prompt, uuid: UUID): void => void messages.push(userMessage(prompt, uuid)),
    end: messages.end,
  }
}

/**
 * Sent literally: the CLI would otherwise read every file named with `@` into the prompt, bypassing the gate and
 * leaving the working directory (measured), and would run any slash command. Compaction is the only command a session
 * needs.
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

/** Images come before the text, as providers recommend. */
const imageBlock = ({ mediaType, data }: InputImage) =>
  ({ type: 'image', source: { type: 'base64', media_type: mediaType, data } }) as const

export const isCompaction = (text: string): boolean => /^\/compact(\s[^@]*)?$/.test(text)
