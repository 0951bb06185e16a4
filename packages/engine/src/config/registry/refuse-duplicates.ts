import type { LoadedAgent } from '../load-agent.ts'
import { fileError } from '../problems/problem.ts'

/**
 * Gives a name to the file that had it before, else to the first file. Otherwise a new file could take over the name of
 * another agent.
 * @param known the current file of each name
 */
export function refuseDuplicates(
  agents: readonly LoadedAgent[],
  known: ReadonlyMap<string, string> = new Map(),
): readonly LoadedAgent[] {
  const owners = new Map<string, string>()
  for (const { name, file } of agents) {
    if (!owners.has(name) || known.get(name) === file) owners.set(name, file)
  }
  return agents.map((loaded) => {
    const owner = owners.get(loaded.name)
    if (owner === loaded.file) return loaded
    const message = `the name "${loaded.name}" is already used by ${owner}: rename one of them`
    const problem = { ...fileError(loaded.file, 'config.duplicate-name', message), path: 'name' }
    return { ...loaded, agent: null, problems: [...loaded.problems, problem] }
  })
}
