import type { AgentDefinition, SessionState } from '@quarterdeck/protocol'
import { clientToolName, declaredClientTools, isClientToolOffered } from '../client-tool.ts'
import { createPermissionCheck, type PermissionCheck } from '../tools/permission-check.ts'
import { sessionShape } from '../tools/session-shape.ts'

/** The rules over a session's calls: those of the agent file, in the folder the session works in. */
export function createSessionPermissions(
  { claude, approvals, tools: hostTools }: AgentDefinition,
  state: () => SessionState,
  hiddenPaths: readonly string[],
): PermissionCheck {
  const shape = sessionShape(state(), hostTools)
  return createPermissionCheck({
    ...{ claude, cwd: state().cwd, approvals, hiddenPaths, hostTools, shape },
    clientTools: () =>
      [...declaredClientTools(hostTools), ...state().clients.flatMap(({ tools }) => tools)]
        .map(({ name }) => name)
        .filter((name) => isClientToolOffered(claude, name) && shape.has(clientToolName(name))),
  })
}
