import { type CatalogModel, findModel, isClosedStatus, type SessionState } from '@quarterdeck/protocol'
import type { ModelRequest, ModelVerdict } from '../model-gateway.ts'

/**
 * Whether a session may send this request. Whoever holds the session's token can ask, the agent's own shell included:
 * so it is refused once the session is closed, once its money is gone, and for a model whose price nobody knows, which no
 * limit could hold.
 */
export function judgeRequest(
  { model }: ModelRequest,
  state: SessionState,
  catalog: readonly CatalogModel[],
): ModelVerdict {
  if (isClosedStatus(state.status)) return refuse('this session is closed')
  const { costUsd, limits } = state
  if (costUsd >= limits.maxBudgetUsd) return refuse(`budget limit reached: $${costUsd} of $${limits.maxBudgetUsd}`)
  const known = findModel(model, catalog)
  if (known?.price == null && model !== state.model) return refuse(`"${model}" is not a model this session may use`)
  return { type: 'go' }
}

const refuse = (message: string): ModelVerdict => ({
  type: 'refuse',
  status: 403,
  errorType: 'permission_error',
  message,
})
