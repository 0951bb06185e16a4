import type { AgentDefinition, SessionState } from '@quarterdeck/protocol'
import { declaredClientTools, isClientToolOffered } from '../client-tool.ts'
import { createPermissionCheck, type PermissionCheck } from '../tools/permission-check.ts'

/** The rules over a session's calls: those of the agent file, in the folder the session works in. */
export function createSessionPermissions(
  { claude, approvals, tools: hostTools }: AgentDefinition,
  state: () => SessionState,
  hiddenPaths: readonly string[],
): PermissionCheck {
  return createPermissionCheck({
    ...{ claude, cwd: state().cwd, approvals, hiddenPaths, hostTools },
    clientTools: () =>
      [...declaredClientTools(hostTools), ...state().clients.flatMap(({ tools }) => tools)]
        .map(({ name }) => name)
        .filter((name) => isClientToolOffered(claude, name)),
  })
}
