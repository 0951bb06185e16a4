// The events of a working session, without those that change rows outside of the log.
import { draft } from '@quarterdeck/protocol'

/** @typedef {import('@quarterdeck/protocol').EventDraft} EventDraft */

export const sampleSession = draft('AgentSessionCreated', {
  agentName: 'bench',
  mode: 'chat',
  model: 'claude-sonnet-4-5-20250929',
  modelSource: 'simulator',
  permissionMode: 'manual',
  limits: { maxTurns: 50, maxBudgetUsd: 5, maxDurationMs: 3_600_000 },
  cwd: '/nowhere',
  title: 'A session of the bench',
  tags: ['bench'],
  owner: 'local',
})

/**
 * Alternating tool calls and results.
 * @param {number} from
 * @param {number} count
 * @returns {EventDraft[]}
 */
export function sampleDrafts(from, count) {
  return Array.from({ length: count }, (_, offset) => sampleDraft(from + offset))
}

/**
 * @param {number} index
 * @returns {EventDraft}
 */
function sampleDraft(index) {
  const toolUseId = `toolu_bench_${Math.floor(index / 2)}`
  if (index % 2 === 0) {
    const toolInput = { command: `grep -rn "needle ${index}" src`, description: 'Look for the needle' }
    return draft('AgentInvokedTool', { toolName: 'Bash', toolInput, toolUseId, messageId: `msg_bench_${index}` })
  }
  const output = `src/haystack.ts:${index}: a line with the needle in it\n`.repeat(3)
  return draft('ToolExecuted', { toolName: 'Bash', toolUseId, output, isError: false, durationMs: 12 })
}
