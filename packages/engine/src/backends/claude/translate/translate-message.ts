// Translates one SDK message into events. Pure: state in, state and events out; time is passed in. Tested with recorded
// traffic of the real CLI.
import type { z } from 'zod'
import {
  AnyMessage,
  CompactMessage,
  FallbackMessage,
  InitMessage,
  RefusedPrompt,
  ResultMessage,
  RetryMessage,
  SdkAssistantMessage,
  StreamMessage,
  TaskNotification,
  TaskStarted,
  UserMessage,
} from './sdk-message.ts'
import { translateAssistant } from './translate-assistant.ts'
import { translateResult } from './translate-result.ts'
import { translateStream } from './translate-stream.ts'
import { notifySubagent, startSubagent } from './translate-subagent.ts'
import { fallBack, noteCompaction, notePromptRefusal, retryRequest, startSession } from './translate-system.ts'
import { translateUser } from './translate-user.ts'
import { emitRaw, type Translated, type Translation } from './translation.ts'

type Translate = (state: Translation, message: AnyMessage, at: number) => Translated | null

/** `null` for a message that does not match the schema. */
const translating =
  <Message>(
    schema: z.ZodType<Message>,
    translate: (state: Translation, message: Message, at: number) => Translated,
  ): Translate =>
  (state, message, at) => {
    const parsed = schema.safeParse(message)
    return parsed.success ? translate(state, parsed.data, at) : null
  }

const byType: ReadonlyMap<string, Translate> = new Map([
  ['stream_event', translating(StreamMessage, translateStream)],
  ['assistant', translating(SdkAssistantMessage, translateAssistant)],
  ['user', translating(UserMessage, translateUser)],
  ['result', translating(ResultMessage, translateResult)],
])

const systemBySubtype: ReadonlyMap<string, Translate> = new Map([
  ['init', translating(InitMessage, startSession)],
  ['api_retry', translating(RetryMessage, retryRequest)],
  ['model_fallback', translating(FallbackMessage, fallBack)],
  ['model_refusal_fallback', translating(FallbackMessage, fallBack)],
  ['compact_boundary', translating(CompactMessage, noteCompaction)],
  ['informational', translating(RefusedPrompt, notePromptRefusal)],
  ['task_started', translating(TaskStarted, startSubagent)],
  ['task_notification', translating(TaskNotification, notifySubagent)],
])

export function translateMessage(state: Translation, message: unknown, at: number): Translated {
  const any = AnyMessage.safeParse(message)
  if (!any.success) return emitRaw(state, { type: 'unreadable', message })
  const { data: sent } = any
  if (isIgnored(sent)) return { state, events: [] }
  const translate = sent.type === 'system' ? systemBySubtype.get(sent.subtype ?? '') : byType.get(sent.type)
  return translate?.(state, sent, at) ?? emitRaw(state, sent)
}

/** SDK messages that produce no event, each with its reason. Any other message that is not understood is kept raw. */
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
