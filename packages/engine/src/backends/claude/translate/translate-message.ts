// Translates one SDK message into events. Pure: state in, state and events out; time is passed in. Tested with recorded
// traffic of the real CLI.
import type { z } from 'zod'
import { isIgnored } from './ignored-messages.ts'
import { rawMessage } from './raw-message.ts'
import { AnyMessage, AssistantMessage, ResultMessage, StreamMessage, UserMessage } from './sdk-message.ts'
import { translateAssistant } from './translate-assistant.ts'
import { translateResult } from './translate-result.ts'
import { translateStream } from './translate-stream.ts'
import { translateSystem } from './translate-system.ts'
import { translateUser } from './translate-user.ts'
import { emit, type Translated, type Translation } from './translation.ts'

export function translateMessage(state: Translation, message: unknown, at: number): Translated {
  const any = AnyMessage.safeParse(message)
  if (!any.success) return keep(state, { type: 'unreadable', message })
  if (isIgnored(any.data)) return { state, events: [] }
  const { data: sent } = any
  switch (sent.type) {
    case 'stream_event':
      return translated(StreamMessage.safeParse(sent), (it) => translateStream(state, it)) ?? keep(state, sent)
    case 'assistant':
      return (
        translated(AssistantMessage.safeParse(sent), (it) => translateAssistant(state, it, at)) ?? keep(state, sent)
      )
    case 'user':
      return translated(UserMessage.safeParse(sent), (it) => translateUser(state, it, at)) ?? keep(state, sent)
    case 'result':
      return translated(ResultMessage.safeParse(sent), (it) => translateResult(state, it)) ?? keep(state, sent)
    case 'system':
      return translateSystem(state, sent)
    default:
      return keep(state, sent)
  }
}

const keep = (state: Translation, message: AnyMessage): Translated => emit(state, [rawMessage(message)])

function translated<Message>(
  parsed: z.ZodSafeParseResult<Message>,
  translate: (message: Message) => Translated,
): Translated | null {
  return parsed.success ? translate(parsed.data) : null
}
