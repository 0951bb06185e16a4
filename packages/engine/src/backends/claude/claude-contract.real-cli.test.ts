import { join } from 'node:path'
import { descendantsOf } from '../../linux-processes.ts'
import { describeBackend } from '../backend.contract.ts'
import type { ContractReply } from '../contract-world.contract.ts'
import { openClaudeWorld, type ScenarioStep } from './testing/claude-world.fixture.ts'

describeBackend('claude, with the real CLI', async (replies, cwd) => {
  const world = await openClaudeWorld({ steps: replies.map((reply) => stepOf(reply, cwd)), maxRetries: 0 })
  const { model, modelSource, modelAccess } = world.options()
  return {
    backend: world.backend,
    options: { model, modelSource, modelAccess, cwd },
    async crash() {
      // The CLI itself, not the wrapper that shuts it in.
      for (const pid of world.pids()) process.kill(descendantsOf(pid)[0]?.pid ?? pid, 'SIGKILL')
    },
    close: world.close,
  }
})

function stepOf(reply: ContractReply, cwd: string): ScenarioStep {
  const { thinking, text, commands, writes, stalls, fails, whenTold, whenPrompt } = reply
  return {
    ...(fails === true && { repeat: true }),
    ...(whenPrompt !== undefined && { when: { turn: whenPrompt } }),
    ...(whenTold !== undefined && { when: { tool_result: { pattern: whenTold } } }),
    then: {
      ...(thinking !== undefined && { thinking }),
      ...(text !== undefined && { text }),
      ...(commands !== undefined && { tools: commands.map((command) => ({ name: 'Bash', input: { command } })) }),
      ...(writes !== undefined && {
        tools: [{ name: 'Write', input: { file_path: join(cwd, writes.path), content: writes.text } }],
      }),
      ...(stalls === true && { fault: { type: 'stall', after_deltas: 2 } }),
      ...(fails === true && { fault: { type: 'status', status: 500 } }),
    },
  }
}
