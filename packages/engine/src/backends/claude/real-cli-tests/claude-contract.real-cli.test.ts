import { descendantsOf } from '../../../system/linux-processes.ts'
import { describeBackend } from '../../backend.contract.ts'
import { scenarioStep } from '../../contract/scenario-step.fixture.ts'
import { openClaudeHarness } from '../testing/claude-harness.fixture.ts'

describeBackend('claude, with the real CLI', async (replies, cwd, agent) => {
  const steps = replies.map((reply) => scenarioStep(reply, cwd))
  const harness = await openClaudeHarness({ steps, maxRetries: 0, agent })
  const { model, modelSource, modelAccess } = harness.options()
  return {
    backend: harness.backend,
    options: { model, modelSource, modelAccess, cwd },
    asked: () => JSON.stringify(harness.requests().at(-1)),
    async crash() {
      // The CLI itself, not its sandbox wrapper.
      for (const pid of harness.pids()) process.kill(descendantsOf(pid)[0]?.pid ?? pid, 'SIGKILL')
    },
    close: harness.close,
  }
})
