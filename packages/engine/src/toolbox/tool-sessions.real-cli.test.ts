import { openClaudeHarness } from '../backends/claude/testing/claude-harness.fixture.ts'
import { describeEditedCalls } from './edited-calls.contract.ts'
import type { OpenToolBackend } from './testing/tool-harness.fixture.ts'
import { describeToolSessions } from './tool-sessions.contract.ts'

const realCli: OpenToolBackend = async (agent, steps) => {
  const harness = await openClaudeHarness({ steps, agent, tools: [] })
  const { modelAccess } = harness.options()
  return {
    // The engine of these tests has no gateway, so the harness provides the model access.
    backend: {
      ...harness.backend,
      createSession: (options) => harness.backend.createSession({ ...options, modelAccess }),
    },
    dataDir: harness.dataDir,
    asked: harness.conversations,
    close: harness.close,
  }
}

describeToolSessions('the real CLI', realCli)
describeEditedCalls('the real CLI', realCli)
