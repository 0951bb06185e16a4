import { describeBackend } from '../backend.contract.ts'
import type { BackendHarness, ContractAgent, ContractReply } from '../contract/backend-harness.contract.ts'
import { createScriptedBackend } from './create-scripted-backend.ts'
import type { Step } from './script.ts'

async function open(
  replies: readonly ContractReply[],
  cwd: string,
  { tools, turnTimeoutMs }: ContractAgent,
): Promise<BackendHarness> {
  const waiting = [...replies]
  // A turn consumes replies until one ends it, like a model.
  const next = (prompt: number, input: string): ContractReply | undefined => {
    const index = waiting.findIndex(
      ({ whenPrompt = prompt, whenText = '' }) => whenPrompt === prompt && input.includes(whenText),
    )
    return index < 0 ? undefined : waiting.splice(index, 1)[0]
  }
  const turn = (input: string, _turn: number, earlier: readonly string[]): readonly Step[] => {
    const prompt = earlier.length + 1
    const steps: Step[] = []
    for (let reply = next(prompt, input); reply !== undefined; reply = next(prompt, input)) {
      steps.push(...stepsOf(reply))
      if (reply.commands === undefined && reply.calls === undefined && reply.writes === undefined) break
    }
    return steps
  }
  const backend = createScriptedBackend({
    script: turn,
    ...(tools !== undefined && { tools }),
    ...(typeof turnTimeoutMs === 'number' && { turnTimeoutMs }),
  })
  return {
    backend,
    options: {
      cwd,
      model: 'claude-sonnet-4-5-20250929',
      modelSource: 'simulator',
      modelAccess: { type: 'gateway', baseUrl: 'http://127.0.0.1:9', token: 'none' },
    },
    crash: async () => backend.crash(),
    close: () => backend.teardown(),
  }
}

describeBackend('scripted', open, { raisesHooks: false })

function stepsOf(reply: ContractReply): readonly Step[] {
  const chunks = reply.text?.match(/\S+\s*/g) ?? []
  if (reply.fails === true) return [{ type: 'fail', reason: 'the provider failed' }]
  if (reply.stalls === true) return [{ type: 'stall', chunks }]
  return [
    { type: 'usage', input: 10, output: 5, costUsd: 0.001 },
    ...(reply.thinking === undefined ? [] : [{ type: 'thinking', text: reply.thinking } as const]),
    ...(chunks.length === 0 ? [] : [{ type: 'text', chunks } as const]),
    ...(reply.writes === undefined ? [] : [{ type: 'write', ...reply.writes } as const]),
    ...(reply.calls ?? []).map((name) => ({ type: 'tool', name, input: {}, result: '' }) as const),
    ...(reply.commands === undefined
      ? []
      : [{ type: 'parallel', tools: reply.commands.map((command) => shell(command)) } as const]),
  ]
}

function shell(command: string) {
  return {
    type: 'tool',
    name: 'Bash',
    input: { command },
    result: (input: Record<string, unknown>) => String(input.command).replace('echo ', ''),
    isError: command.startsWith('exit'),
  } as const
}
