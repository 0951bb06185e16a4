import { descendantsOf } from '../../linux-processes.ts'
import { describeBackend } from '../backend.contract.ts'
import { scenarioStep } from '../scenario-step.fixture.ts'
import { openClaudeWorld } from './testing/claude-world.fixture.ts'

describeBackend('claude, with the real CLI', async (replies, cwd, agent) => {
  const steps = replies.map((reply) => scenarioStep(reply, cwd))
  const world = await openClaudeWorld({ steps, maxRetries: 0, agent })
  const { model, modelSource, modelAccess } = world.options()
  return {
    backend: world.backend,
    options: { model, modelSource, modelAccess, cwd },
    asked: () => JSON.stringify(world.requests().at(-1)),
    async crash() {
      // The CLI itself, not the wrapper that shuts it in.
      for (const pid of world.pids()) process.kill(descendantsOf(pid)[0]?.pid ?? pid, 'SIGKILL')
    },
    close: world.close,
  }
})
