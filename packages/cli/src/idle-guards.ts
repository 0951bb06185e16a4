import { formatProblem } from '@quarterdeck/engine'
import { visibleText } from '@quarterdeck/protocol'
import type { House } from '@quarterdeck/server'
import { remark, type Terminal } from './terminal.ts'

type Agents = Awaited<ReturnType<House['agents']['loaded']>>

/** A guard that never runs looks shut and stands open: said where its agent runs, not only by `validate`. */
export const idleGuards = (agents: Agents, cwd: string): readonly string[] =>
  agents.flatMap(({ problems }) =>
    problems
      .filter(({ severity, path }) => severity === 'warning' && path.startsWith('hooks['))
      .map((problem) => formatProblem(problem, cwd)),
  )

export async function tellIdleGuards(terminal: Terminal, { agents }: House): Promise<void> {
  for (const sentence of idleGuards(await agents.loaded(), terminal.cwd)) remark(terminal, visibleText(sentence))
}
