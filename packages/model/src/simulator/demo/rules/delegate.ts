import { callTools, say } from '../../reply.ts'
import { listedAgentTypes } from '../listed-agent-types.ts'
import type { DemoRule } from '../rule.ts'

/** "ask a subagent to …" hands the rest of the sentence over. */
export const delegate: DemoRule = {
  name: 'delegate',
  reply(conversation) {
    const { offered, prompt } = conversation
    const task = /\b(?:subagent|helper|delegate)\b\s*(?:to\s+)?(.+)/is.exec(prompt)?.[1]?.trim()
    if (!task || !/\b(?:ask|start|use|let|launch|delegate)\b/i.test(prompt)) return null
    if (!offered.has('Agent')) return say('I can not start a subagent: this agent does not offer me the Agent tool.')
    const own = listedAgentTypes(conversation).find((type) => !BUILT_IN.has(type)) ?? 'general-purpose'
    return callTools('I hand that to a subagent.', {
      name: 'Agent',
      input: { subagent_type: own, description: task.slice(0, 40), prompt: task, run_in_background: false },
    })
  },
}

const BUILT_IN = new Set(['claude', 'Explore', 'Plan', 'general-purpose', 'statusline-setup', 'output-style-setup'])
