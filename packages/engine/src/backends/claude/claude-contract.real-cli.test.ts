import { descendantsOf } from '../../processes.ts'
import { describeBackend } from '../backend.contract.ts'
import type { ContractReply } from '../contract-world.contract.ts'
import { openClaudeWorld, type ScenarioStep } from './testing/claude-world.fixture.ts'

describeBackend('claude, with the real CLI', async (replies) => {
  const world = await openClaudeWorld({ steps: replies.map(stepOf), maxRetries: 0 })
  const { model, modelSource, modelAccess } = world.options()
  return {
    backend: world.backend,
    options: { model, modelSource, modelAccess },
    async crash() {
      // The CLI itself, not the wrapper that shuts it in.
      for (const pid of world.pids()) process.kill(descendantsOf(pid)[0]?.pid ?? pid, 'SIGKILL')
    },
    close: world.close,
  }
})

function stepOf({ thinking, text, commands, stalls, fails, whenTold }: ContractReply): ScenarioStep {
  return {
    ...(fails === true && { repeat: true }),
    ...(whenTold !== undefined && { when: { tool_result: { pattern: whenTold } } }),
    then: {
      ...(thinking !== undefined && { thinking }),
      ...(text !== undefined && { text }),
      ...(commands !== undefined && { tools: commands.map((command) => ({ name: 'Bash', input: { command } })) }),
      ...(stalls === true && { fault: { type: 'stall', after_deltas: 2 } }),
      ...(fails === true && { fault: { type: 'status', status: 500 } }),
    },
  }
}
