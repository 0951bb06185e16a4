import {
  type CatalogModel,
  findModel,
  isClosedStatus,
  type ModelRequest,
  type ModelVerdict,
  type SessionState,
} from '@quarterdeck/protocol'
import { currentModel } from './choose-model.ts'

/**
 * Whether a session may send this request, regardless of its cost. Every holder of the session's token can ask,
 * including the agent's own shell. So requests are refused once the session is closed, and for models without a price
 * other than the session's own. `null` allows the request.
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

/** Final: the client must not retry. */
export function refuse(message: string): ModelVerdict {
  return { type: 'refuse', status: 403, errorType: 'permission_error', message }
}
