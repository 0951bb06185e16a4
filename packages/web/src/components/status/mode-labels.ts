import type { PermissionMode } from '@quarterdeck/protocol'

/** What each permission mode lets an agent do. */
export const modeLabels: Readonly<Record<PermissionMode, string>> = {
  manual: 'Asks unless a rule allows it',
  acceptEdits: 'Edits without asking, asks for everything else',
  acceptAll: 'Never asks',
  plan: 'Plans only, executes nothing',
}
