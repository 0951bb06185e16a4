// The parameters and replies of each method, for callers.

import type { PathNames, RpcMethod, rpcMethods, rpcRequests } from '@quarterdeck/protocol'
import type { z } from 'zod'

type Input<One, Part extends string> =
  One extends Record<Part, infer Schema extends z.ZodType> ? z.input<Schema> : unknown
type OperationOf<Method extends RpcMethod> = (typeof rpcMethods)[Method]

/** Path, query and body of the method's operation in one object. */
export type RpcParamsOf<Method extends RpcMethod> = {
  readonly [Name in PathNames<OperationOf<Method>['path']>[number]]: string
} & Input<OperationOf<Method>, 'query'> &
  Input<OperationOf<Method>, 'body'>

export type RpcReplyOf<Method extends RpcMethod> = z.infer<OperationOf<Method>['reply']>

export type RpcRequestMethod = keyof typeof rpcRequests
export type RpcAskOf<Method extends RpcRequestMethod> = z.infer<(typeof rpcRequests)[Method]['params']>
export type RpcAnswerOf<Method extends RpcRequestMethod> = z.input<(typeof rpcRequests)[Method]['result']>
