// What the model of the contract suite says, as a step of the simulator: for every backend that talks to a real server.
import { join } from 'node:path'
import type { Scenario } from '@quarterdeck/model'
import type { z } from 'zod'
import type { ContractReply } from './contract-world.contract.ts'

export type ScenarioStep = z.input<typeof Scenario>['steps'][number]

export function scenarioStep(reply: ContractReply, cwd: string): ScenarioStep {
  const { thinking, text, commands, calls, writes, stalls, fails, whenTold, whenPrompt, whenSaid } = reply
  return {
    ...((fails === true || whenSaid !== undefined) && { repeat: true }),
    ...(whenPrompt !== undefined && { when: { turn: whenPrompt } }),
    ...(whenSaid !== undefined && { when: { text: whenSaid } }),
    ...(whenTold !== undefined && { when: { tool_result: { pattern: whenTold } } }),
    then: {
      ...(thinking !== undefined && { thinking }),
      ...(text !== undefined && { text }),
      ...(commands !== undefined && { tools: commands.map((command) => ({ name: 'Bash', input: { command } })) }),
      ...(calls !== undefined && { tools: calls.map((name) => ({ name, input: {} })) }),
      ...(writes !== undefined && {
        tools: [{ name: 'Write', input: { file_path: join(cwd, writes.path), content: writes.text } }],
      }),
      ...(stalls === true && { fault: { type: 'stall', after_deltas: 2 } }),
      ...(fails === true && { fault: { type: 'status', status: 500 } }),
    },
  }
}
