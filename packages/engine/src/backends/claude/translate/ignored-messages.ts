// SDK messages that become no event, each with its reason. Everything else that is not understood is kept raw.
import type { AnyMessage } from './sdk-message.ts'

const ignored: Readonly<Record<string, string>> = {
  'system/session_state_changed': 'the adapter reads it to know when a turn is over',
  'system/status': 'says that a request is on its way; the message that follows says it better',
  'system/thinking_tokens': 'an estimate for spinners; the thinking itself is streamed',
  'system/task_progress': 'the subagent’s own calls are events already',
  'system/task_updated': 'task_started and task_notification bracket a subagent',
  'system/background_tasks_changed': 'background tasks are switched off',
  'system/permission_denied': 'the denied call gets an error result, which is an event',
  'system/commands_changed': 'the list of slash commands is told when the session starts',
  'system/hook_started': 'our own hook; its verdict shows in the call’s result',
  'system/hook_progress': 'our own hook',
  'system/hook_response': 'our own hook',
  'system/ui_invalidate': 'for a terminal that draws the screen of the CLI',
  command_lifecycle: 'the adapter reads it to know what became of a message',
  tool_progress: 'a heartbeat of a running tool',
  keep_alive: 'a heartbeat of the process',
}

export const isIgnored = ({ type, subtype }: AnyMessage): boolean =>
  (subtype === undefined ? type : `${type}/${subtype}`) in ignored
