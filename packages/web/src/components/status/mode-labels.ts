import type { PermissionMode } from '@quarterdeck/protocol'

/** What an agent may do by itself, the same words everywhere. */
export const modeLabels: Readonly<Record<PermissionMode, string>> = {
  manual: 'Asks unless a rule allows it',
  acceptEdits: 'Edits without asking, asks for the rest',
  acceptAll: 'Never asks',
  plan: 'Plans only, executes nothing',
}
