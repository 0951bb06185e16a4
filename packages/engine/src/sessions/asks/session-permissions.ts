import type { AgentDefinition, SessionState } from '@quarterdeck/protocol'
import { createPermissionCheck, type PermissionCheck } from '../../permissions/permission-check.ts'
import { selectSessionTools } from '../../permissions/tools/session-tools.ts'
import { clientToolName, declaredClientTools, isClientToolOffered } from '../../tool-names/client-tool-names.ts'

/** The permission check of a session: the rules of the agent file, in the session's working folder. */
export function createSessionPermissions(
  { claude, approvals, tools: hostTools }: AgentDefinition,
  state: () => SessionState,
  hiddenPaths: readonly string[],
): PermissionCheck {
  const sessionTools = selectSessionTools(state(), hostTools)
  return createPermissionCheck({
    claude,
    cwd: state().cwd,
    approvals,
    hiddenPaths,
    hostTools,
    sessionTools,
    clientTools: () =>
      [...declaredClientTools(hostTools), ...state().clients.flatMap(({ tools }) => tools)]
        .map(({ name }) => name)
        .filter((name) => isClientToolOffered(claude, name) && sessionTools.has(clientToolName(name))),
  })
}
