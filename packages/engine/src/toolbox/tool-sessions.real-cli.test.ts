import { openClaudeWorld } from '../backends/claude/testing/claude-world.fixture.ts'
import { describeToolSessions } from './tool-sessions.contract.ts'

describeToolSessions('the real CLI', async (agent, steps) => {
  const world = await openClaudeWorld({ steps, agent, tools: [] })
  const { modelAccess } = world.options()
  return {
    // The house of these tests has no gateway: the way to the model is this world's own.
    backend: { ...world.backend, createSession: (options) => world.backend.createSession({ ...options, modelAccess }) },
    dataDir: world.dataDir,
    asked: world.conversations,
    close: world.close,
  }
})
