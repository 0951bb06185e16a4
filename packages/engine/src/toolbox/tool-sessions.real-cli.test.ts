import { openClaudeWorld } from '../backends/claude/testing/claude-world.fixture.ts'
import { describeEditedCalls } from './edited-calls.contract.ts'
import type { OpenToolBackend } from './testing/tool-house.fixture.ts'
import { describeToolSessions } from './tool-sessions.contract.ts'

const realCli: OpenToolBackend = async (agent, steps) => {
  const world = await openClaudeWorld({ steps, agent, tools: [] })
  const { modelAccess } = world.options()
  return {
    // The house of these tests has no gateway: the way to the model is this world's own.
    backend: { ...world.backend, createSession: (options) => world.backend.createSession({ ...options, modelAccess }) },
    dataDir: world.dataDir,
    asked: world.conversations,
    close: world.close,
  }
}

describeToolSessions('the real CLI', realCli)
describeEditedCalls('the real CLI', realCli)
