// A reply of the contract suite as a step of the simulator, for every backend that talks to a real server.
import { join } from 'node:path'
import type { Scenario } from '@quarterdeck/simulator'
import type { z } from 'zod'
import type { ContractReply } from './backend-harness.contract.ts'

export type ScenarioStep = z.input<typeof Scenario>['steps'][number]

export function scenarioStep(reply: ContractReply, cwd: string): ScenarioStep {
  const { thinking, text, commands, calls, writes, stalls, fails, whenToolResult, whenPrompt, whenText } = reply
  return {
    ...((fails === true || whenText !== undefined) && { repeat: true }),
    ...(whenPrompt !== undefined && { when: { turn: whenPrompt } }),
    ...(whenText !== undefined && { when: { text: whenText } }),
    ...(whenToolResult !== undefined && { when: { tool_result: { pattern: whenToolResult } } }),
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
