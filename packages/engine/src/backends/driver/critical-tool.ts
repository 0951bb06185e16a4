// A tool that the agent file marks as critical: when it fails, the turn has failed.
import { type AgentTool, type EventDraft, errorReasons } from '@quarterdeck/protocol'
import { toolOf } from '../../tool-names/host-tool-names.ts'
import type { BackendEvent } from '../backend.ts'
import type { TurnDriver } from './turn-driver.ts'

/**
 * Ends a turn as failed when a critical tool fails; other failures are returned to the model. A call that was refused
 * or stopped is not a failure of its tool.
 */
export function endOnCriticalFailure(driver: TurnDriver, tools: readonly AgentTool[]): Pick<TurnDriver, 'turn'> {
  if (!tools.some(({ isCritical }) => isCritical)) return { turn: driver.turn }
  return {
    async *turn(...input) {
      let failed: string | null = null
      for await (const event of driver.turn(...input)) {
        if (failed === null) {
          failed = criticalFailure(event, tools)
          // If the driver cannot stop it, the turn continues but still counts as failed.
          if (failed !== null) driver.interrupt(errorReasons.toolFailed(failed)).catch(() => undefined)
        }
        yield failed !== null && event.type === 'TurnEnded' ? asFailed(event, failed) : event
      }
    },
  }
}

function criticalFailure(event: BackendEvent, tools: readonly AgentTool[]): string | null {
  if (event.type !== 'ToolExecuted' || !event.data.isError || event.data.withoutResult === true) return null
  const tool = toolOf(tools, event.data.toolName)
  return tool?.isCritical === true ? tool.name : null
}

/** A crash or a reached limit keeps its own outcome. */
function asFailed(ended: EventDraft<'TurnEnded'>, name: string): EventDraft<'TurnEnded'> {
  const { outcome, result } = ended.data
  if (outcome !== 'interrupted' && outcome !== 'completed' && outcome !== 'failed') return ended
  const failed = { ...result, isError: true, errorReason: errorReasons.toolFailed(name) }
  return { ...ended, data: { ...ended.data, outcome: 'failed', result: failed } }
}
