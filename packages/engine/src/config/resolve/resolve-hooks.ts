import type { AgentHook, BackendName } from '@quarterdeck/protocol'
import { loopHookEvents, sessionHookEvents } from '../../backends/hooks/engine-hook-events.ts'
import type { AgentContext } from '../agent-context.ts'
import { checkProgram } from '../check/check-named-files.ts'
import { formatPath, type Path } from '../problems/value-path.ts'
import type { HookBlock } from '../schema/hooks-block.ts'
import { resolveProjectPath } from './resolve-instructions.ts'
import { folderOf, resolveVariables, secretValues, type Values } from './resolve-variables.ts'
import { toMs } from './resolved-tool.ts'

export async function resolveHooks(context: AgentContext, backend: BackendName) {
  const hooks: AgentHook[] = []
  /** By hook index. */
  const secrets: Values[] = []
  const declared: string[] = []
  for (const [index, block] of (context.file.hooks ?? []).entries()) {
    const path = ['hooks', index]
    checkHook(context, block, { path, backend })
    const env = resolveVariables(context, block.env, [...path, 'env'])
    hooks.push({
      event: block.event,
      matcher: block.matcher ?? null,
      action: await actionOf(context, block, { path, env }),
    })
    secrets.push(env)
    declared.push(...secretValues(context, env, [...path, 'env']))
  }
  return { hooks, secrets, declared }
}

const onLoop: readonly string[] = [...loopHookEvents, ...sessionHookEvents]

const fieldsOf: Readonly<Record<HookBlock['action'], readonly (keyof HookBlock)[]>> = {
  log: [],
  reject: ['message'],
  modify: ['input'],
  script: ['command', 'args', 'env', 'timeout'],
}
const needed: Partial<Record<HookBlock['action'], keyof HookBlock>> = {
  reject: 'message',
  modify: 'input',
  script: 'command',
}

const refusable = ['PreToolUse', 'UserPromptSubmit', 'PermissionRequest']

function checkHook(
  { source }: AgentContext,
  block: HookBlock,
  { path, backend }: { readonly path: Path; readonly backend: BackendName },
): void {
  const { event, action, matcher } = block
  const refuse = (key: keyof HookBlock, message: string): void => source.refuseValue([...path, key], message)
  if (backend === 'loop' && !onLoop.includes(event)) {
    refuse('event', `${event} never occurs with backend: loop`)
  }
  if (action === 'modify' && event !== 'PreToolUse')
    refuse('action', `modify changes the input of a call: use it with PreToolUse only`)
  if (action === 'reject' && !refusable.includes(event)) {
    refuse('action', `reject has no effect at ${event}: use it with ${refusable.join(', ')}`)
  }
  const key = needed[action]
  if (key !== undefined && block[key] == null) {
    source.refuseMissing([...path, key], `action ${action} needs it`)
  }
  for (const other of Object.values(fieldsOf).flat()) {
    if (block[other] == null || fieldsOf[action].includes(other)) continue
    source.warnNoEffectIn([...path, other], `with action: ${action}`)
  }
  if (matcher != null && !isPattern(matcher))
    refuse('matcher', `"${formatPath([...path, 'matcher'])}" is not a regular expression`)
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text)
    return true
  } catch {
    // The message of the engine names no position in the file.
    return false
  }
}

async function actionOf(
  context: AgentContext,
  block: HookBlock,
  { path, env }: { readonly path: Path; readonly env: Values },
): Promise<AgentHook['action']> {
  switch (block.action) {
    case 'log':
      return { type: 'log' }
    case 'reject':
      return { type: 'reject', message: block.message ?? '' }
    case 'modify':
      return { type: 'modify', input: (block.input ?? {}) as Record<string, never> } // from YAML, so it is JSON
    case 'script': {
      const written = block.command ?? ''
      const isPath = /^\.{1,2}\//.test(written)
      const command = isPath ? await resolveProjectPath(context, written, [...path, 'command']) : written
      const args = block.args ?? []
      const cwd = folderOf(context, path)
      const timeoutMs = toMs(block.timeout ?? 30)
      if (context.options.checksFiles === true && command !== null)
        await checkProgram(context, { command, args, cwd, path, ...ofMissing(block) })
      return { type: 'script', command: command ?? written, args, env: Object.keys(env), cwd, timeoutMs }
    }
  }
}

/** The agent runs without the program, but not as intended. */
const ofMissing = ({ event }: HookBlock) => ({
  severity: 'warning' as const,
  consequence: event === 'PreToolUse' ? '; every call it is asked about is denied' : '; the hook fails each time',
})
