// Translates one SDK message into events. Pure: state in, state and events out; time is passed in. Tested with recorded
// traffic of the real CLI.
import type { z } from 'zod'
import { rawMessage } from './raw-message.ts'
import { AnyMessage, ResultMessage, SdkAssistantMessage, StreamMessage, UserMessage } from './sdk-message.ts'
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
        translated(SdkAssistantMessage.safeParse(sent), (it) => translateAssistant(state, it, at)) ?? keep(state, sent)
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

// SDK messages that produce no event, each with its reason. Any other message that is not understood is kept raw.
const ignored: Readonly<Record<string, string>> = {
  'system/session_state_changed': 'the adapter reads it to know when a turn is over',
  'system/status': 'announces a request; the message that follows has the details',
  'system/thinking_tokens': 'an estimate for spinners; the thinking itself is streamed',
  'system/task_progress': 'the subagent’s own calls are events already',
  'system/task_updated': 'task_started and task_notification bracket a subagent',
  'system/background_tasks_changed': 'background tasks are disabled',
  'system/permission_denied': 'the denied call gets an error result, which is an event',
  'system/commands_changed': 'slash commands are reported when the session starts',
  'system/hook_started': 'our own hook; its verdict shows in the call’s result',
  'system/hook_progress': 'our own hook',
  'system/hook_response': 'our own hook',
  'system/ui_invalidate': 'only for a terminal that renders the CLI’s screen',
  command_lifecycle: 'the adapter reads it to track the delivery of a message',
  tool_progress: 'a heartbeat of a running tool',
  keep_alive: 'a heartbeat of the process',
}

const isIgnored = ({ type, subtype }: AnyMessage): boolean =>
  (subtype === undefined ? type : `${type}/${subtype}`) in ignored
