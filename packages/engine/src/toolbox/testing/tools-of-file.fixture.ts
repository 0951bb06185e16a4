import { minimalAgent, tempProject } from '../../config/testing/temp-project.ts'

/** Loads an agent file with this text as its `tools`. */
export async function toolsOfFile(
  tools: string,
  files: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = {},
) {
  const all = { 'agent.yaml': `${minimalAgent}tools:\n${tools}`, ...files }
  const project = await tempProject(all, { ANTHROPIC_API_KEY: 'made-up', ...env })
  const { agent, problems, passedValues } = await project.load()
  if (agent === null) throw new Error(problems.map(({ message }) => message).join('\n'))
  return { project, agent, tools: () => agent.tools, toolSecrets: async () => passedValues.reveal().tools }
}
