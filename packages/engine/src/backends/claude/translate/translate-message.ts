// One SDK message → the events it means. Pure: state in, state and events out; time is passed in. Recorded traffic of
// the real CLI is its test.
import type { z } from 'zod'
import type { BackendEvent } from '../../backend.ts'
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
  if (!any.success) return emit(state, [rawMessage({ type: 'unreadable', message })])
  if (isIgnored(any.data)) return { state, events: [] }
  switch (any.data.type) {
    case 'stream_event':
      return read(StreamMessage, any.data, state, (it) => translateStream(state, it))
    case 'assistant':
      return read(AssistantMessage, any.data, state, (it) => translateAssistant(state, it, at))
    case 'user':
      return read(UserMessage, any.data, state, (it) => translateUser(state, it, at))
    case 'result':
      return read(ResultMessage, any.data, state, (it) => translateResult(state, it))
    case 'system':
      return translateSystem(state, any.data)
    default:
      return emit(state, [rawMessage(any.data)])
  }
}

function read<Message>(
  schema: z.ZodType<Message>,
  message: AnyMessage,
  state: Translation,
  translate: (message: Message) => Translated,
): Translated {
  const parsed = schema.safeParse(message)
  if (parsed.success) return translate(parsed.data)
  const events: BackendEvent[] = [rawMessage(message)]
  return emit(state, events)
}
