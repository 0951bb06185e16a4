import { formatProblem } from '@quarterdeck/engine'
import { visibleText } from '@quarterdeck/protocol'
import type { Runtime } from '@quarterdeck/server'
import { remark, type Terminal } from '../terminal/terminal.ts'

type Agents = Awaited<ReturnType<Runtime['agents']['loaded']>>

/** A hook that never runs gives false safety: warned about where the agent runs, not only by `validate`. */
export const idleHookWarnings = (agents: Agents, cwd: string): readonly string[] =>
  agents.flatMap(({ problems }) =>
    problems
      .filter(({ severity, path }) => severity === 'warning' && path.startsWith('hooks['))
      .map((problem) => formatProblem(problem, cwd)),
  )

export async function printIdleHookWarnings(terminal: Terminal, { agents }: Runtime): Promise<void> {
  for (const sentence of idleHookWarnings(await agents.loaded(), terminal.cwd)) remark(terminal, visibleText(sentence))
}
