import { type CatalogModel, findModel, isClosedStatus, type SessionState } from '@quarterdeck/protocol'
import type { ModelRequest, ModelVerdict } from '../ports/model-gateway.ts'
import { currentModel } from './choose-model.ts'

/**
 * Whether a session may send this request at all, whatever it costs. Whoever holds the session's token can ask, the
 * agent's own shell included: so it is refused once the session is closed, and for a model whose price nobody knows
 * unless it is the session's own. `null` when nothing speaks against it.
 */
export function judgeRequest(
  { model }: Pick<ModelRequest, 'model'>,
  state: SessionState,
  catalog: readonly CatalogModel[],
): ModelVerdict | null {
  if (isClosedStatus(state.status)) return refuse('this session is closed')
  const isKnown = findModel(model, catalog)?.price != null
  return isKnown || model === currentModel(state, catalog)
    ? null
    : refuse(`"${model}" is not a model this session may use`)
}

/** Final: the client is not to try again. */
export const refuse = (message: string): ModelVerdict => ({
  type: 'refuse',
  status: 403,
  errorType: 'permission_error',
  message,
})
