// SDK messages that produce no event, each with its reason. Any other message that is not understood is kept raw.
import type { AnyMessage } from './sdk-message.ts'

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

export const isIgnored = ({ type, subtype }: AnyMessage): boolean =>
  (subtype === undefined ? type : `${type}/${subtype}`) in ignored
