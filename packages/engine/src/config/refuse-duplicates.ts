import type { LoadedAgent } from './load-agent.ts'

/** Of agents that are found together the first has its name, and the others say so. */
export function refuseDuplicates(agents: readonly LoadedAgent[]): readonly LoadedAgent[] {
  const first = new Map<string, string>()
  return agents.map((loaded) => {
    const other = first.get(loaded.name)
    if (other === undefined) {
      first.set(loaded.name, loaded.file)
      return loaded
    }
    const message = `the name "${loaded.name}" is already taken by ${other}: give one of them another name`
    const problem = { severity: 'error', code: 'config.duplicate-name', message, file: loaded.file } as const
    return { ...loaded, agent: null, problems: [...loaded.problems, { ...problem, line: 1, column: 1, path: 'name' }] }
  })
}
